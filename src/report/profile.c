/* Call paths are numbered so that a path follows its parent: what is inherited (the cell, a kind of time) is found in
 * one pass over them. Sums over locations are made once, there, too. */
#include "report/profile.h"

#include <math.h>

#define NO_CELL SIZE_MAX

/* What is known of a call path besides what struct profile has. */
struct path_note {
	size_t cell;       /* index of the outermost cell that it is in, or NO_CELL */
	bool is_passed_on; /* what it calls has its kind, too */
	uint64_t own;      /* of the selected locations */
	uint64_t overlap;  /* of a cell: with what they ran meanwhile besides the main threads */
};

struct maker {
	struct profile *out;
	const struct measurement *m;
	struct path_note *notes;
	struct name_set cells; /* in the order in which they first ran: "cell 9" */
	bool has_mpi;
};

/* ---- kinds ---- */

static bool is_mpi(enum time_kind kind)
{
	return kind == TIME_COLLECTIVE || kind == TIME_MESSAGE || kind == TIME_MPI;
}

/* Returns the kind of REGION itself. IS_PASSED_ON: what it calls has that, too. */
static enum time_kind kind_of(const struct measured_region *region, bool *is_passed_on)
{
	static const enum time_kind kinds[] = {
	        [REGION_MPI] = TIME_MPI,           [REGION_MPI_MESSAGE] = TIME_MESSAGE,
	        [REGION_MPI_FILE] = TIME_MPI,      [REGION_MPI_COLLECTIVE] = TIME_COLLECTIVE,
	        [REGION_PARALLEL] = TIME_PARALLEL, [REGION_OFF] = TIME_MEASUREMENT,
	        [REGION_FLUSH] = TIME_MEASUREMENT, [REGION_CELL] = TIME_PYTHON,
	};
	static const struct {
		struct slice module, name; /* NAME is empty: all of MODULE and those within it */
		enum time_kind kind;
		bool is_passed_on;
	} functions[] = {
#define KNOWN_FUNCTION(module, name, kind, is_passed_on)                                           \
	{SLICE_INIT(module), SLICE_INIT(name), TIME_##kind, is_passed_on},
#include "report/known_functions.def"
	};
	if (region->kind != REGION_FUNCTION)
		return kinds[region->kind];
	for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
		struct slice module = functions[i].module, name = functions[i].name;
		bool is_own = slice_eq(region->module, module) &&
		              (name.len == 0 || slice_eq(region->name, name));
		bool is_within = name.len == 0 && slice_starts_with(region->module, module) &&
		                 slice_at(region->module, module.len) == '.';
		if (is_own || is_within) {
			*is_passed_on = functions[i].is_passed_on;
			return functions[i].kind;
		}
	}
	/* The body of a module that is imported. */
	*is_passed_on = slice_eq(region->name, SLICE("<module>")) &&
	                !slice_eq(region->module, SLICE("__main__"));
	return *is_passed_on ? TIME_IMPORT : TIME_PYTHON;
}

/* True if what lies in CELL, or NO_CELL, is to be shown. */
static bool is_cell_shown(const struct maker *k, size_t cell)
{
	const struct report_range *range = &k->out->selection.cells;
	uint64_t number;
	if (report_range_is_all(range))
		return true;
	return cell < k->cells.names.count &&
	       measurement_cell_number(k->cells.names.items[cell], &number) &&
	       number >= range->first && number <= range->last;
}

bool profile_selects(const struct profile *profile, const struct measured_location *location)
{
	const struct profile_selection *selection = &profile->selection;
	return (selection->rank < 0 || selection->rank == location->process) &&
	       (selection->thread < 0 || selection->thread == location->number);
}

bool profile_counts(const struct profile *profile, size_t process)
{
	return profile->selection.rank < 0
	               ? !profile->measurement->processes.items[process].is_child
	               : (size_t)profile->selection.rank == process;
}

