#include "trace/recording_convert.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/os.h"
#include "base/os_put.h"
#include "base/paths.h"
#include "trace/cubex_write.h"
#include "trace/measurement_read.h"
#include "trace/otf2_write.h"

static const char manifest[] =
        "# Experiment directory overview\n\n"
        "nbscorep's recorder has written this directory (nbscorep-experiment(5)):\n\n"
        "   * `profile.cubex`  the profile, which Cube opens\n"
        "   * `traces.otf2`    the trace, with `traces.def` and `traces/`, which Vampir and "
        "otf2-print open\n"
        "   * `lines.csv`      the time in lines of the script, sampled\n"
        "   * `script.py`      the script as it ran\n"
        "   * `scorep.cfg`     the settings\n"
        "   * `recording/`     until it is converted: what the processes have recorded\n";

static const char *in_directory(struct arena *arena, const char *directory, const char *name)
{
	return arena_cstr(arena, path_join(arena, slice_from(directory), slice_from(name)));
}

/* Removes the recording, which has two levels of folders. It gets another name first, because what a kill leaves of it
 * must not be converted again. It stays as it is if it cannot be listed, and so do processes that began later. */
static void remove_recording(const struct recording *recording)
{
	struct arena *arena = recording->measurement.arena;
	VECTOR(const char *) paths = {0};
	const char *folder = arena_cstr(arena, recording->folder);
	const char *converted = arena_printf(arena, "%s.converted", folder).ptr;
	for (size_t i = 0; i < recording->names.list.count; i++) {
		struct os_names files = {0};
		const char *name = arena_cstr(arena, recording->names.list.items[i]);
		if (os_list_folder(arena, in_directory(arena, folder, name), &files) != 0)
			return;
		const char *process = in_directory(arena, converted, name);
		for (size_t j = 0; j < files.list.count; j++)
			vec_push(arena, &paths,
			         in_directory(arena, process,
			                      arena_cstr(arena, files.list.items[j])));
		vec_push(arena, &paths, process);
	}
	if (rename(folder, converted) != 0)
		return;
	for (size_t i = 0; i < paths.count; i++)
		(void)remove(paths.items[i]);
	if (rmdir(converted) != 0)
		(void)rename(converted, folder);
}

/* Returns NULL, or what is wrong, as the functions below. */
static const char *write_file(struct arena *arena, const char *directory, const char *name,
                              struct slice text)
{
	const struct os_file file = {
	        .path = in_directory(arena, directory, name), .text = text, .mode = 0666};
	const struct os_file *failed;
	return os_put_files(arena, &file, 1, &failed) == 0 ? NULL : strerror(errno);
}

/* Writes lines.csv, and copies the script whose lines were sampled, unless it has changed since it began. */
static const char *write_lines(const struct recording *r, const char *directory)
{
	const struct measurement *m = &r->measurement;
	struct strbuf lines = {.arena = m->arena}, script = {.arena = m->arena};
	const char *path = arena_cstr(m->arena, m->script);
	struct stat status;
	strbuf_puts(&lines, LINES_HEAD "\n");
	vec_each(const struct recording_line, line, &m->lines) {
		const struct line_time *time = &line->time;
		strbuf_printf(&lines, "%u,%u,%.6f,%.6f,%.6f,%.6f,%.6f\n", line->outer, line->inner,
		              (double)time->total / 1e9, (double)time->cpu / 1e9,
		              (double)time->native / 1e9, (double)time->delay / 1e9,
		              (double)time->lock / 1e9);
	}
	const char *problem = write_file(m->arena, directory, "lines.csv", strbuf_slice(&lines));
	if (problem != NULL || stat(path, &status) != 0 || !S_ISREG(status.st_mode) ||
	    status.st_mtim.tv_sec > r->processes.items[0].head.first.since_1970 / 1000000000 ||
	    os_read_file(path, &script, SCRIPT_LIMIT) != 0)
		return problem;
	return write_file(m->arena, directory, SCRIPT_COPY, strbuf_slice(&script));
}

static const char *write_results(struct conversion *c, const char *directory)
{
	const struct recording *r = &c->recording;
	struct arena *arena = r->measurement.arena;
	const char *problem = NULL;
	if (r->tracing) {
		/* What an earlier conversion has left goes. */
		struct os_names names = {0};
		const char *folder = in_directory(arena, directory, "traces");
		(void)unlink(in_directory(arena, directory, "traces.otf2"));
		(void)unlink(in_directory(arena, directory, "traces.def"));
		if (os_list_folder(arena, folder, &names) == 0) {
			for (size_t i = 0; i < names.list.count; i++)
				(void)unlink(in_directory(arena, folder,
				                          arena_cstr(arena, names.list.items[i])));
			(void)rmdir(folder);
		}
		problem = otf2_write(arena, directory, r, &c->events);
	}
	if (problem == NULL && r->profiling)
		problem = write_file(arena, directory, "profile.cubex",
		                     cubex_write(arena, &r->measurement));
	if (problem == NULL && r->measurement.lines.count > 0)
		problem = write_lines(r, directory);
	if (problem != NULL || (!r->tracing && !r->profiling)) /* the directory is Score-P's */
		return problem;
	struct slice settings =
	        arena_printf(arena, "SCOREP_ENABLE_PROFILING=%s\nSCOREP_ENABLE_TRACING=%s\n",
	                     r->profiling ? "true" : "false", r->tracing ? "true" : "false");
	problem = write_file(arena, directory, "scorep.cfg", settings);
	return problem != NULL ? problem
	                       : write_file(arena, directory, "MANIFEST.md", SLICE(manifest));
}

static enum conversion_result convert_recording(struct conversion *c, struct arena *arena,
                                                const char *directory, const char **problem)
{
	const struct recording *r = &c->recording;
	const struct measurement *m = &r->measurement;
	if (recording_read(&c->recording, arena, slice_from(directory)) != 0) {
		*problem = strerror(errno);
		return CONVERSION_FAILED;
	}
	if (r->running > 0)
		return CONVERSION_RUNNING;
	bool calls_count = r->tracing || r->profiling;
	if (r->processes.count == 0 ||
	    (m->locations.count == 0 && calls_count && m->lines.count == 0))
		return CONVERSION_NONE;
	for (size_t i = 0; i < r->processes.count; i++) {
		if (r->processes.items[i].head.gap_error != 0)
			c->gap_error = r->processes.items[i].head.gap_error;
	}
	/* The recording is that of processes that began after the command had ended, such as children that survived it. */
	*problem = calls_count && access(in_directory(arena, directory, "MANIFEST.md"), F_OK) == 0
	                   ? "it already has results; move the recording to a directory of its own"
	                   : write_results(c, directory);
	if (*problem != NULL)
		return CONVERSION_FAILED;
	remove_recording(r);
	return CONVERSION_DONE;
}

enum conversion_result recording_convert(struct conversion *out, struct arena *arena,
                                         const char *directory, const char **problem)
{
	*out = (struct conversion){0};
	*problem = NULL;
	if (!recording_exists(arena, slice_from(directory)))
		return CONVERSION_NONE;
	int lock = open(in_directory(arena, directory, RECORDING_FOLDER),
	                O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (lock < 0 || flock(lock, LOCK_EX | LOCK_NB) != 0) {
		os_close_quietly(lock);
		*problem = strerror(errno);
		return errno == EWOULDBLOCK ? CONVERSION_BUSY : CONVERSION_FAILED;
	}
	struct arena_guard guard;
	os_guard_descriptor(arena, &guard, &lock);
	enum conversion_result result = convert_recording(out, arena, directory, problem);
	arena_unguard(arena);
	return result;
}
