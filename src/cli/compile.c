#include "cli/compile.h"

#include <errno.h>
#include <string.h>

#include "base/os.h"
#include "base/paths.h"
#include "cli/needed_files.h"
#include "ir/pass.h"

static bool is_stdin(struct slice path)
{
	return slice_eq(path, SLICE("-"));
}

struct slice compile_program_name(struct slice path)
{
	if (is_stdin(path))
		return SLICE("notebook");
	struct slice name = path_file(path);
	if (slice_ends_with(name, SLICE(".ipynb")) && name.len > 6)
		name = slice_sub(name, 0, name.len - 6);
	return name;
}

struct reading {
	struct compilation *compilation;
	struct slice name;
	bool opened;
	int error; /* errno where reading failed */
};

static int read_notebook(int fd, void *data)
{
	struct reading *reading = data;
	struct compilation *c = reading->compilation;
	reading->opened = true;
	return notebook_read(c->arena, fd, reading->name, &c->limits, &c->diags, &c->notebook,
	                     &reading->error);
}

int compile_read(struct compilation *c)
{
	struct slice name = is_stdin(c->path) ? SLICE("<stdin>") : c->path;
	struct reading reading = {.compilation = c, .name = name};
	int status =
	        os_with_input(c->arena, arena_cstr(c->arena, c->path), read_notebook, &reading);
	c->system_failed = reading.error != 0;
	if (!reading.opened) {
		c->system_failed = true;
		diag_add(&c->diags, DIAG_IO, (struct location){0}, "cannot open '%.*s': %s",
		         SLICE_ARG(name), strerror(errno));
	}
	return status;
}

int compile_build(struct compilation *c, const struct ir_options *options)
{
	struct ir_options including = *options;
	include_files_init(&c->included, c->arena, &c->diags, c->path, &c->limits);
	including.includes = include_files_reader(&c->included);
	ir_build(c->arena, &c->notebook, &including, &c->diags, &c->ir);
	struct pass_context context = {c->arena, &c->diags, &including, &c->ir};
	ir_run_passes(&context);
	c->system_failed |= c->included.system_failed;
	needed_files_find(c);
	return c->diags.errors > 0 ? -1 : 0;
}
