#include <string.h>

#include "cli/notebooks.h"
#include "run/submit.h"

static int check_options(struct invocation *invocation)
{
	struct arena *arena = invocation->arena;
	const struct options *options = invocation->options;
	if (options->build.output != NULL && strcmp(options->build.output, "-") == 0)
		return message_usage(arena, "'submit' submits a file; standard output is none");
	if (options->run.report && options->build.no_scorep)
		return message_usage(arena, "'--no-scorep' and '--report' exclude each other");
	for (size_t i = 0; i < options->submit.after.count; i++) {
		if (submit_job_id(options->submit.after.items[i]).len == 0)
			return message_usage(arena, "'--after' requires the id of a job, not '%s'",
			                     options->submit.after.items[i]);
	}
	return build_check_options(invocation);
}

int command_submit(struct invocation *invocation)
{
	const struct options *options = invocation->options;
	struct submit submit = {
	        .arena = invocation->arena,
	        .settings = options->submit,
	        .run = options->run,
	};
	struct session_order order;
	int status = build_check_run(invocation->arena, options, "submit");
	if (status == EXIT_DONE)
		status = check_options(invocation);
	if (status == EXIT_DONE)
		status = notebooks_order(invocation, &order);
	return status == EXIT_DONE ? submit_notebook(&submit, &order) : status;
}
