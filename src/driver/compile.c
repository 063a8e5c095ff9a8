#include "driver/compile.h"

#include <errno.h>
#include <string.h>

#include "base/os.h"
#include "base/paths.h"
#include "driver/needed_files.h"
#include "driver/project.h"
#include "emit/script.h"
#include "ir/build/builder.h"
#include "ir/passes.h"

struct slice compile_program_name(struct slice path)
{
	if (path_is_stdin(path))
		return SLICE("notebook");
	struct slice name = path_file(path);
	if (name.len > 6 &&
	    slice_eq_nocase(slice_sub(name, name.len - 6, name.len), SLICE(".ipynb")))
		name = slice_sub(name, 0, name.len - 6);
	return name;
}

struct reading {
	struct compilation *compilation;
	struct slice name;
	bool found; /* FILE is set */
	struct tree_file file;
	int error; /* errno where reading failed */
};

static int read_notebook(int fd, void *data)
{
	struct reading *reading = data;
	struct compilation *c = reading->compilation;
	if (reading->found)
		project_hide(c->hidden, slice_make("", 0), &reading->file);
	return notebook_read(c->arena, fd, reading->name, &c->limits, &c->diags, &c->notebook,
	                     &reading->error);
}

/* One that the user names is read wherever it is. */
static int open_notebook(struct compilation *c, struct reading *reading)
{
	bool is_named = c->found_in.len == 0 && c->tree.limit != TREE_CLOSED;
	if (is_named || path_is_stdin(c->path))
		return os_open_input(arena_cstr(c->arena, c->path));
	if (tree_open(&c->tree, c->arena, c->path, &reading->file) < 0)
		return -1;
	reading->found = true;
	return reading->file.fd;
}

static void report_unopened(struct compilation *c, struct slice name, int error)
{
	if (tree_is_refusal(error)) {
		diag_add(&c->diags, DIAG_OUTSIDE, (struct location){0},
		         "the notebook is not read: %s", tree_problem(&c->tree, error));
		return;
	}
	c->system_failed = true;
	if (error == EISDIR) {
		diag_add(&c->diags, DIAG_IO, (struct location){0},
		         "'%.*s' is a folder, not a notebook", SLICE_ARG(name));
		if (!path_is_stdin(c->path))
			diag_hint(&c->diags, DIAG_IO, "name its notebooks: %.*s/*.ipynb",
			          SLICE_ARG(name));
		return;
	}
	diag_add(&c->diags, DIAG_IO, (struct location){0}, "cannot open '%.*s': %s",
	         SLICE_ARG(name), strerror(error));
}

int compile_read(struct compilation *c)
{
	struct slice name = path_is_stdin(c->path) ? SLICE("<stdin>") : c->path;
	struct reading reading = {.compilation = c, .name = name};
	int fd = open_notebook(c, &reading);
	if (fd < 0) {
		report_unopened(c, name, errno);
		return -1;
	}
	int status = os_use_descriptor(c->arena, fd, read_notebook, &reading);
	c->system_failed = reading.error != 0;
	return status;
}

int compile_build(struct compilation *c, const struct ir_options *options)
{
	struct ir_options including = *options;
	c->diags.hidden = c->hidden;
	c->included = (struct include_files){.arena = c->arena,
	                                     .diags = &c->diags,
	                                     .limits = &c->limits,
	                                     .tree = &c->tree,
	                                     .hidden = c->hidden};
	include_files_init(&c->included, c->path);
	including.includes = include_files_reader(&c->included);
	ir_build(c->arena, &c->notebook, &including, &c->diags, &c->ir);
	struct pass_context context = {c->arena, &c->diags, &including, &c->ir};
	ir_run_passes(&context);
	c->system_failed |= c->included.system_failed;
	c->scripts.count = 0;
	needed_files_find(c);
	return c->diags.errors > 0 ? -1 : 0;
}

struct slice compile_folder(const struct compilation *c)
{
	return path_is_stdin(c->path) ? SLICE(".") : path_folder(c->path);
}

struct slice compile_notebook_name(const struct compilation *c)
{
	return path_is_stdin(c->path) ? SLICE("standard input") : path_file(c->path);
}

const struct compiled_script *compile_script(struct compilation *c, const struct program *program)
{
	const struct emit_names names = {.notebook = compile_notebook_name(c)};
	for (size_t i = 0; i < c->scripts.count; i++) {
		if (slice_eq(c->scripts.items[i]->program, program->name))
			return c->scripts.items[i];
	}
	struct compiled_script *script = ARENA_NEW(c->arena, struct compiled_script);
	script->program = program->name;
	emit_python(c->arena, program, &names, LAYOUT_SCRIPT, &script->parts, &script->map);
	/* NOLINTNEXTLINE(bugprone-sizeof-expression): a list of pointers */
	vec_push(c->arena, &c->scripts, script);
	return script;
}
