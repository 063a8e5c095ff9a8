#include "cli/notebooks.h"

#include <unistd.h>

#include "base/suggest.h"
#include "driver/batch.h"
#include "run/monitor.h"

static int unknown_switch(struct arena *arena, const char *text)
{
	struct slice names[DIAG_KIND_COUNT];
	for (int i = 0; i < DIAG_KIND_COUNT; i++)
		names[i] = slice_from(diag_row((enum diag_kind)i)->name);
	struct slice name = slice_from(text), equals = slice_tail(name, slice_find(name, '=', 0));
	if (equals.len > 0)
		name = slice_tail(equals, 1);
	else
		(void)slice_cut_prefix(&name, SLICE("no-"));
	struct slice near = suggest(name, names, DIAG_KIND_COUNT);
	if (diag_by_name(name) != DIAG_KIND_COUNT)
		return message_usage(arena, "'-W%s' is not possible: '%.*s' is always an error",
		                     text, SLICE_ARG(name));
	return message_usage(arena, "unknown switch '-W%s'; %s%.*s%s", text,
	                     near.len > 0 ? "did you mean '" : "'-Whelp' lists them",
	                     SLICE_ARG(near), near.len > 0 ? "'?" : "");
}

static int check_usage(struct arena *arena, enum command_id command, const struct options *options)
{
	const char *config = options->build.config_path;
	if (options->operands.count == 0)
		return message_usage(arena, "'%s' requires a notebook%s",
		                     command_rows[command].name,
		                     options->run.arguments.count == 0
		                             ? ""
		                             : "; arguments after '--' are the script's");
	if (options->build.verify && options->build.no_verify)
		return message_usage(arena, "'--verify' and '--no-verify' exclude each other");
	for (size_t i = 0; i < options->build.set.count; i++) {
		if (strchr(options->build.set.items[i], '=') == NULL)
			return message_usage(arena, "'--set' requires KEY=VALUE, not '%s'",
			                     options->build.set.items[i]);
	}
	/* Standard input may be the notebook. */
	if (config != NULL && strcmp(config, "-") == 0)
		return message_usage(arena, "'--config' requires a file");
	return EXIT_DONE;
}

/* ---- options of a build ---- */

int build_check_run(struct arena *arena, enum command_id command, const struct options *options)
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
		                     command_rows[command].name);
	if (options->build.no_scorep && options->run.if_available)
		return message_usage(arena,
		                     "'--no-scorep' and '--if-available' exclude each other");
	if (options->build.no_scorep && options->run.report)
		return message_usage(arena, "'--no-scorep' and '--report' exclude each other");
	const char *file = options->run.executed.text != NULL ? "--executed=FILE"
	                   : options->run.html.text != NULL   ? "--html=FILE"
	                                                      : NULL;
	if (options->build.sweep.given && file != NULL) /* each set has its own */
		return message_usage(arena, "'--sweep' and '%s' exclude each other", file);
	return monitor_read_interval(arena, "--monitor", monitor->text, &interval);
}

/* Of a build that writes files. */
static int build_check_options(struct arena *arena, const struct options *options)
{
	const struct build_settings *settings = &options->build;
	const text_list *modules = &settings->instrument_modules;
	size_t notebooks = options->operands.count;
	bool to_stdout = settings->output != NULL && strcmp(settings->output, "-") == 0;
	bool one_file = settings->output != NULL || settings->depfile_path != NULL ||
	                settings->source_map.text != NULL;
	if (notebooks > 1 && one_file)
		return message_usage(arena,
		                     "one output file is named, but %zu notebooks are given; use "
		                     "--output-dir",
		                     notebooks);
	if (settings->output != NULL && settings->output_dir != NULL)
		return message_usage(arena, "'--output' and '--output-dir' exclude each other");
	if (to_stdout &&
	    (settings->depfile || settings->depfile_path != NULL || settings->source_map.given))
		return message_usage(arena,
		                     "'-MD' and '--source-map' describe a file, but the script "
		                     "goes to standard output");
	if (settings->launcher != NULL &&
	    settings->launcher[strspn(settings->launcher, " \t\n")] == '\0')
		return message_usage(arena, "'--launcher' is empty");
	if (settings->launcher != NULL && settings->tag_output)
		return message_usage(arena,
		                     "'--tag-output' is for a launcher that is found; give '%s' "
		                     "its own option",
		                     settings->launcher);
	int status = batch_check_options(arena, settings);
	for (size_t i = 0; status == EXIT_DONE && i < modules->count; i++) {
		if (!build_option_is_module(slice_from(modules->items[i])))
			status = message_usage(
			        arena, "'--instrument-module' requires a module's name, not '%s'",
			        modules->items[i]);
	}
	return status;
}

/* ---- sessions ---- */

int notebooks_check(struct arena *arena, enum command_id command, struct options *options)
{
	struct diags trial;
	options->build.purpose = command == COMMAND_RUN      ? BUILD_TO_RUN
	                         : command == COMMAND_SUBMIT ? BUILD_TO_SUBMIT
	                         : command == COMMAND_BUILD  ? BUILD_TO_WRITE
	                         : command == COMMAND_CHECK  ? BUILD_TO_REPORT
	                                                     : BUILD_TO_DUMP;
	options->color = cli_wants_color(options, STDERR_FILENO) ? COLOR_ALWAYS : COLOR_NEVER;
	int status = EXIT_DONE;
	if (options->build.purpose >= BUILD_TO_WRITE)
		status = build_check_options(arena, options);
	if (status == EXIT_DONE)
		status = check_usage(arena, command, options);
	diags_init(&trial, arena);
	for (size_t i = 0; status == EXIT_DONE && i < options->warnings.count; i++) {
		if (diags_switch(&trial, slice_from(options->warnings.items[i])) < 0)
			status = unknown_switch(arena, options->warnings.items[i]);
	}
	return status;
}

int notebooks_run(struct arena *arena, enum command_id command, struct options *options,
                  session_action *action, void *data)
{
	int status = notebooks_check(arena, command, options);
	return status == EXIT_DONE ? session_run(arena, options, action, data) : status;
}
