
#include "cli/notebooks.h"
#include "run/submit.h"

int command_submit(struct arena *arena, struct options *options)
{
	if (build_check_run(arena, COMMAND_SUBMIT, options) != EXIT_DONE)
		return EXIT_USAGE;
	if (options->build.output != NULL && strcmp(options->build.output, "-") == 0)
		return message_usage(arena, "'submit' submits a file; standard output is none");
	for (size_t i = 0; i < options->submit.after.count; i++) {
		if (submit_job_id(options->submit.after.items[i]).len == 0)
			return message_usage(arena, "'--after' requires the id of a job, not '%s'",
			                     options->submit.after.items[i]);
	}
	int status = notebooks_check(arena, COMMAND_SUBMIT, options);
	return status == EXIT_DONE ? submit_notebook(arena, options) : status;
}
