#include <stdlib.h>
#include <unistd.h>

#include "cli/command_build.h"
#include "cli/notebooks.h"
#include "driver/batch.h"
#include "driver/outputs.h"
#include "run/monitor.h"

static void build(struct compilation *c, const struct build_settings *settings, void *data)
{
	struct outputs outputs = {0};
	(void)data;
	(void)outputs_build(c, settings, &outputs);
}

static int check_launch_options(struct arena *arena, const struct build_settings *settings)
{
	if (settings->launcher != NULL &&
	    settings->launcher[strspn(settings->launcher, " \t\n")] == '\0')
		return message_usage(arena, "'--launcher' is empty");
	if (settings->launcher != NULL && settings->tag_output)
		return message_usage(arena,
		                     "'--tag-output' is for a launcher that is found; give '%s' "
		                     "its own option",
		                     settings->launcher);
	return EXIT_DONE;
}

static int check_modules(struct invocation *invocation)
{
	const text_list *modules = &invocation->options->build.instrument_modules;
	for (size_t i = 0; i < modules->count; i++) {
		if (!build_option_is_module(slice_from(modules->items[i])))
			return message_usage(invocation->arena,
			                     "'--instrument-module' requires a module's name, not "
			                     "'%s'",
			                     modules->items[i]);
	}
	return EXIT_DONE;
}

int build_check_run(struct arena *arena, const struct options *options, const char *command)
{
	const struct optional_text *monitor = &options->run.monitor;
	int64_t interval;
	for (size_t i = 0; i < options->operands.count && options->operands.count > 1; i++) {
		const char *word = options->operands.items[i];
		if (monitor->given && monitor->text == NULL && access(word, F_OK) != 0)
			return message_usage(
			        arena, "cannot open notebook '%s'; did you mean '--monitor=%s'?",
			        word, word);
	}
	if (options->operands.count > 1)
		return message_usage(arena,
		                     "'%s' requires one notebook; '--' comes before the "
		                     "script's arguments",
		                     command);
	if (options->build.no_scorep && options->run.if_available)
		return message_usage(arena,
		                     "'--no-scorep' and '--if-available' exclude each other");
	const char *file = options->run.executed.text != NULL ? "--executed=FILE"
	                   : options->run.html.text != NULL   ? "--html=FILE"
	                                                      : NULL;
	if (options->build.sweep.given && file != NULL) /* each set has its own */
		return message_usage(arena, "'--sweep' and '%s' exclude each other", file);
	return monitor->text == NULL
	               ? EXIT_DONE
	               : monitor_read_interval(arena, "--monitor", monitor->text, &interval);
}

int build_check_options(struct invocation *invocation)
{
	const struct build_settings *settings = &invocation->options->build;
	size_t notebooks = invocation->options->operands.count;
	bool to_stdout = settings->output != NULL && strcmp(settings->output, "-") == 0;
	bool one_file = settings->output != NULL || settings->depfile_path != NULL ||
	                settings->source_map.text != NULL;
	if (notebooks > 1 && one_file)
		return message_usage(invocation->arena,
		                     "one output file is named, but %zu notebooks are given; use "
		                     "--output-dir",
		                     notebooks);
	if (settings->output != NULL && settings->output_dir != NULL)
		return message_usage(invocation->arena,
		                     "'--output' and '--output-dir' exclude each other");
	if ((settings->output != NULL && settings->output[0] == '\0') ||
	    (settings->output_dir != NULL && settings->output_dir[0] == '\0') ||
	    (settings->depfile_path != NULL && settings->depfile_path[0] == '\0'))
		return message_usage(invocation->arena, "an output's name is empty");
	if (to_stdout &&
	    (settings->depfile || settings->depfile_path != NULL || settings->source_map.given))
		return message_usage(invocation->arena,
		                     "'-MD' and '--source-map' describe a file, but the script "
		                     "goes to standard output");
	int status = check_launch_options(invocation->arena, settings);
	if (status == EXIT_DONE)
		status = batch_check_options(invocation->arena, settings);
	return status == EXIT_DONE ? check_modules(invocation) : status;
}

int command_build(struct invocation *invocation)
{
	int status = build_check_options(invocation);
	if (status != EXIT_DONE)
		return status;
	/* A program that says nothing looks as if it did nothing. */
	struct options options = *invocation->options;
	options.build.verbose |= isatty(STDERR_FILENO) && !options.build.quiet;
	struct invocation own = *invocation;
	own.options = &options;
	return notebooks_run(&own, STDERR_FILENO, build, NULL);
}
