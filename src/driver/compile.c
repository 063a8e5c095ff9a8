#include "driver/compile.h"

#include "base/os.h"
#include "base/paths.h"
#include "base/utf8.h"
#include "driver/outputs.h"
#include "driver/project.h"
#include "ir/build/builder.h"
#include "ir/passes.h"

/* ---- names ---- */

struct slice compile_program_name(struct slice path)
{
	if (path_is_stdin(path))
		return SLICE("notebook");
	struct slice name = path_file(path);
	if (name.len > 6 && slice_eq_nocase(slice_tail(name, name.len - 6), SLICE(".ipynb")))
		name = slice_sub(name, 0, name.len - 6);
	return name;
}

struct slice compile_folder(const struct compilation *c)
{
	return path_is_stdin(c->path) ? SLICE(".") : path_folder(c->path);
}

struct slice compile_notebook_name(const struct compilation *c)
{
	return path_is_stdin(c->path) ? SLICE("standard input") : path_file(c->path);
}

int compile_fail(struct compilation *c, const char *what, struct slice path)
{
	return diag_add(&c->diags, DIAG_IO, (struct location){0}, "cannot %s '%.*s': %s", what,
	                SLICE_ARG(path), strerror(errno));
}

/* ---- files that the notebook includes ---- */

enum { TEXT_MAX = 64 << 20, MODULE_MAX = 1 << 20 }; /* bytes of a text, of a module */

/* The form is one digit. */
static struct slice key_of(struct arena *arena, enum include_form form, struct slice name)
{
	return arena_printf(arena, "%d%.*s", form, SLICE_ARG(name));
}

/* The entry of a real path, which is new when it has no path yet. */
static struct included_file *file_at(struct compilation *c, enum include_form form,
                                     struct slice real)
{
	size_t index = name_set_add(&c->included.identities, key_of(c->arena, form, real));
	if (index == c->included.files.count) {
		struct included_file *file = ARENA_NEW(c->arena, struct included_file);
		file->index = index;
		vec_push(c->arena, &c->included.files, file);
	}
	return c->included.files.items[index];
}

bool compile_reads(const struct compilation *c, struct slice real)
{
	for (size_t i = 0; i < c->included.identities.names.count; i++) {
		struct slice key = c->included.identities.names.items[i];
		if (slice_eq(slice_tail(key, 1), real))
			return true;
	}
	for (size_t i = 0; i < c->needed.count + c->config.files.count; i++) {
		struct slice path = i < c->needed.count
		                            ? c->needed.items[i]
		                            : c->config.files.items[i - c->needed.count];
		if (slice_eq(os_real_path(c->arena, path), real))
			return true;
	}
	return false;
}

/* ---- reading ---- */

static void take_text(struct slice source, struct arena *arena, struct included_file *file)
{
	if (utf8_check(source) < source.len) {
		file->problem = SLICE("it is not UTF-8");
		return;
	}
	(void)slice_cut_prefix(&source, SLICE("\xEF\xBB\xBF"));
	struct notebook *notebook = ARENA_NEW(arena, struct notebook);
	struct cell cell = {.type = CELL_CODE, .file_line = 1, .source = source};
	vec_push(arena, &notebook->cells, cell);
	file->notebook = notebook;
}

/* FILE cannot be read because of errno. */
static void set_problem(struct compilation *c, struct included_file *file)
{
	file->problem = arena_dup(c->arena, slice_from(tree_problem(&c->tree, errno)));
	/* A failure of the system is not a fault of the notebook. */
	if (!os_is_unsuitable(errno) && !tree_is_refusal(errno))
		(void)compile_fail(c, "read", file->path);
}

/* Reads the open file OPENED and closes it, even if memory runs out. FILE: what it becomes, or NULL for the notebook
 * itself, which diagnostics call NAME. IS_FOUND: it was looked for in the tree. Returns 0, or -1 for what is not a notebook. */
