#include "cli/include.h"

#include <errno.h>
#include <unistd.h>

#include "base/os.h"
#include "base/paths.h"
#include "base/strbuf.h"
#include "base/utf8.h"
#include "notebook/notebook.h"

enum { TEXT_MAX = 64 << 20 }; /* bytes of a text */

static char form_letter(enum include_form form)
{
	return form == INCLUDE_TEXT ? 't' : 'n';
}

static struct slice key_of(struct arena *arena, enum include_form form, struct slice name)
{
	return arena_printf(arena, "%c%.*s", form_letter(form), SLICE_ARG(name));
}

/* The entry of a real path, which is new when it has no path yet. */
static struct included_file *file_at(struct include_files *files, enum include_form form,
                                     struct slice real)
{
	size_t index = name_set_add(&files->identities, key_of(files->arena, form, real));
	if (index == files->files.count) {
		struct included_file *file = ARENA_NEW(files->arena, struct included_file);
		file->index = index;
		/* NOLINTNEXTLINE(bugprone-sizeof-expression): a list of pointers */
		vec_push(files->arena, &files->files, file);
	}
	return files->files.items[index];
}

void include_files_init(struct include_files *files, struct arena *arena, struct diags *diags,
                        struct slice path, const struct notebook_limits *limits)
{
	bool is_stdin = slice_eq(path, SLICE("-"));
	*files = (struct include_files){
	        .arena = arena,
	        .diags = diags,
	        .limits = limits,
	        .folder = is_stdin ? SLICE(".") : path_folder(path),
	};
	name_set_init(&files->names, arena);
	name_set_init(&files->identities, arena);
	struct slice real = is_stdin ? slice_make(NULL, 0) : os_real_path(arena, path);
	if (real.len > 0)
		file_at(files, INCLUDE_NOTEBOOK, real)->path = path;
}

bool include_files_hold(const struct include_files *files, struct slice real)
{
	for (size_t i = 0; i < files->identities.names.count; i++) {
		struct slice key = files->identities.names.items[i];
		if (slice_eq(slice_sub(key, 1, key.len), real))
			return true;
	}
	return false;
}

/* ---- reading ---- */

static void read_notebook(struct include_files *files, int fd, struct included_file *file)
{
	struct notebook *notebook = ARENA_NEW(files->arena, struct notebook);
	int read_error;
	files->diags->file = file->path;
	if (notebook_read(files->arena, fd, file->path, files->limits, files->diags, notebook,
	                  &read_error) == 0)
		file->notebook = notebook;
	files->diags->file = slice_make("", 0);
}

static void read_text(struct include_files *files, int fd, struct included_file *file)
{
	static const struct slice mark = SLICE_INIT("\xEF\xBB\xBF");
	struct strbuf text;
	strbuf_init(&text, files->arena);
	if (os_read_all(fd, &text, TEXT_MAX) < 0) {
		file->problem = arena_dup(files->arena, slice_from(strerror(errno)));
		return;
	}
	struct slice source = strbuf_slice(&text);
	if (utf8_check(source) < source.len) {
		file->problem = SLICE("it is not UTF-8");
		return;
	}
	if (slice_starts_with(source, mark))
		source = slice_sub(source, mark.len, source.len);
	struct notebook *notebook = ARENA_NEW(files->arena, struct notebook);
	struct cell cell = {.type = CELL_CODE, .file_line = 1, .source = source};
	vec_push(files->arena, &notebook->cells, cell);
	file->notebook = notebook;
}

static void read_file(struct include_files *files, struct slice path, enum include_form form,
                      struct included_file *file)
{
	file->path = path;
	int fd = os_open_input(arena_cstr(files->arena, path));
	if (fd < 0) {
		file->problem = arena_dup(files->arena, slice_from(strerror(errno)));
		return;
	}
	if (form == INCLUDE_TEXT || slice_ends_with(path, SLICE(".ipy")))
		read_text(files, fd, file);
	else
		read_notebook(files, fd, file);
	close(fd);
}

/* ---- looking for it ---- */

static bool is_file(struct include_files *files, struct slice path)
{
	return os_is_file(arena_cstr(files->arena, path));
}

/* As IPython looks for it: the name as it is, or with ".py". */
static bool find_path(struct include_files *files, struct slice name, enum include_form form,
                      struct slice *path)
{
	*path = path_join(files->arena, files->folder, name);
	if (slice_eq(*path, SLICE("-"))) /* would be standard input */
		*path = SLICE("./-");
	if (is_file(files, *path))
		return true;
	if (form == INCLUDE_NOTEBOOK || slice_ends_with(name, SLICE(".py")))
		return false;
	*path = arena_printf(files->arena, "%.*s.py", SLICE_ARG(*path));
	return is_file(files, *path);
}

static const struct included_file *find(struct include_files *files, struct slice name,
                                        enum include_form form)
{
	struct slice path = {0}, real = {0};
	if (find_path(files, name, form, &path))
		real = os_real_path(files->arena, path);
	if (real.len == 0) {
		struct included_file *missing = ARENA_NEW(files->arena, struct included_file);
		missing->path = path;
		missing->problem = SLICE("there is no such file");
		return missing;
	}
	struct included_file *file = file_at(files, form, real);
	if (file->path.len == 0)
		read_file(files, path, form, file);
	return file;
}

static const struct included_file *look_up(void *data, struct slice name, enum include_form form)
{
	struct include_files *files = data;
	size_t index = name_set_add(&files->names, key_of(files->arena, form, name));
	if (index == files->found.count)
		/* NOLINTNEXTLINE(bugprone-sizeof-expression): a list of pointers */
		vec_push(files->arena, &files->found, find(files, name, form));
	return files->found.items[index];
}

struct include_reader include_files_reader(struct include_files *files)
{
	return (struct include_reader){
	        .read = look_up,
	        .data = files,
	        .self = files->files.count > 0 ? files->files.items[0] : NULL,
	};
}
