#include "run/record_results.h"

#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/os.h"
#include "base/paths.h"
#include "base/quote.h"
#include "base/strbuf.h"
#include "diag/message.h"
#include "report/slow_cells.h"
#include "run/experiment.h"
#include "trace/recording_convert.h"
#include "version.h"

/* Prints what is in the directory, and what opens it. */
static int report_results(struct arena *arena, const char *directory, const struct conversion *c)
{
	struct strbuf text, word;
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
		if (c->events < 1000000)
			strbuf_printf(&text, "%llu events", (unsigned long long)c->events);
		else
			strbuf_printf(&text, "%.1f million events", (double)c->events / 1e6);
		strbuf_printf(&text, "; %.*s %.*s/traces.otf2\n",
		              SLICE_ARG(experiment_viewer(arena, true)), SLICE_ARG(quoted));
	}
	if (c->is_profiled)
		strbuf_printf(&text, "profile: %zu call paths; %.*s %.*s/profile.cubex\n",
		              c->measurement.paths.count - PATH_COUNT,
		              SLICE_ARG(experiment_viewer(arena, false)), SLICE_ARG(quoted));
	slow_cells_text(&text, &c->measurement);
	if (!c->is_traced && !c->is_profiled)
		return text.len == 0 ? EXIT_DONE
		                     : message_fail(arena, EXIT_DONE,
		                                    arena_cstr(arena, strbuf_slice(&text)),
		                                    "time in lines of the script: %s/lines.csv",
		                                    directory);
	size_t processes = c->measurement.processes.count, threads = c->measurement.locations.count;
	return message_fail(arena, EXIT_DONE, arena_cstr(arena, strbuf_slice(&text)),
	                    "measured %zu process%s with %zu thread%s: %s", processes,
	                    processes == 1 ? "" : "es", threads, threads == 1 ? "" : "s",
	                    directory);
}

int record_results(struct arena *arena, const char *directory, bool recovers, bool quiet)
{
	struct conversion conversion;
	const char *problem;
	enum { PAUSE = 50000000, PAUSES = 40 }; /* 2 s */
	enum conversion_result result = recording_convert(&conversion, arena, directory, &problem);
	for (int i = 0; result == CONVERSION_RUNNING && i < PAUSES; i++) {
		const struct timespec pause = {.tv_nsec = PAUSE};
		nanosleep(&pause, NULL);
		result = recording_convert(&conversion, arena, directory, &problem);
	}
	switch (result) {
	case CONVERSION_DONE:
		return quiet ? EXIT_DONE : report_results(arena, conversion.directory, &conversion);
	case CONVERSION_NONE:
		if (recovers)
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
		        arena, recovers ? EXIT_SYSTEM : EXIT_DONE,
		        arena_printf(
		                arena,
		                "'nbscorep record --recover %s' converts it when they have ended\n",
		                directory)
		                .ptr,
		        "%u process%s into '%s'", conversion.recording.running,
		        conversion.recording.running == 1 ? " still records" : "es still record",
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

/* ---- the recorder's files ---- */

#define OBJECT "scorep_recorder.so"

struct slice recorder_object(struct arena *arena, struct slice folder)
{
	return path_join(arena, folder, SLICE(OBJECT));
}

struct slice recorder_folder(struct arena *arena)
{
	static const struct slice places[] = {
	        SLICE_INIT(NBSCOREP_LIB_FROM_PROGRAM "/nbscorep/record"), SLICE_INIT("record")};
	struct slice program = os_program_path(arena);
	for (size_t i = 0; program.len > 0 && i < sizeof places / sizeof *places; i++) {
		struct slice folder = path_join(arena, path_folder(program), places[i]);
		if (os_is_file(arena_cstr(arena, recorder_object(arena, folder))))
			return os_real_path(arena, folder);
	}
	return slice_make("", 0);
}