static void note_paths(struct maker *k)
{
	const struct measurement *m = k->m;
	struct profile *out = k->out;
	k->notes = arena_calloc(out->arena, m->paths.count, sizeof *k->notes);
	out->kinds = arena_calloc(out->arena, m->paths.count, sizeof *out->kinds);
	out->sums = arena_calloc(out->arena, m->paths.count, sizeof *out->sums);
	k->notes[PATH_PROGRAM].cell = k->notes[PATH_THREADS].cell = NO_CELL;
	for (uint32_t i = PATH_COUNT; i < m->paths.count; i++) {
		const struct measured_region *region = measurement_region_of(m, i);
		uint32_t parent = m->paths.items[i].parent;
		struct path_note *note = &k->notes[i];
		*note = k->notes[parent];
		out->kinds[i] = out->kinds[parent];
		if (!note->is_passed_on || region->kind != REGION_FUNCTION)
			out->kinds[i] = kind_of(region, &note->is_passed_on);
		if (note->cell == NO_CELL && region->kind == REGION_CELL)
			note->cell = name_set_add(&k->cells, region->name);
	}
	vec_each(const struct measured_location, location, &m->locations) {
		for (uint32_t path = 0; path < location->times.count; path++) {
			k->has_mpi |= is_mpi(out->kinds[path]);
			if (!profile_selects(k->out, location))
				continue;
			out->sums[path].visits += location->times.items[path].visits;
			out->sums[path].total += location->times.items[path].total;
			k->notes[path].own += measurement_own_time(m, location, path);
		}
	}
	vec_each(const struct measured_overlap, overlap, &m->overlaps) {
		if (profile_selects(k->out, &m->locations.items[overlap->location]))
			k->notes[overlap->cell].overlap += overlap->time;
	}
}

/* ---- cells ---- */

/* What the main threads of the processes that count spent in a cell, outside of all, or in the whole program. Seconds. */
struct cell_time {
	size_t processes;
	double least, sum, longest; /* of a process; of all */
	double kinds[TIME_KIND_COUNT];
	struct profile_efficiency efficiency;
};

/* Adds the own time on call paths of CELL, NO_CELL, or where CELL is the number of cells of all. */
static struct cell_time sum_processes(const struct maker *k, size_t cell)
{
	const struct measurement *m = k->m;
	int64_t thread = k->out->selection.thread >= 0 ? k->out->selection.thread : 0;
	struct cell_time sum = {.least = INFINITY, .efficiency = {NAN, NAN, NAN}};
	double all = 0, most = 0; /* outside of MPI and OpenMP */
	for (size_t i = 0; i < m->processes.count; i++) {
		const struct measured_process *process = &m->processes.items[i];
		double seconds = 0, outside = 0;
		if (process->location_count == 0 || !profile_counts(k->out, i))
			continue;
		const struct measured_location *location =
		        &m->locations.items[process->first_location];
		const struct measured_location *end = location + process->location_count;
		while (location < end && location->number != thread)
			location++;
		for (uint32_t path = 0; location < end && path < location->times.count; path++) {
			enum time_kind kind = k->out->kinds[path];
			if (cell != k->cells.names.count && k->notes[path].cell != cell)
				continue;
			double own = (double)measurement_own_time(m, location, path) / 1e9;
			seconds += own;
			outside += is_mpi(kind) || kind == TIME_PARALLEL ? 0 : own;
			sum.kinds[kind] += own;
		}
		sum.processes++;
		sum.least = fmin(sum.least, seconds);
		sum.longest = fmax(sum.longest, seconds);
		sum.sum += seconds;
		most = fmax(most, outside);
		all += outside;
	}
	if (k->has_mpi && sum.processes > 1 && sum.longest > 0 && most > 0) {
		double mean = all / (double)sum.processes;
		sum.efficiency = (struct profile_efficiency){mean / sum.longest, mean / most,
		                                             most / sum.longest};
	}
	return sum;
}

/* Splits the time in Python code of a cell by the samples of its lines, which are those of the first process. Without
 * MPI, because that waits on a processor, like C code. The run's package does not record the calls of imports. */
static void split_python(const struct maker *k, size_t cell, double *kinds)
{
	enum { LEAST = 20000000 }; /* nanoseconds: some samples */
	const struct script_cells *script = &k->out->lines;
	const struct script_cell *lines =
	        cell == NO_CELL ? &script->outside
	                        : script_cells_find(script, k->cells.names.items[cell]);
	double known =
	        kinds[TIME_PYTHON] + kinds[TIME_IMPORT] + kinds[TIME_WAIT] + kinds[TIME_CHILDREN];
	double parts[TIME_KIND_COUNT] = {0};
	if (lines == NULL || lines->time.total < LEAST || k->has_mpi ||
	    !profile_counts(k->out, 0) || k->out->selection.thread > 0)
		return;
	const double scale = known / (double)lines->time.total;
	parts[TIME_DELAY] = (double)lines->time.delay * scale;
	parts[TIME_LOCK] = (double)lines->time.lock * scale;
	parts[TIME_IDLE] = (double)script_cells_idle(&lines->time) * scale;
	parts[TIME_NATIVE] = (double)lines->time.native * scale;
	for (size_t i = 0; i < lines->lines.count; i++) {
		const struct line_time *time = &lines->lines.items[i].time;
		double idle = (double)script_cells_idle(time) * scale;
		if (script_cells_is_import(script, lines->lines.items[i].number)) {
			parts[TIME_IMPORT] += (double)time->cpu * scale + idle;
			parts[TIME_IDLE] -= idle;
			parts[TIME_NATIVE] -= (double)time->native * scale;
		}
	}
	/* What is known by its function is part of these. */
	parts[TIME_IDLE] -= kinds[TIME_WAIT] + kinds[TIME_CHILDREN];
	parts[TIME_IMPORT] -= kinds[TIME_IMPORT];
	for (size_t i = 0; i < TIME_KIND_COUNT; i++) {
		double part = parts[i] < 0 ? 0 : fmin(parts[i], kinds[TIME_PYTHON]);
		kinds[i] += part;
		kinds[TIME_PYTHON] -= part;
	}
}

