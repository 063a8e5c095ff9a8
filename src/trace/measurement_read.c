#include "trace/measurement_read.h"

#include "base/os.h"
#include "base/paths.h"
#include "trace/cubex_read.h"
#include "trace/otf2_read.h"
#include "trace/recording_read.h"

#define RANK_PREFIX SLICE("rank-")
#define LINES_LIMIT ((size_t)16 << 20)

static const char *file_in(struct arena *arena, struct slice directory, const char *name)
{
	return arena_cstr(arena, path_join(arena, directory, slice_from(name)));
}

static bool has_results(struct arena *arena, struct slice directory)
{
	return os_is_file(file_in(arena, directory, "traces.otf2")) ||
	       os_is_file(file_in(arena, directory, "profile.cubex")) ||
	       recording_exists(arena, directory);
}

/* By the number of the rank. */
static int compare_ranks(const void *a, const void *b)
{
	const struct slice *left = a, *right = b;
	if (left->len != right->len)
		return left->len < right->len ? -1 : 1;
	return slice_compare(*left, *right);
}

/* The folders in FOLDER whose names begin with PREFIX; none if it is not a folder that can be read. */
static directory_list list_folders(struct arena *arena, struct slice folder, struct slice prefix)
{
	struct os_names names = {0};
	directory_list found = {0};
	const char *path = arena_cstr(arena, folder);
	if (!os_is_directory(path) || os_list_folder(arena, path, &names) != 0)
		return found;
	for (size_t i = 0; i < names.list.count; i++) {
		if (slice_starts_with(names.list.items[i], prefix))
			vec_push(arena, &found, path_join(arena, folder, names.list.items[i]));
	}
	return found;
}

void measurement_directories(struct arena *arena, struct slice directory, directory_list *out)
{
	if (has_results(arena, directory)) {
		vec_push(arena, out, directory);
		return;
	}
	const directory_list ranks = list_folders(arena, directory, RANK_PREFIX);
	for (size_t i = 0; i < ranks.count; i++) {
		if (has_results(arena, ranks.items[i]))
			vec_push(arena, out, ranks.items[i]);
	}
	vec_sort(out, compare_ranks);
}

void measurement_runs(struct arena *arena, struct slice path, directory_list *out)
{
	directory_list own = {0};
	measurement_directories(arena, path, &own);
	if (own.count > 0) {
		vec_push(arena, out, path);
		return;
	}
	const directory_list folders = list_folders(arena, path, SLICE(""));
	for (size_t i = 0; i < folders.count; i++) {
		own.count = 0;
		measurement_directories(arena, folders.items[i], &own);
		if (own.count > 0)
			vec_push(arena, out, folders.items[i]);
	}
}

/* The recorder also records processes that multiprocessing starts, and ranks of which the launcher was recorded:
 * "Process 4711". Those that call MPI are ranks. */
static bool is_child(const struct measurement *m, const struct measured_process *process)
{
	const struct measured_location *location = &m->locations.items[process->first_location];
	bool is_child = slice_starts_with(process->name, SLICE("Process "));
	for (uint32_t path = PATH_COUNT;
	     process->location_count > 0 && path < location->times.count; path++) {
		if (location->times.items[path].visits > 0 &&
		    measurement_is_mpi(measurement_region_of(m, path)->kind))
			is_child = false;
	}
	return is_child;
}

static bool read_line(struct arena *arena, struct slice text, struct recording_line *out)
{
	enum { OUTER, INNER, TOTAL, CPU, NATIVE, DELAY, LOCK, FIELDS };
	double values[FIELDS];
	struct slice field;
	for (size_t i = 0; i < FIELDS; i++) {
		char *end;
		if (!slice_next_part(&text, ',', &field))
			return false;
		values[i] = strtod(arena_cstr(arena, field), &end);
		if (*end != '\0' || !(values[i] >= 0 && values[i] < UINT32_MAX))
			return false;
	}
	if (values[NATIVE] > values[CPU]) /* a kill came between the two */
		values[NATIVE] = values[CPU];
	*out = (struct recording_line){
	        (uint32_t)values[OUTER],
	        (uint32_t)values[INNER],
	        {(uint64_t)(values[TOTAL] * 1e9), (uint64_t)(values[CPU] * 1e9),
	         (uint64_t)(values[NATIVE] * 1e9), (uint64_t)(values[DELAY] * 1e9),
	         (uint64_t)(values[LOCK] * 1e9)}};
	return true;
}

/* Reads DIRECTORY/lines.csv, if there is one. The script may have changed since; DIRECTORY has a copy. */
static void read_lines(struct measurement *m, struct slice directory)
{
	struct slice line = {0};
	struct strbuf text = {.arena = m->arena};
	struct recording_line measured = {0};
	const char *path = file_in(m->arena, directory, "lines.csv");
	if (m->lines.count > 0 || !os_is_file(path))
		return;
	(void)os_read_file(path, &text, LINES_LIMIT);
	struct slice rest = strbuf_slice(&text);
	bool is_read = slice_next_line(&rest, &line) && slice_eq(line, SLICE(LINES_HEAD));
	while (is_read && slice_next_line(&rest, &line)) {
		is_read = read_line(m->arena, line, &measured);
		vec_push(m->arena, &m->lines, measured);
	}
	m->script = path_join(m->arena, directory, SLICE(SCRIPT_COPY));
	if (is_read)
		return;
	m->lines.count = 0;
	m->lines_problem =
	        arena_printf(m->arena, "'%s' is not what this nbscorep writes, and is left out",
	                     path)
	                .ptr;
}

const char *measurement_read(struct measurement *out, struct arena *arena, struct slice directory,
                             size_t wanted, struct slice *failed)
{
	directory_list list = {0};
	measurement_init(out, arena);
	measurement_directories(arena, directory, &list);
	out->changes_wanted = list.count == 0 ? 0 : (wanted + list.count - 1) / list.count;
	for (size_t i = 0; i < list.count; i++) {
		size_t first = out->processes.count;
		const char *profile = file_in(arena, list.items[i], "profile.cubex"), *problem;
		*failed = slice_from(profile);
		if (os_is_file(file_in(arena, list.items[i], "traces.otf2")))
			problem = otf2_read(out, arena, list.items[i], failed);
		else
			problem = cubex_read(out, arena, profile);
		if (problem != NULL)
			return problem;
		read_lines(out, list.items[i]);
		bool is_whole = slice_eq(list.items[i], directory);
		/* Of a rank that was measured by itself, the process has no name that tells it from others. */
		struct slice rank = slice_tail(path_file(list.items[i]), RANK_PREFIX.len);
		for (size_t k = first; k < out->processes.count; k++) {
			struct measured_process *process = &out->processes.items[k];
			struct slice own = k == first ? SLICE("") : process->name;
			process->is_child = k > first && is_child(out, process);
			if (!is_whole)
				process->name =
				        arena_printf(arena, "Rank %.*s%s%.*s", SLICE_ARG(rank),
				                     k == first ? "" : ", ", SLICE_ARG(own));
		}
	}
	return NULL;
}
