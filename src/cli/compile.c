#include "cli/compile.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

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

int compile_read(struct compilation *c)
{
	struct slice name = is_stdin(c->path) ? SLICE("<stdin>") : c->path;
	int fd = os_open_input(arena_cstr(c->arena, c->path));
	if (fd < 0) {
		c->system_failed = true;
		diag_add(&c->diags, DIAG_IO, (struct location){0}, "cannot open '%.*s': %s",
		         SLICE_ARG(name), strerror(errno));
		return -1;
	}
	int read_error = 0;
	int status =
	        notebook_read(c->arena, fd, name, &c->limits, &c->diags, &c->notebook, &read_error);
	c->system_failed = read_error != 0;
	if (!is_stdin(c->path))
		close(fd);
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
	needed_files_find(c);
	return c->diags.errors > 0 ? -1 : 0;
}
