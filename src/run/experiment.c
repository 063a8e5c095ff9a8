#include "run/experiment.h"

#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/os.h"
#include "base/paths.h"
#include "base/quote.h"
#include "diag/message.h"
#include "process/environment.h"
#include "report/report_profile.h"
#include "trace/cubex_read.h"
#include "trace/recording_convert.h"
#include "trace/recording_read.h"
#include "version.h"

/* True if the file PATH begins like an anchor of OTF2, which is written last: one that Score-P was writing when it
 * was killed cannot be opened. */
static bool complete_traces(const char *path)
{
	enum { FIRST = 16 };
	char front[FIRST];
	long len = os_read_own_front(path, front, sizeof front);
	return len > 0 && memmem(front, (size_t)len, "OTF2", 4) != NULL;
}

/* ---- a recording ---- */

struct slice experiment_viewer(struct arena *arena, bool is_trace)
{
	static const char *const viewers[][2] = {{"cube", "cube_stat"}, {"vampir", "otf2-print"}};
	struct environment users;
	environment_init(&users, arena);
	for (size_t i = 0; i < 2; i++) {
		if (environment_find_program(&users, viewers[is_trace][i]) != NULL)
			return arena_printf(arena, "open with: %s", viewers[is_trace][i]);
	}
	return arena_printf(arena, "open elsewhere with: %s", viewers[is_trace][0]);
}

