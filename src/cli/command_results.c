/* `nbscorep results`: the runtime package reads the notebooks (templates/scorep_notebook/results.py), since
 * it also completes those whose run was killed. */
#include <unistd.h>

#include "base/json_writer.h"
#include "base/os.h"
#include "cli/cli.h"
#include "driver/outputs.h"
#include "driver/python.h"
#include "process/launch.h"

/* Runs the package in FOLDER, and returns the exit status. */
static int run_package(struct arena *arena, const struct options *options,
                       const struct launch_guard *guard, struct slice folder)
{
	struct launch_result result;
	static const char *const formats[] = {"text", "text", "json", "csv"};
	const char *python = python_find(arena, NULL, NULL);
	/* What results.py takes. */
	struct strbuf order = {.arena = arena};
	struct json_writer json = {.out = &order};
	json_put(&json, "{'format': ?, 'sort': ?, 'paths': [", J(formats[options->format]),
	         J(options->sort));
	for (size_t i = 0; i < options->operands.count; i++)
		json_put(&json, "?", J(options->operands.items[i]));
	json_put(&json, "]}");
	const char *argv[] = {
	        python,
	        "-I",
	        "-S",
	        arena_cstr(arena, folder),
	        arena_printf(arena, "--results=%.*s", SLICE_ARG(strbuf_slice(&order))).ptr,
	        NULL};
	const struct launch_order launched = {.argv = argv, .environment = environ};
	if (launch(&launched, guard, &result) != 0)
		return message_fail(arena, EXIT_SYSTEM, "", "cannot start '%s': %s", python,
		                    strerror(errno));
	return cli_command_status(result.status);
}

int command_results(struct arena *arena, struct options *options)
{
	struct launch_guard guard;
	if (options->operands.count == 0)
		return message_usage(arena, "'results' requires a notebook or folder");
	launch_guard_begin(&guard);
	const char *scratch = scratch_make(arena);
	struct slice folder = {0};
	int status = EXIT_SYSTEM;
	if (scratch != NULL)
		folder = package_path(arena, slice_from(scratch));
	if (scratch == NULL || package_write(arena, folder) < 0)
		message_fail(arena, 0, "", "cannot write a temporary folder in '%s': %s",
		             scratch_place(), strerror(errno));
	else
		status = run_package(arena, options, &guard, folder);
	if (scratch != NULL)
		(void)scratch_remove(scratch);
	launch_guard_end(&guard);
	return status;
}
