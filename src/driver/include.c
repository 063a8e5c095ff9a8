#include "driver/include.h"

#include <errno.h>

#include "base/os.h"
#include "base/paths.h"
#include "base/strbuf.h"
#include "base/utf8.h"
#include "driver/outputs.h"
#include "driver/project.h"
#include "notebook/notebook.h"

enum { TEXT_MAX = 64 << 20, MODULE_MAX = 1 << 20 }; /* bytes of a text, of a module */

static char form_letter(enum include_form form)
{
	static const char letters[] = {
	        [INCLUDE_NOTEBOOK] = 'n', [INCLUDE_TEXT] = 't',   [INCLUDE_MODULE] = 'm',
	        [INCLUDE_FOLDER] = 'f',   [INCLUDE_SCRIPT] = 's',
	};
	return letters[form];
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

static void fail(struct include_files *files, struct slice path, int error)
{
	files->system_failed = true;
	diag_add(files->diags, DIAG_IO, (struct location){0}, "cannot read '%.*s': %s",
	         SLICE_ARG(path), strerror(error));
}

void include_files_init(struct include_files *files, struct slice path)
{
	struct arena *arena = files->arena;
	bool is_stdin = path_is_stdin(path);
	files->folder = is_stdin ? SLICE(".") : path_folder(path);
	name_set_init(&files->names, arena);
	name_set_init(&files->identities, arena);
	name_set_init(&files->module_names, arena);
	name_set_init(&files->packages, arena);
	struct slice real = is_stdin ? slice_make(NULL, 0) : os_real_path(arena, path);
	if (real.len == 0 && !is_stdin && !os_is_missing(errno))
		fail(files, path, errno);
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

static void take_text(struct slice source, struct arena *arena, struct included_file *file)
{
	static const struct slice mark = SLICE_INIT("\xEF\xBB\xBF");
	if (utf8_check(source) < source.len) {
		file->problem = SLICE("it is not UTF-8");
		return;
	}
	if (slice_starts_with(source, mark))
		source = slice_sub(source, mark.len, source.len);
	struct notebook *notebook = ARENA_NEW(arena, struct notebook);
	struct cell cell = {.type = CELL_CODE, .file_line = 1, .source = source};
	vec_push(arena, &notebook->cells, cell);
	file->notebook = notebook;
}

static void set_problem(struct include_files *files, struct included_file *file, int error)
{
	file->problem = arena_dup(files->arena, slice_from(tree_problem(files->tree, error)));
	/* A failure of the system is not a fault of the notebook. */
	if (!os_is_unsuitable(error) && !tree_is_refusal(error))
		fail(files, file->path, error);
}

struct reading {
	struct include_files *files;
	struct included_file *file;
	struct tree_file opened;
};

static int read_notebook(int fd, void *data)
{
	const struct reading *reading = data;
	struct include_files *files = reading->files;
	struct included_file *file = reading->file;
	struct notebook *notebook = ARENA_NEW(files->arena, struct notebook);
	int read_error;
	project_hide(files->hidden, file->path, &reading->opened);
	files->diags->file = file->path;
	if (notebook_read(files->arena, fd, file->path, files->limits, files->diags, notebook,
	                  &read_error) == 0)
		file->notebook = notebook;
	files->system_failed |= read_error != 0;
	files->diags->file = slice_make("", 0);
	return 0;
}

static int read_text(int fd, void *data)
{
	const struct reading *reading = data;
	struct include_files *files = reading->files;
	struct strbuf text;
	project_hide(files->hidden, reading->file->path, &reading->opened);
	strbuf_init(&text, files->arena);
	if (os_read_rest(fd, &text, TEXT_MAX) < 0)
		set_problem(files, reading->file, errno);
	else
		take_text(strbuf_slice(&text), files->arena, reading->file);
	return 0;
}

static void read_file(struct include_files *files, enum include_form form,
                      struct included_file *file)
{
	struct reading reading = {.files = files, .file = file};
	bool is_text = form == INCLUDE_TEXT || slice_ends_with(file->path, SLICE(".ipy"));
	if (tree_open(files->tree, files->arena, file->path, &reading.opened) < 0)
		set_problem(files, file, errno);
	else
		(void)os_use_descriptor(files->arena, reading.opened.fd,
		                        is_text ? read_text : read_notebook, &reading);
}

/* ---- looking for it ---- */

/* 1, 0, or -1 with errno. */
static int look_at(struct include_files *files, struct slice path)
{
	return tree_find_file(files->tree, files->arena, path);
}

/* As IPython looks for it: the name as it is, or with ".py". Likewise. */
static int find_path(struct include_files *files, struct slice name, enum include_form form,
                     struct slice *path)
{
	*path = path_join(files->arena, files->folder, name);
	if (path_is_stdin(*path)) /* would be standard input */
		*path = SLICE("./-");
	int found = look_at(files, *path);
	if (found != 0 || form == INCLUDE_NOTEBOOK || slice_ends_with(name, SLICE(".py")))
		return found;
	*path = arena_printf(files->arena, "%.*s.py", SLICE_ARG(*path));
	return look_at(files, *path);
}

static struct included_file *missing_file(struct include_files *files, struct slice path, int error)
{
	struct included_file *missing = ARENA_NEW(files->arena, struct included_file);
	missing->path = path;
	if (error != 0 && !os_is_missing(error))
		set_problem(files, missing, error);
	else
		missing->problem = SLICE("there is no such file");
	return missing;
}

static const struct included_file *find(struct include_files *files, struct slice name,
                                        enum include_form form)
{
	struct slice path = {0}, real = {0};
	int found = find_path(files, name, form, &path);
	if (found > 0)
		real = os_real_path(files->arena, path);
	if (real.len == 0)
		return missing_file(files, path, found == 0 ? 0 : errno);
	struct included_file *file = file_at(files, form, real);
	if (file->path.len == 0) {
		file->path = path;
		read_file(files, form, file);
	}
	return file;
}

/* What looking for a module found, 1 or 0, or -1 with errno: what cannot be read is Python's business
 * when the script runs, unless the system fails. */
static bool is_there(struct include_files *files, struct slice path, int found)
{
	if (found < 0 && !os_is_unsuitable(errno) && !tree_is_refusal(errno))
		fail(files, path, errno);
	return found > 0;
}

/* The text at FILE->path, if a module is there. */
static void read_module(struct include_files *files, struct included_file *file)
{
	struct strbuf text;
	struct tree_file opened;
	strbuf_init(&text, files->arena);
	if (!is_there(files, file->path, look_at(files, file->path)))
		return;
	int read = tree_read(files->tree, file->path, &text, MODULE_MAX, &opened);
	if (read < 0 && tree_is_refusal(errno))
		set_problem(files, file, errno);
	else if (is_there(files, file->path, read == 0 ? 1 : -1) &&
	         !slice_starts_with(strbuf_slice(&text), OUTPUT_SCRIPT_MARKER))
		take_text(strbuf_slice(&text), files->arena, file);
}

/* Python searches a package first. Most packages are installed elsewhere: the modules in those are not
 * searched, because a search takes long on file systems of clusters. */
static const struct included_file *find_module(struct include_files *files, struct slice name,
                                               enum include_form form)
{
	struct arena *arena = files->arena;
	struct included_file *file = ARENA_NEW(arena, struct included_file);
	struct slice parent = path_folder(name);
	if (form == INCLUDE_MODULE && !slice_eq(parent, SLICE(".")) &&
	    !name_set_has(&files->packages, parent))
		return file;
	struct slice path = path_join(arena, files->folder, name);
	if (form != INCLUDE_SCRIPT &&
	    is_there(files, path, tree_find_folder(files->tree, arena, path))) {
		name_set_add(&files->packages, name);
		file->path = path_join(arena, path, SLICE("__init__.py"));
		if (form == INCLUDE_MODULE)
			read_module(files, file);
	}
	if (form != INCLUDE_FOLDER && file->notebook == NULL && file->problem.len == 0) {
		file->path = arena_printf(arena, "%.*s.py", SLICE_ARG(path));
		read_module(files, file);
	}
	return file;
}

static const struct included_file *look_up(void *data, struct slice name, enum include_form form)
{
	struct include_files *files = data;
	if (form != INCLUDE_NOTEBOOK && form != INCLUDE_TEXT) {
		size_t index = name_set_add(&files->module_names, key_of(files->arena, form, name));
		if (index == files->modules.count)
			/* NOLINTNEXTLINE(bugprone-sizeof-expression): a list of pointers */
			vec_push(files->arena, &files->modules, find_module(files, name, form));
		return files->modules.items[index];
	}
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
	        .cells_most = files->limits->included_cells,
	        .bytes_most = files->limits->included_bytes,
	};
}