static int read_opened(struct compilation *c, struct slice name, struct included_file *file,
                       bool is_text, bool is_found, struct tree_file *opened)
{
	struct slice included = file == NULL ? SLICE("") : file->path;
	struct strbuf text = {.arena = c->arena};
	struct arena_guard guard;
	int status = 0;
	os_guard_descriptor(c->arena, &guard, &opened->fd);
	/* Diagnostics show nothing of the file, unless it is a notebook or a Python file of the project. */
	if (is_found) {
		struct slice found = slice_from(opened->name);
		bool is_code = slice_ends_with(found, SLICE(".ipynb")) ||
		               slice_ends_with(found, SLICE(".py")) ||
		               slice_ends_with(found, SLICE(".ipy"));
		if (!opened->inside || !is_code)
			name_set_add(c->diags.hidden, included);
	}
	if (is_text && os_read_rest(opened->fd, &text, TEXT_MAX) < 0) {
		set_problem(c, file);
	} else if (is_text) {
		take_text(strbuf_slice(&text), c->arena, file);
	} else {
		struct notebook *notebook =
		        file == NULL ? &c->notebook : ARENA_NEW(c->arena, struct notebook);
		c->diags.file = included;
		status = notebook_read(c->arena, opened->fd, name, &c->limits, &c->diags, notebook);
		c->diags.file = slice_make("", 0);
		if (file != NULL && status == 0)
			file->notebook = notebook;
	}
	arena_unguard(c->arena);
	return status;
}

/* ---- looking for it ---- */

static const struct included_file *find_included(struct compilation *c, struct slice name,
                                                 enum include_form form)
{
	/* As IPython looks for it: the name as it is, or with ".py". */
	struct slice path = path_join(c->arena, compile_folder(c), name), real = {0};
	if (path_is_stdin(path)) /* would be standard input */
		path = SLICE("./-");
	int found = tree_find(&c->tree, c->arena, path, S_IFREG);
	if (found == 0 && form != INCLUDE_NOTEBOOK && !slice_ends_with(name, SLICE(".py"))) {
		path = arena_printf(c->arena, "%.*s.py", SLICE_ARG(path));
		found = tree_find(&c->tree, c->arena, path, S_IFREG);
	}
	if (found > 0)
		real = os_real_path(c->arena, path);
	if (real.len == 0) {
		struct included_file *missing = ARENA_NEW(c->arena, struct included_file);
		missing->path = path;
		if (found == 0 || os_is_missing(errno))
			missing->problem = SLICE("there is no such file");
		else
			set_problem(c, missing);
		return missing;
	}
	struct included_file *file = file_at(c, form, real);
	if (file->path.len > 0)
		return file;
	file->path = path;
	struct tree_file opened;
	bool is_text = form == INCLUDE_TEXT || slice_ends_with(path, SLICE(".ipy"));
	if (tree_open(&c->tree, c->arena, path, &opened) < 0)
		set_problem(c, file);
	else
		(void)read_opened(c, path, file, is_text, true, &opened);
	return file;
}

/* What looking for a module found, 1 or 0, or -1 with errno: what cannot be read is Python's business
 * when the script runs, unless the system fails. */
static bool is_there(struct compilation *c, struct slice path, int found)
{
	if (found < 0 && !os_is_unsuitable(errno) && !tree_is_refusal(errno))
		(void)compile_fail(c, "read", path);
	return found > 0;
}

/* The text at FILE->path, if a module is there. */
static void read_module(struct compilation *c, struct included_file *file)
{
	struct strbuf text = {.arena = c->arena};
	struct tree_file opened;
	if (!is_there(c, file->path, tree_find(&c->tree, c->arena, file->path, S_IFREG)))
		return;
	int read = tree_read(&c->tree, file->path, &text, MODULE_MAX, &opened);
	if (read < 0 && tree_is_refusal(errno))
		set_problem(c, file);
	else if (is_there(c, file->path, read == 0 ? 1 : -1) &&
	         !slice_starts_with(strbuf_slice(&text), OUTPUT_SCRIPT_MARKER))
		take_text(strbuf_slice(&text), c->arena, file);
}

/* Python searches a package first. Most packages are installed elsewhere: the modules in those are not
 * searched, because a search takes long on file systems of clusters. */
