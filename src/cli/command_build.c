#include <unistd.h>

#include "base/os.h"
#include "cli/outputs.h"
#include "cli/session.h"

static void say(struct compilation *c, const struct outputs *outputs, const char *verb, int fd)
{
	for (size_t i = 0; i < outputs->files.count; i++) {
		struct slice line =
			arena_printf(c->arena, "%s %s\n", verb, outputs->files.items[i].path);
		if (os_write_all(fd, line) < 0)
			c->system_failed = true;
	}
}

static void build(struct compilation *c, const struct options *options)
{
	struct outputs outputs = {0};
	if (outputs_make(c, options, &outputs) < 0)
		return;
	if (options->dry_run) {
		say(c, &outputs, "would write", STDOUT_FILENO);
		return;
	}
	if (outputs_write(c, &outputs, options->force) == 0 && options->verbose)
		say(c, &outputs, "wrote", STDERR_FILENO);
}

int command_build(struct invocation *invocation)
{
	const struct options *options = invocation->options;
	if (options->operands.count > 1 &&
	    (options->output != NULL || options->depfile_path != NULL))
		return cli_usage_error(invocation->arena,
		                       "one output file is named, but %zu notebooks are given; use "
		                       "--output-dir",
		                       options->operands.count);
	if (options->output != NULL && options->output_dir != NULL)
		return cli_usage_error(invocation->arena,
		                       "'--output' and '--output-dir' exclude each other");
	return session_run(invocation, STDERR_FILENO, build);
}
