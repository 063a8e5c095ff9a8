#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/os.h"
#include "base/paths.h"
#include "base/quote.h"
#include "cli/cli.h"
#include "cli/given_command.h"
#include "process/environment.h"
#include "process/launch.h"
#include "report/slow_cells.h"
#include "run/recorder_files.h"
#include "trace/recording_convert.h"

/* ---- the experiment directory ---- */

/* What it is called after: the script, else the program. */
static struct slice command_name(const text_list *words)
{
	for (size_t i = 0; i < words->count; i++) {
		struct slice word = path_file(slice_from(words->items[i]));
		if (slice_ends_with(word, SLICE(".py")) && word.len > 3)
			return slice_sub(word, 0, word.len - 3);
	}
	return path_file(slice_from(words->items[0]));
}

/* SCOREP_OVERWRITE_EXPERIMENT_DIRECTORY, as Score-P reads booleans. */
static bool overwrites(void)
{
	static const struct slice words[] = {SLICE_INIT("true"), SLICE_INIT("yes"),
	                                     SLICE_INIT("on"), SLICE_INIT("1")};
	const char *text = getenv("SCOREP_OVERWRITE_EXPERIMENT_DIRECTORY");
	return text == NULL || text[0] == '\0' ||
	       slice_is_one_of_nocase(slice_from(text), words, sizeof words / sizeof *words);
}

/* An existing directory gets another name first, as under Score-P: its date. */
static void move_aside(struct arena *arena, const char *path)
{
	struct stat status;
	struct tm date;
	char text[64];
	if (stat(path, &status) != 0)
		return;
	localtime_r(&status.st_mtim.tv_sec, &date);
	strftime(text, sizeof text, "-%Y%m%d_%H%M_", &date);
	(void)rename(path,
	             arena_printf(arena, "%s%s%09ld", path, text, status.st_mtim.tv_nsec).ptr);
}

static const char *cannot_make(struct arena *arena, const char *path)
{
	(void)message_fail(arena, EXIT_SYSTEM, "", "cannot make the experiment directory '%s': %s",
	                   path, strerror(errno));
	return NULL;
}

/* Makes a directory with a name that no other run has. Returns NULL with a message if that fails. */
static const char *make_named(struct arena *arena, struct slice name)
{
	time_t now = time(NULL);
	struct tm date;
	char text[64];
	localtime_r(&now, &date);
	strftime(text, sizeof text, "%Y%m%d-%H%M%S", &date);
	for (unsigned number = 1;; number++) {
		struct slice path = arena_printf(arena, "scorep-%.*s-%s", SLICE_ARG(name), text);
		if (number > 1)
			path = arena_printf(arena, "%.*s-%u", SLICE_ARG(path), number);
		if (mkdir(path.ptr, 0777) == 0)
			return path.ptr;
		if (errno != EEXIST)
			return cannot_make(arena, path.ptr);
	}
}

/* Returns the experiment directory, which exists then, or NULL with a message. */
static const char *make_directory(struct arena *arena, const struct options *options)
{
	const char *variable = getenv("SCOREP_EXPERIMENT_DIRECTORY");
	const char *given = options->record.directory;
	if (given == NULL && variable != NULL && variable[0] != '\0')
		given = variable;
	if (given == NULL)
		return make_named(arena, command_name(&options->command));
	if (overwrites())
		move_aside(arena, given);
	return mkdir(given, 0777) == 0 ? given : cannot_make(arena, given);
}

/* ---- the command ---- */

static void set(struct environment *environment, const char *name, struct slice value)
{
	environment_set(environment, slice_from(name), value);
}

/* What the first Python reads (sitecustomize.py, _recorder.py). */
static char **make_environment(struct arena *arena, const struct options *options,
                               const char *directory, struct slice recorder)
{
	struct environment environment;
	environment_init(&environment, arena, environ);
	const char *path = environment_get(&environment, SLICE("PYTHONPATH"));
	struct slice places = recorder;
	if (path != NULL && path[0] != '\0')
		places = arena_printf(arena, "%.*s:%s", SLICE_ARG(recorder), path);
	set(&environment, "PYTHONPATH", places);
	set(&environment, "NBSCOREP_RECORDER", recorder_object(arena, recorder));
	set(&environment, "NBSCOREP_RECORD", os_real_path(arena, slice_from(directory)));
	set(&environment, "NBSCOREP_RECORD_FROM", SLICE("")); /* of a recording around this one */
	if (options->record.children)
		set(&environment, "NBSCOREP_RECORD_CHILDREN", SLICE("yes"));
	if (options->record.tracing)
		set(&environment, "SCOREP_ENABLE_TRACING", SLICE("true"));
	return environment_list(&environment);
}

static void add_size(struct strbuf *out, uint64_t events)
{
	if (events < 1000000)
		strbuf_printf(out, "%llu events", (unsigned long long)events);
	else
		strbuf_printf(out, "%.1f million events", (double)events / 1e6);
}