/* Adds how often CELL ran, what recording its calls took, and the function with most time there. */
static void add_calls_of_cell(const struct maker *k, size_t cell, struct profile_cell *row)
{
	const struct measurement *m = k->m;
	struct arena *arena = k->out->arena;
	double own = 0, hottest = 0;
	row->visits = cell == NO_CELL ? NAN : 0;
	row->threads = m->overlaps.count > 0 && cell != NO_CELL ? 0 : NAN;
	double *of_region = arena_calloc(arena, m->regions.count + 1, sizeof *of_region);
	for (size_t i = 0; i < m->paths.count; i++) {
		const struct path_note *note = &k->notes[i];
		uint32_t region = m->paths.items[i].region;
		double visits = (double)k->out->sums[i].visits;
		if (note->cell != cell)
			continue;
		own += (double)note->own / 1e9;
		row->threads += (double)note->overlap / 1e9;
		if (i < PATH_COUNT)
			continue;
		row->events += 2 * visits;
		if (k->notes[m->paths.items[i].parent].cell == NO_CELL)
			row->visits += visits;
		of_region[region] += (double)note->own / 1e9;
		if (of_region[region] > hottest) {
			hottest = of_region[region];
			row->hottest = measurement_region_text(arena, &m->regions.items[region]);
			row->hottest_is_cell = m->regions.items[region].kind == REGION_CELL;
		}
	}
	row->recording = own > 0 ? fmin(row->events * PROFILE_EVENT_COST / own, 1) * 100 : NAN;
	row->hottest_share = own > 0 ? hottest / own * 100 : NAN;
}

/* "9" of "cell 9"; empty outside of cells. */
static struct slice cell_number(const struct maker *k, size_t cell)
{
	struct slice name = SLICE("");
	if (cell < k->cells.names.count)
		name = k->cells.names.items[cell];
	size_t at = slice_find_slice(name, SLICE("cell "), 0);
	return arena_printf(k->out->arena, "%.*s%.*s", (int)at, name.ptr,
	                    SLICE_ARG(slice_tail(name, at + 5)));
}

/* Adds the row of CELL, or of what lies outside of all, if it is to be shown. */
static void add_cell(struct maker *k, size_t cell)
{
	struct profile *out = k->out;
	const struct report *samples = out->samples;
	struct cell_time time = sum_processes(k, cell);
	uint64_t number = 0;
	bool has_ranks = time.processes > 1;
	struct profile_cell row = {
	        .cell = cell_number(k, cell),
	        .title = cell != NO_CELL             ? k->cells.names.items[cell]
	                 : k->cells.names.count == 0 ? SLICE("the script")
	                                             : SLICE("outside of cells"),
	        .seconds_min = has_ranks ? time.least : NAN,
	        .seconds = time.processes == 0 ? 0 : time.sum / (double)time.processes,
	        .seconds_max = has_ranks ? time.longest : NAN,
	        .cpu = NAN,
	        .peak = NAN,
	        .read = NAN,
	        .written = NAN,
	        .efficiency = time.efficiency};
	if (time.processes == 1)
		split_python(k, cell, time.kinds);
	for (size_t i = 0; i < TIME_KIND_COUNT; i++)
		row.share[i] =
		        time.sum > 0 && time.kinds[i] > 0 ? time.kinds[i] / time.sum * 100 : NAN;
	add_calls_of_cell(k, cell, &row);
	bool has_number = slice_read_number(row.cell, UINT32_MAX, &number);
	for (size_t i = 0; samples != NULL && has_number && i < samples->rows.count; i++) {
		if (samples->rows.items[i].number == number)
			row.samples = &samples->rows.items[i];
	}
	if (row.samples != NULL) {
		const struct figures *figures = &row.samples->figures;
		row.cpu = figures->cpu.mean;
		row.peak = figures->memory_peak;
		row.read = figures->grown[METRIC_READ_CHARS];
		row.written = figures->grown[METRIC_WRITE_CHARS];
	}
	/* If it did not run, only processes that are not selected were in it. */
	if (is_cell_shown(k, cell) && (row.visits != 0 || row.seconds != 0))
		vec_push(out->arena, &out->cells, row);
}

