#include "driver/python_file.h"

#include <errno.h>
#include <stdint.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/os.h"
#include "base/paths.h"
#include "base/strbuf.h"

enum { FOLDER_MAX = 4096 };

/* Variables that decide which interpreter a shim starts. */
static const struct slice variables[] = {
        SLICE_INIT("PYENV_VERSION"),
        SLICE_INIT("ASDF_PYTHON_VERSION"),
};

static void add_file(struct strbuf *out, const char *path)
{
	struct stat status;
	strbuf_puts(out, path);
	strbuf_addc(out, '\0');
	if (stat(path, &status) == 0)
		strbuf_printf(out, "%ju %ju %jd.%09ld", (uintmax_t)status.st_ino,
		              (uintmax_t)status.st_size, (intmax_t)status.st_mtim.tv_sec,
		              status.st_mtim.tv_nsec);
	strbuf_addc(out, '\0');
}

/* pyenv reads ROOT/version for ROOT/shims/python3, asdf a file in the home folder; both also look for a
 * file in the folder in which they start. */
static void add_shim(struct strbuf *out, const struct environment *environment,
                     const struct python_file *file)
{
	struct arena *arena = environment->arena;
	struct slice root = path_folder(path_folder(slice_from(file->path)));
	const char *home = environment_get(environment, SLICE("HOME"));
	for (size_t i = 0; i < sizeof variables / sizeof *variables; i++) {
		const char *value = environment_get(environment, variables[i]);
		strbuf_puts(out, value == NULL ? "" : value);
		strbuf_addc(out, '\0');
	}
	add_file(out, arena_printf(arena, "%.*s/version", SLICE_ARG(root)).ptr);
	add_file(out, arena_printf(arena, "%s/.tool-versions", home == NULL ? "" : home).ptr);
	add_file(out, "/.python-version");
	add_file(out, "/.tool-versions");
}

static bool is_script(const char *path)
{
	char front[2];
	return os_read_front(path, front, sizeof front) == sizeof front && front[0] == '#' &&
	       front[1] == '!';
}

int python_file_find(struct environment *environment, const char *named, struct python_file *out)
{
	struct arena *arena = environment->arena;
	char here[FOLDER_MAX];
	struct strbuf identity;
	const char *found = environment_find_program(environment, named);
	*out = (struct python_file){0};
	if (found == NULL && strchr(named, '/') == NULL)
		errno = ENOENT;
	if (found == NULL || (found[0] != '/' && getcwd(here, sizeof here) == NULL))
		return -1;
	out->path = found[0] == '/' ? found : arena_printf(arena, "%s/%s", here, found).ptr;
	out->real = os_real_path(arena, slice_from(out->path));
	if (out->real.len == 0)
		return -1;
	out->is_script = is_script(out->path);
	strbuf_init(&identity, arena);
	add_file(&identity, arena_cstr(arena, out->real));
	out->is_shim = out->is_script &&
	               slice_eq(path_file(path_folder(slice_from(out->path))), SLICE("shims"));
	if (out->is_shim)
		add_shim(&identity, environment, out);
	out->identity = strbuf_slice(&identity);
	return 0;
}