/* Prints what is in the directory, and what opens it. */
static int report_results(struct arena *arena, const struct options *options, const char *directory,
                          const struct conversion *c)
{
	struct strbuf text, word;
	if (options->record.quiet)
		return EXIT_DONE;
	strbuf_init(&text, arena);
	strbuf_init(&word, arena);
	bash_word(&word, slice_from(directory));
	struct slice quoted = strbuf_slice(&word);
	if (c->gap_error != 0)
		strbuf_printf(&text, "calls are missing from it: %s\n", strerror(c->gap_error));
	if (c->was_killed)
		strbuf_puts(&text,
		            "the process was killed; what it had recorded until then is whole\n");
	if (c->is_traced) {
		strbuf_puts(&text, "trace: ");
		add_size(&text, c->events);
		strbuf_printf(&text, "; open with: vampir %.*s/traces.otf2, or otf2-print\n",
		              SLICE_ARG(quoted));
	}
	if (c->is_profiled)
		strbuf_printf(&text,
		              "profile: %zu call paths; open with: cube %.*s/profile.cubex\n",
		              c->measurement.paths.count - PATH_COUNT, SLICE_ARG(quoted));
	slow_cells_text(&text, &c->measurement);
	size_t processes = c->measurement.processes.count, threads = c->measurement.locations.count;
	return message_fail(arena, EXIT_DONE, arena_cstr(arena, strbuf_slice(&text)),
	                    "measured %zu process%s with %zu thread%s: %s", processes,
	                    processes == 1 ? "" : "es", threads, threads == 1 ? "" : "s",
	                    directory);
}

/* Converts the recording in DIRECTORY. Processes that the command has left get a moment to end. */
static int convert(struct arena *arena, const struct options *options, const char *directory)
{
	struct conversion conversion;
	const char *problem;
	enum { PAUSE = 50000000, PAUSES = 40 }; /* 2 s */
	enum conversion_result result = recording_convert(&conversion, arena, directory, &problem);
	for (int i = 0; result == CONVERSION_RUNNING && !options->record.recover && i < PAUSES;
	     i++) {
		const struct timespec pause = {.tv_nsec = PAUSE};
		nanosleep(&pause, NULL);
		result = recording_convert(&conversion, arena, directory, &problem);
	}
	switch (result) {
	case CONVERSION_DONE:
		return report_results(arena, options, directory, &conversion);
	case CONVERSION_NONE:
		if (options->record.recover)
			return message_fail(arena, EXIT_SYSTEM, "", "'%s' contains no recording",
			                    directory);
		if (recording_exists(arena, slice_from(directory)))
			return message_fail(
			        arena, EXIT_SYSTEM, "",
			        "nothing was recorded in '%s': the recorder could not start",
			        directory);
		(void)rmdir(directory); /* if it is empty */
		return message_fail(arena, EXIT_DONE, "",
		                    "nothing was recorded: the command started no Python, or one "
		                    "with -I, -E or -S");
	case CONVERSION_RUNNING:
		return message_fail(
		        arena, options->record.recover ? EXIT_SYSTEM : EXIT_DONE,
		        arena_printf(
		                arena,
		                "'nbscorep record --recover %s' converts it when they have ended\n",
		                directory)
		                .ptr,
		        "%u processes still record into '%s'", conversion.recording.running,
		        directory);
	case CONVERSION_BUSY:
		return message_fail(arena, EXIT_SYSTEM, "", "another process converts '%s'",
		                    directory);
	case CONVERSION_FAILED:
		break;
	}
	return message_fail(arena, EXIT_SYSTEM, "the recording stays in its folder 'recording'\n",
	                    "cannot convert '%s': %s", directory, problem);
}

static int run_command(struct arena *arena, const struct options *options, struct slice recorder)
{
	struct launch_guard guard;
	struct launch_result result;
	const char *directory = make_directory(arena, options);
	if (directory == NULL)
		return EXIT_SYSTEM;
	const struct launch_order order = {
	        .argv = given_command_words(arena, &options->command),
	        .environment = make_environment(arena, options, directory, recorder),
	        .independent = true};
	launch_guard_begin(&guard);
	int started = launch(&order, &guard, &result), error = errno;
	if (started != 0) {
		launch_guard_end(&guard);
		(void)rmdir(directory);
		return given_command_failed(arena, &options->command, error);
	}
	int converted = convert(arena, options, directory);
	launch_guard_end(&guard);
	int status = given_command_status(result.status);
	return status != 0 ? status : converted;
}

int command_record(struct invocation *invocation)
{
	struct arena *arena = invocation->arena;
	const struct options *options = invocation->options;
	int status = EXIT_DONE;
	if (options->record.recover ? options->command.count > 0 || options->operands.count == 0
	                            : options->command.count == 0 || options->operands.count > 0)
		return message_usage(
		        arena, "'record' requires '-- COMMAND', or --recover and directories");
	for (size_t i = 0; options->record.recover && i < options->operands.count; i++)
		status = exit_worse(status, convert(arena, options, options->operands.items[i]));
	if (options->record.recover)
		return status;
	struct slice recorder = recorder_folder(arena);
	if (recorder.len == 0)
		return message_fail(arena, EXIT_SYSTEM, "'cmake --install' puts it in place\n",
		                    "the recorder is missing beside this nbscorep");
	return run_command(arena, options, recorder);
}