/* ---- functions and call paths ---- */

static int compare_functions(const void *a, const void *b)
{
	const struct profile_function *left = a, *right = b;
	if (left->exclusive != right->exclusive)
		return left->exclusive > right->exclusive ? -1 : 1;
	return slice_compare(left->function, right->function);
}

/* Adds the functions that ran and are selected, by region, of which ALL seconds are the own time. */
static void add_functions(struct maker *k, struct profile_function *functions, double all)
{
	const struct measurement *m = k->m;
	struct profile *out = k->out;
	for (size_t i = 0; i < m->regions.count; i++) {
		struct profile_function *function = &functions[i];
		if (function->visits == 0 ||
		    slice_find_slice(function->function, k->out->selection.function, 0) ==
		            function->function.len)
			continue;
		function->file = m->regions.items[i].file;
		function->line =
		        m->regions.items[i].line == 0 ? NAN : (double)m->regions.items[i].line;
		function->per_visit = function->exclusive / function->visits;
		function->share = all > 0 ? function->exclusive / all * 100 : NAN;
		vec_push(out->arena, &out->functions, *function);
	}
	vec_sort(&out->functions, compare_functions);
	if (k->out->selection.top > 0 && out->functions.count > k->out->selection.top)
		out->functions.count = k->out->selection.top;
}

struct slice profile_path_name(const struct profile *profile, uint32_t path)
{
	const struct measurement *m = profile->measurement;
	struct slice program = m->processes.items[0].program;
	if (path >= PATH_COUNT)
		return measurement_region_text(profile->arena, measurement_region_of(m, path));
	return path == PATH_THREADS ? SLICE("threads")
	       : program.len > 0    ? program
	                            : SLICE("program");
}

/* Walks the tree. Time on a call path counts for its function once, however deep it calls itself. */
static void add_calls(struct maker *k)
{
	const struct measurement *m = k->m;
	struct profile *out = k->out;
	struct arena *arena = out->arena;
	size_t depth = 0;
	uint32_t *open = arena_calloc(arena, m->regions.count + 1, sizeof *open);
	struct profile_function *functions =
	        arena_calloc(arena, m->regions.count + 1, sizeof *functions);
	double all = 0;
	uint32_t path = PATH_PROGRAM, next;
	do {
		const struct path_note *note = &k->notes[path];
		const struct measured_time *sum = &out->sums[path];
		const struct measured_path *node = &m->paths.items[path];
		bool has_region = path >= PATH_COUNT;
		struct slice name = profile_path_name(out, path);
		bool is_shown = is_cell_shown(k, note->cell);
		if (is_shown && sum->visits + sum->total > 0) {
			const struct profile_call call = {.tree = arena_printf(arena, "%*s%.*s",
			                                                       (int)depth * 2, "",
			                                                       SLICE_ARG(name)),
			                                  .call = name,
			                                  .path = path,
			                                  .parent = node->parent,
			                                  .visits = (double)sum->visits,
			                                  .inclusive = (double)sum->total / 1e9,
			                                  .exclusive = (double)note->own / 1e9};
			vec_push(arena, &out->calls, call);
		}
		if (is_shown && has_region) {
			struct profile_function *function = &functions[node->region];
			function->function = name;
			function->visits += (double)sum->visits;
			function->exclusive += (double)note->own / 1e9;
			if (open[node->region] == 0)
				function->inclusive += (double)sum->total / 1e9;
			all += (double)note->own / 1e9;
		}
		if (has_region)
			open[node->region]++;
		depth++;
		for (next = node->child; next == 0 && depth > 0; depth--) {
			if (path >= PATH_COUNT)
				open[m->paths.items[path].region]--;
			next = m->paths.items[path].next;
			path = m->paths.items[path].parent;
		}
		path = next;
	} while (path != 0);
	add_functions(k, functions, all);
}

/* ---- locations and messages ---- */

struct slice profile_location_name(const struct profile *profile, size_t index)
{
	const struct measurement *m = profile->measurement;
	const struct measured_location *location = &m->locations.items[index];
	struct slice process = m->processes.items[location->process].name;
	return m->processes.count == 1
	               ? location->name
	               : arena_printf(profile->arena, "%.*s, %.*s", SLICE_ARG(process),
	                              SLICE_ARG(location->name));
}

