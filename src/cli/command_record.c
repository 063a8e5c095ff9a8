#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/os.h"
#include "base/paths.h"
#include "cli/cli.h"
#include "process/environment.h"
#include "process/launch.h"
#include "run/experiment.h"
#include "scorep/variables.h"

/* ---- the experiment directory ---- */

/* Returns the experiment directory, which exists then, or NULL with a message. Without a name it gets one that no
 * other run has. */
static const char *make_directory(struct arena *arena, const struct options *options)
{
	const char *variable = getenv("SCOREP_EXPERIMENT_DIRECTORY");
	const char *overwrite = getenv("SCOREP_OVERWRITE_EXPERIMENT_DIRECTORY");
	const char *given = options->record.directory, *path;
	bool overwrites = overwrite == NULL || overwrite[0] == '\0' ||
	                  scorep_parse_bool(slice_from(overwrite)) == SCOREP_TRUE; /* as Score-P */
	const text_list *words = &options->command;
	struct stat status;
	time_t now = time(NULL);
	struct tm date;
	char text[64];
	/* In a measured program it is the directory of that measurement, which goes on. */
	bool is_outer = (getenv("NBSCOREP_RECORD") != NULL ||
	                 getenv("SCOREP_PYTHON_BINDINGS_INITIALISED") != NULL) &&
	                variable != NULL && os_is_directory(variable);
	if (given == NULL && !is_outer && variable != NULL && variable[0] != '\0')
		given = variable;
	/* An existing directory gets another name first, as under Score-P: its date. */
	if (given != NULL && overwrites && stat(given, &status) == 0) {
		localtime_r(&status.st_mtim.tv_sec, &date);
		strftime(text, sizeof text, "-%Y%m%d_%H%M_", &date);
		(void)rename(
		        given,
		        arena_printf(arena, "%s%s%09ld", given, text, status.st_mtim.tv_nsec).ptr);
	}
	localtime_r(&now, &date);
	strftime(text, sizeof text, "%Y%m%d-%H%M%S", &date);
	/* It is called after the script, else the program. */
	struct slice called = path_file(slice_from(words->items[0]));
	for (size_t i = words->count; i-- > 0;) {
		struct slice word = path_file(slice_from(words->items[i]));
		if (slice_ends_with(word, SLICE(".py")) && word.len > 3)
			called = slice_sub(word, 0, word.len - 3);
	}
	for (unsigned number = 1;; number++) {
		struct slice name = arena_printf(arena, "scorep-%.*s-%s", SLICE_ARG(called), text);
		if (number > 1)
			name = arena_printf(arena, "%.*s-%u", SLICE_ARG(name), number);
		path = given != NULL ? given : name.ptr;
		if (mkdir(path, 0777) == 0)
			return path;
		if (given != NULL || errno != EEXIST)
			break;
	}
	(void)message_fail(arena, EXIT_SYSTEM, "", "cannot make the experiment directory '%s': %s",
	                   path, strerror(errno));
	return NULL;
}

/* ---- the command ---- */

static int run_command(struct arena *arena, const struct options *options, struct slice recorder)
{
	struct launch_guard guard;
	struct launch_result result;
	const char *directory = make_directory(arena, options);
	if (directory == NULL)
		return EXIT_SYSTEM;
	/* What the first Python reads (sitecustomize.py, _recorder.py). */
	struct environment environment;
	environment_init(&environment, arena);
	const char *path = environment_get(&environment, SLICE("PYTHONPATH"));
	struct slice places = path_folder(recorder);
	if (path != NULL && path[0] != '\0')
		places = arena_printf(arena, "%.*s:%s", SLICE_ARG(places), path);
	environment_set(&environment, SLICE("PYTHONPATH"), places);
	environment_set(&environment, SLICE("NBSCOREP_RECORDER"), recorder);
	environment_set(&environment, SLICE("NBSCOREP_RECORD"),
	                os_real_path(arena, slice_from(directory)));
	/* Of a recording around this one. */
	environment_set(&environment, SLICE("NBSCOREP_RECORD_FROM"), SLICE(""));
	if (options->record.children)
		environment_set(&environment, SLICE("NBSCOREP_RECORD_CHILDREN"), SLICE("yes"));
	if (options->record.tracing)
		environment_set(&environment, SLICE("SCOREP_ENABLE_TRACING"), SLICE("true"));
	const struct launch_order order = {.argv = options->command.items,
	                                   .environment = environment_list(&environment),
	                                   .independent = true};
	launch_guard_begin(&guard);
	int started = launch(&order, &guard, &result), error = errno;
	if (started != 0) {
		launch_guard_end(&guard);
		(void)rmdir(directory);
		return cli_command_failed(arena, &options->command, error);
	}
	int converted = record_results(arena, directory, false, options->record.quiet);
	launch_guard_end(&guard);
	int status = cli_command_status(result.status);
	return status != 0 ? status : converted;
}

int command_record(struct arena *arena, struct options *options)
{
	int status = EXIT_DONE;
	if (options->record.recover ? options->command.count > 0 || options->operands.count == 0
	                            : options->command.count == 0 || options->operands.count > 0)
		return message_usage(
		        arena,
		        "'record' requires either '-- COMMAND' or --recover and directories");
	for (size_t i = 0; options->record.recover && i < options->operands.count; i++)
		status = exit_worse(status, record_results(arena, options->operands.items[i], true,
		                                           options->record.quiet));
	if (options->record.recover)
		return status;
	struct slice recorder = recorder_object(arena);
	if (recorder.len == 0)
		return message_fail(arena, EXIT_SYSTEM, "'cmake --install' puts it in place\n",
		                    "the recorder is missing beside this nbscorep");
	return run_command(arena, options, recorder);
}
