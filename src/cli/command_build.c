#include <unistd.h>

#include "cli/notebooks.h"
#include "driver/outputs.h"

static void build_notebook(struct compilation *c, void *data)
{
	struct outputs outputs = {0};
	(void)data;
	(void)outputs_build(c, &outputs);
}

int command_build(struct arena *arena, struct options *options)
{
	struct build_settings *settings = &options->build;
	/* A program that says nothing looks as if it did nothing. */
	settings->verbose |= isatty(STDERR_FILENO) && !settings->quiet;
	return notebooks_run(arena, COMMAND_BUILD, options, build_notebook, NULL);
}