static void add_locations(struct maker *k)
{
	const struct measurement *m = k->m;
	size_t at = 0;
	for (size_t i = 0; i < m->locations.count; i++) {
		const struct measured_location *location = &m->locations.items[i];
		struct profile_location row = {
		        .name = profile_location_name(k->out, i),
		        .host = m->processes.items[location->process].host,
		        .rank = location->process,
		        .thread = location->number,
		        .events = location->event_count == 0 ? NAN : (double)location->event_count,
		        .mpi = k->has_mpi ? 0 : NAN};
		for (uint32_t path = 0; path < location->times.count; path++) {
			if (!is_cell_shown(k, k->notes[path].cell))
				continue;
			double own = (double)measurement_own_time(m, location, path) / 1e9;
			row.seconds += own;
			if (is_mpi(k->out->kinds[path]))
				row.mpi += own;
		}
		/* They are by location. */
		for (; at < m->overlaps.count && m->overlaps.items[at].location == i; at++) {
			const struct measured_overlap *overlap = &m->overlaps.items[at];
			if (!report_range_is_all(&k->out->selection.cells) &&
			    is_cell_shown(k, k->notes[overlap->cell].cell))
				row.seconds += (double)overlap->time / 1e9;
		}
		row.outside_mpi = row.seconds - row.mpi;
		if (profile_selects(k->out, location))
			vec_push(k->out->arena, &k->out->locations, row);
	}
}

static int compare_messages(const void *a, const void *b)
{
	const struct profile_messages *left = a, *right = b;
	if (left->bytes != right->bytes)
		return left->bytes > right->bytes ? -1 : 1;
	if (left->from != right->from)
		return left->from < right->from ? -1 : 1;
	return left->to < right->to ? -1 : left->to > right->to;
}

int profile_make(struct profile *out, struct arena *arena, const struct measurement *measurement,
                 const struct report *samples, const struct profile_selection *selection)
{
	*out = (struct profile){.arena = arena,
	                        .measurement = measurement,
	                        .samples = samples,
	                        .selection = *selection};
	struct maker k = {.out = out, .m = measurement, .cells.arena = arena};
	note_paths(&k);
	script_cells_make(&out->lines, arena, measurement, &k.cells);
	for (size_t i = 0; i < measurement->processes.count; i++)
		out->ranks += profile_counts(out, i);
	for (size_t i = 0; i < k.cells.names.count; i++)
		add_cell(&k, i);
	const struct cell_time whole = sum_processes(&k, k.cells.names.count);
	out->seconds = whole.longest;
	out->efficiency = whole.efficiency;
	add_calls(&k);
	add_locations(&k);
	vec_each(const struct measured_messages, sent, &measurement->messages) {
		size_t cell = k.notes[sent->cell].cell;
		const struct measured_location *from = &measurement->locations.items[sent->from];
		struct profile_messages row = {.cell = cell_number(&k, cell),
		                               .from = from->process,
		                               .to = measurement->locations.items[sent->to].process,
		                               .count = (double)sent->count,
		                               .bytes = (double)sent->bytes,
		                               .mean = (double)sent->bytes / (double)sent->count};
		if (profile_selects(out, from) && is_cell_shown(&k, cell))
			vec_push(arena, &out->messages, row);
	}
	vec_sort(&out->messages, compare_messages);
	add_cell(&k, NO_CELL);
	return out->cells.count == 0 || out->locations.count == 0 ? -1 : 0;
}

double profile_cell_time(const struct profile_cell *cell, enum time_kind kind)
{
	return isfinite(cell->share[kind]) ? cell->share[kind] / 100 * cell->seconds : 0;
}

double profile_buffer_need(const struct profile *profile)
{
	enum { BYTES_PER_VISIT = 24 };
	const struct measurement *m = profile->measurement;
	double most = 0;
	vec_each(const struct measured_process, process, &m->processes) {
		double bytes = 0, threads = process->location_count;
		for (uint32_t k = 0; k < process->location_count; k++) {
			const struct measured_location *location =
			        &m->locations.items[process->first_location + k];
			for (uint32_t path = 0; path < location->times.count; path++)
				bytes += BYTES_PER_VISIT *
				         (double)location->times.items[path].visits;
		}
		most = fmax(most, bytes * 1.2 / 1e6 + 4 + 2.5 * (threads - 1));
	}
	return (double)(uint64_t)(most + 1);
}