static const struct included_file *find_module(struct compilation *c, struct slice name,
                                               enum include_form form)
{
	struct arena *arena = c->arena;
	struct included_file *file = ARENA_NEW(arena, struct included_file);
	struct slice parent = path_folder(name);
	file->is_module = true;
	if (form == INCLUDE_MODULE && !slice_eq(parent, SLICE(".")) &&
	    !name_set_has(&c->included.packages, parent))
		return file;
	struct slice path = path_join(arena, compile_folder(c), name);
	if (form != INCLUDE_SCRIPT &&
	    is_there(c, path, tree_find(&c->tree, arena, path, S_IFDIR))) {
		name_set_add(&c->included.packages, name);
		file->path = path_join(arena, path, SLICE("__init__.py"));
		if (form == INCLUDE_MODULE)
			read_module(c, file);
	}
	if (form != INCLUDE_FOLDER && file->notebook == NULL && file->problem.len == 0) {
		file->path = arena_printf(arena, "%.*s.py", SLICE_ARG(path));
		read_module(c, file);
	}
	return file;
}

/* What the compiler asks. */
static const struct included_file *look_up_included(void *data, struct slice name,
                                                    enum include_form form)
{
	struct compilation *c = data;
	bool is_included = form == INCLUDE_NOTEBOOK || form == INCLUDE_TEXT;
	size_t index = name_set_add(&c->included.names, key_of(c->arena, form, name));
	if (index == c->included.found.count)
		vec_push(c->arena, &c->included.found,
		         is_included ? find_included(c, name, form) : find_module(c, name, form));
	return c->included.found.items[index];
}

/* ---- the notebook ---- */

int compile_read(struct compilation *c)
{
	bool is_stdin = path_is_stdin(c->path);
	struct slice name = is_stdin ? SLICE("<stdin>") : c->path;
	/* One that the user names is read wherever it is. */
	bool is_named = is_stdin || (c->found_in.len == 0 && c->tree.limit != TREE_CLOSED);
	struct tree_file opened;
	if (is_named)
		opened.fd = os_open_input(arena_cstr(c->arena, c->path));
	else if (tree_open(&c->tree, c->arena, c->path, &opened) < 0)
		opened.fd = -1;
	if (opened.fd >= 0)
		return read_opened(c, name, NULL, false, !is_named, &opened);
	if (errno == EISDIR) {
		diag_add(&c->diags, DIAG_IO, (struct location){0},
		         "'%.*s' is a folder, not a notebook", SLICE_ARG(name));
		if (!is_stdin)
			diag_hint(&c->diags, DIAG_IO, "name its notebooks: %.*s/*.ipynb",
			          SLICE_ARG(name));
		return -1;
	}
	if (!tree_is_refusal(errno))
		return compile_fail(c, "open", name);
	return diag_add(&c->diags, DIAG_OUTSIDE, (struct location){0},
	                "the notebook is not read: %s", tree_problem(&c->tree, errno));
}

int compile_build(struct compilation *c)
{
	struct arena *arena = c->arena;
	struct included_file *self = NULL;
	c->included = (struct include_files){
	        .names.arena = arena, .identities.arena = arena, .packages.arena = arena};
	struct slice real =
	        path_is_stdin(c->path) ? slice_make("", 0) : os_real_path(arena, c->path);
	if (real.len > 0) {
		self = file_at(c, INCLUDE_NOTEBOOK, real);
		self->path = c->path;
	} else if (!path_is_stdin(c->path) && !os_is_missing(errno)) {
		(void)compile_fail(c, "read", c->path);
	}
	c->options.includes = (struct include_reader){
	        .read = look_up_included,
	        .data = c,
	        .self = self,
	        .cells_most = c->limits.included_cells,
	        .bytes_most = c->limits.included_bytes,
	};
	/* Outputs must not contain a folder of the machine that builds them. */
	c->ir = (struct ir){.notebook_name = path_file(c->notebook.name)};
	ir_build(arena, &c->notebook, slice_make("", 0), &c->options, &c->diags, &c->ir.blocks);
	struct pass_context context = {arena, &c->diags, &c->options, &c->ir};
	ir_run_passes(&context);
	c->scripts.count = 0;
	project_find_needed(c);
	return c->diags.errors > 0 ? -1 : 0;
}

const struct emitted_script *compile_script(struct compilation *c, const struct program *program)
{
	for (size_t i = 0; i < c->scripts.count; i++) {
		if (slice_eq(c->scripts.items[i]->program, program->name))
			return c->scripts.items[i];
	}
	const struct emitted_script *script = emit_python(c->arena, program, LAYOUT_SCRIPT);
	vec_push(c->arena, &c->scripts, script);
	return script;
}