/* Prints what is in the directory, and what opens it. */
static int report_results(struct arena *arena, const char *directory, const struct conversion *c)
{
	const struct recording *r = &c->recording;
	const struct measurement *m = &r->measurement;
	size_t processes = m->processes.count, threads = m->locations.count;
	size_t paths = m->paths.count - PATH_COUNT;
	struct strbuf text = {.arena = arena}, word = {.arena = arena};
	bash_word(&word, slice_from(directory));
	struct slice quoted = strbuf_slice(&word);
	if (c->gap_error != 0)
		strbuf_printf(&text, "calls are missing from it: %s\n", strerror(c->gap_error));
	if (r->processes.items[0].head.ended == RECORDING_UNENDED)
		strbuf_puts(&text, "the process was killed, or called os._exit(); what it had "
		                   "recorded until then is whole\n");
	if (r->tracing)
		strbuf_printf(&text, "trace: %llu events; %.*s %.*s/traces.otf2\n",
		              (unsigned long long)c->events,
		              SLICE_ARG(experiment_viewer(arena, true)), SLICE_ARG(quoted));
	if (r->profiling)
		strbuf_printf(&text, "profile: %zu call path%s; %.*s %.*s/profile.cubex\n", paths,
		              paths == 1 ? "" : "s", SLICE_ARG(experiment_viewer(arena, false)),
		              SLICE_ARG(quoted));
	report_slow_cells(&text, m);
	const char *rest = arena_cstr(arena, strbuf_slice(&text));
	if (r->tracing || r->profiling)
		message_fail(arena, 0, rest, "measured %zu process%s with %zu thread%s: %s",
		             processes, processes == 1 ? "" : "es", threads,
		             threads == 1 ? "" : "s", directory);
	else if (text.len > 0)
		message_fail(arena, 0, rest, "time in lines of the script: %s/lines.csv",
		             directory);
	return EXIT_DONE;
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
		return quiet ? EXIT_DONE : report_results(arena, directory, &conversion);
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

/* ---- the directory ---- */

#define RANK_PREFIX SLICE("rank-")

/* What the file `measurement` has, and whether its directory is the run's. */
struct said {
	char text[PATH_MAX + 256];
	bool measured;
	struct slice directory; /* ends with a NUL */
	bool is_made;           /* by the run */
};

static void said_read(struct said *said, const char *folder)
{
	char path[PATH_MAX];
	struct slice name, older; /* the inode of the directory if it existed before, or 0 */
	struct stat status;
	said->measured = said->is_made = false;
	if (snprintf(path, sizeof path, "%s/measurement", folder) >= PATH_MAX)
		return;
	long size = os_read_front(path, said->text, sizeof said->text - 1);
	if (size <= 0)
		return;
	said->text[size] = '\0';
	struct slice rest = slice_make(said->text, (size_t)size);
	if (!slice_next_line(&rest, &name) || !slice_next_line(&rest, &said->directory) ||
	    !slice_next_line(&rest, &older))
		return;
	said->text[said->directory.ptr - said->text + (long)said->directory.len] = '\0';
	said->measured = !slice_eq(name, SLICE("none"));
	said->is_made = said->directory.len > 0 && stat(said->directory.ptr, &status) == 0 &&
	                S_ISDIR(status.st_mode) && status.st_ino != strtoull(older.ptr, NULL, 10);
}

long long experiment_growth(void *data)
{
	const char *const *folder = data;
	struct said said;
	said_read(&said, *folder);
	return said.is_made ? os_tree_size(said.directory.ptr, 0) : 0;
}

/* The size of a result of Score-P, or -1 if it is missing or incomplete. */
static long long size_of_result(struct arena *arena, struct experiment *out, const char *name,
                                bool (*is_complete)(const char *path))
{
	const char *path = arena_printf(arena, "%.*s/%s", SLICE_ARG(out->results), name).ptr;
	long long size = os_tree_size(path, 0);
	if (size < 0 || is_complete(path))
		return size;
	out->has_part = true;
	return -1;
}

bool experiment_read(struct arena *arena, const char *folder, bool quiet, struct experiment *out)
{
	static const char *const beside[] = {"traces.def", "traces"};
	struct said said;
	struct os_names names = {0};
	long lowest = LONG_MAX;
	*out = (struct experiment){.profile = -1, .traces = -1};
	said_read(&said, folder);
	if (!said.measured || !said.is_made)
		return said.measured;
	out->path = out->results = arena_dup(arena, said.directory);
	if (recording_exists(arena, out->path))
		(void)record_results(arena, said.directory.ptr, true, quiet);
	/* The directories of ranks, and that of the lowest rank. */
	(void)os_list_folder(arena, said.directory.ptr, &names);
	for (size_t i = 0; i < names.list.count; i++) {
		struct slice name = names.list.items[i], path = path_join(arena, out->path, name);
		if (!slice_starts_with(name, RANK_PREFIX) ||
		    !os_is_directory(arena_cstr(arena, path)))
			continue;
		long rank = strtol(name.ptr + RANK_PREFIX.len, NULL, 10);
		if (out->ranks++ == 0 || rank < lowest) {
			lowest = rank;
			out->results = path;
		}
	}
	out->size = os_tree_size(arena_printf(arena, "%s/.", said.directory.ptr).ptr, 0);
	out->profile = size_of_result(arena, out, "profile.cubex", cubex_is_complete);
	out->traces = size_of_result(arena, out, "traces.otf2", complete_traces);
	/* traces.otf2 only describes the files beside it. */
	for (size_t i = 0; out->traces >= 0 && i < sizeof beside / sizeof *beside; i++) {
		struct slice path = path_join(arena, out->results, slice_from(beside[i]));
		long long size = os_tree_size(arena_cstr(arena, path), 0);
		out->traces += size > 0 ? size : 0;
	}
	return true;
}

/* ---- the recorder's files ---- */

struct slice recorder_object(struct arena *arena)
{
	static const struct slice places[] = {
	        SLICE_INIT(NBSCOREP_LIB_FROM_PROGRAM "/nbscorep/record/scorep_recorder.so"),
	        SLICE_INIT("record/scorep_recorder.so")};
	struct slice program = os_program_path(arena);
	for (size_t i = 0; program.len > 0 && i < sizeof places / sizeof *places; i++) {
		struct slice object = path_join(arena, path_folder(program), places[i]);
		if (os_is_file(arena_cstr(arena, object)))
			return os_real_path(arena, object);
	}
	return slice_make("", 0);
}
