/* A rule looks at a cell, or at the whole run, and says what could be saved. Rules are independent of each other; where
 * one explains another in the same cell, the other is left out (findings.def). The thresholds say what is worth a
 * reader's time: a twentieth of the run and 0.2 s. */
#include "report/diagnosis.h"
#include "report/profile_cost.h"

#include <stdlib.h>

#include "base/quote.h"
#include "report/resource_rules.h"
#include "report/subject.h"

#define LEAST_SECONDS 0.2
#define LEAST_GAIN 0.05
/* Measured, in seconds: a small read or write call, and what Python and mpi4py do around a call of MPI. */
#define CALL_COST 1.5e-6
#define MESSAGE_COST 1e-6

/* ---- MPI ---- */

/* Seconds that could be saved if all ranks had the same work. */
static double imbalance_of(const struct subject *s)
{
	if (s->cell == NULL || !isfinite(s->cell->efficiency.parallel))
		return 0;
	const struct profile_efficiency *e = &s->cell->efficiency;
	return e->communication * s->cell->seconds_max * (1 - e->load_balance);
}

static bool find_serial_rank(const struct subject *s, double limit, struct finding *f)
{
	double count = (double)s->profile->ranks;
	f->seconds = imbalance_of(s);
	if (s->cell == NULL || f->seconds == 0 || s->cell->efficiency.load_balance > limit / count)
		return false;
	f->evidence = arena_printf(s->profile->arena,
	                           "one of %.0f ranks works for %.1f s, and the others wait in MPI",
	                           count, s->cell->efficiency.communication * s->cell->seconds_max);
	return true;
}

static bool find_imbalance(const struct subject *s, double limit, struct finding *f)
{
	f->seconds = imbalance_of(s);
	if (s->cell == NULL || f->seconds == 0 || s->cell->efficiency.load_balance > limit)
		return false;
	f->evidence = arena_printf(
	        s->profile->arena,
	        "the rank with most work computes for %.1f s, the mean is %.1f s (load balance "
	        "%.2f); the others wait in MPI",
	        s->cell->efficiency.communication * s->cell->seconds_max,
	        s->cell->efficiency.communication * s->cell->seconds_max *
	                s->cell->efficiency.load_balance,
	        s->cell->efficiency.load_balance);
	return true;
}

/* What the rank takes that waits the least is the cost of the messages; the rest is waiting for others. */
static bool find_messages(const struct subject *s, double limit, struct finding *f)
{
	const struct cell_sums *sums = s->sums;
	double calls = sums->message_calls / (double)s->profile->ranks;
	f->seconds = measure_smaller(sums->rank_messages + calls * MESSAGE_COST, s->seconds);
	if (s->cell == NULL || calls < 2000 || share(f->seconds, calls) > limit ||
	    share(f->seconds, s->seconds) < 0.15)
		return false;
	f->evidence = arena_printf(
	        s->profile->arena,
	        "each rank calls MPI %.0f times for small messages, which takes at least %.1f s, "
	        "%.0f us each",
	        calls, f->seconds, share(f->seconds, calls) * 1e6);
	return true;
}

/* ---- the measurement ---- */

/* Of the thread that was kept longest. */
static bool find_flush(const struct subject *s, double limit, struct finding *f)
{
	const struct measurement *m = s->profile->measurement;
	double visits = 0;
	f->seconds = 0;
	for (size_t i = 0; s->cell == NULL && i < m->locations.count; i++) {
		double seconds = 0, count = 0;
		for (uint32_t path = PATH_COUNT; path < m->locations.items[i].times.count; path++) {
			const struct measured_time *time = &m->locations.items[i].times.items[path];
			if (m->regions.items[m->paths.items[path].region].kind != REGION_FLUSH)
				continue;
			seconds += (double)time->total / 1e9;
			count += (double)time->visits;
		}
		if (seconds > f->seconds) {
			f->seconds = seconds;
			visits = count;
		}
	}
	if (s->cell != NULL || share(f->seconds, s->profile->seconds) < limit)
		return false;
	f->evidence = arena_printf(
	        s->profile->arena,
	        "the trace buffer was full %s, and writing it took %.1f s; with "
	        "SCOREP_TOTAL_MEMORY=%.0fM it would not be",
	        visits > 1 ? arena_printf(s->profile->arena, "%.0f times", visits).ptr : "once",
	        f->seconds, profile_buffer_need(s->profile));
	return true;
}

static bool find_overhead(const struct subject *s, double limit, struct finding *f)
{
	const struct cell_sums *sums = s->sums;
	f->seconds = measure_smaller(sums->events * PROFILE_EVENT_COST / (double)s->profile->ranks,
	                             s->seconds);
	if (s->cell == NULL || sums->hottest == NULL || share(f->seconds, s->seconds) < limit ||
	    sums->hottest_visits * 2 < sums->events * 0.3)
		return false;
	f->place = measurement_region_text(s->profile->arena, sums->hottest);
	f->evidence = arena_printf(
	        s->profile->arena,
	        "recording %.1f million calls takes about %.1f of %.1f s; %.0f %% of them are of "
	        "this function",
	        sums->events / 2e6, f->seconds, s->seconds,
	        sums->hottest_visits * 200 / sums->events);
	return true;
}

/* The package whose import takes the longest. */
static struct slice slowest_import(const struct profile *profile, double *seconds)
{
	const struct measurement *m = profile->measurement;
	struct slice found = {0};
	*seconds = 0;
	for (size_t i = PATH_COUNT; i < m->paths.count; i++) {
		const struct measured_region *region = &m->regions.items[m->paths.items[i].region];
		double time = 0;
		if (!slice_eq(region->name, SLICE("<module>")) ||
		    slice_eq(region->module, SLICE("__main__")))
			continue;
		for (size_t k = 0; k < m->locations.count; k++)
			time += (double)measurement_time(&m->locations.items[k], (uint32_t)i).total;
		if (time / 1e9 > *seconds) {
			*seconds = time / 1e9;
			found = region->module;
		}
	}
	return slice_sub(found, 0, slice_find(found, '.', 0));
}

static bool find_import(const struct subject *s, double limit, struct finding *f)
{
	double longest, all = s->profile->seconds;
	struct slice package = slowest_import(s->profile, &longest);
	f->seconds = s->kinds[TIME_IMPORT];
	if (s->cell == NULL || share(f->seconds, all) < limit)
		return false;
	name_line(s, LINE_IMPORT, f);
	f->evidence =
	        package.len == 0
	                ? arena_printf(s->profile->arena, "imports take %.1f of %.1f s", f->seconds,
	                               all)
	                : arena_printf(s->profile->arena,
	                               "imports take %.1f of %.1f s; most of it is for '%.*s'",
	                               f->seconds, all, SLICE_ARG(package));
	return true;
}

static bool find_python(const struct subject *s, double limit, struct finding *f)
{
	if (s->cell == NULL || s->lines == NULL)
		return false;
	/* Of the first process: MPI waits on a processor, which the lines know for C code. */
	const struct line_time *time = &s->lines->time;
	double part =
	        share((double)(time->cpu - time->native), (double)(time->total - time->delay));
	double python = part * s->seconds - s->kinds[TIME_IMPORT];
	if (share(python, s->seconds) < limit)
		return false;
	f->seconds = python * 0.9;
	name_line(s, LINE_PYTHON, f);
	f->evidence =
	        arena_printf(s->profile->arena,
	                     "%.1f of %.1f s are spent in Python's interpreter, not in C code",
	                     python, s->seconds);
	return true;
}

/* ---- threads and processes ---- */

/* False where other programs use what the cell leaves free: then it cannot be said why it uses no more. */
static bool has_idle_core(const struct subject *s)
{
	const struct report_node *lead = s->samples->lead;
	double busy = measure_cpu(&lead->series, LEVEL_SYSTEM,
	                          report_row_on(s->samples, lead, s->cell->samples));
	return !(measure_cpus(&lead->series, LEVEL_SYSTEM) * (1 - busy / 100) < 0.5);
}

static bool find_gil(const struct subject *s, double limit, struct finding *f)
{
	double waits = s->kinds[TIME_WAIT] + s->kinds[TIME_IDLE] + s->kinds[TIME_LOCK];
	unsigned cpus = s->samples == NULL ? 1 : (unsigned)s->samples->cpus;
	/* Processes that it has started need no lock of this one. */
	double own = s->cores - share(s->sums->useful, s->seconds);
	if (s->cell == NULL || s->figures == NULL || cpus < 2 || s->sums->threads < waits * 1.5 ||
	    waits < s->seconds * 0.5 || !(own > 0.6 && own < limit) || !has_idle_core(s))
		return false;
	f->seconds = waits / 2;
	f->evidence = arena_printf(
	        s->profile->arena,
	        "several threads run Python code for %.1f s together, but use %.1f processors at a "
	        "time: only one at a time has the interpreter's lock",
	        s->sums->threads, own);
	return true;
}

static bool find_pool(const struct subject *s, double limit, struct finding *f)
{
	double cpus = s->samples == NULL ? 2 : (double)s->samples->cpus;
	double workers = measure_smaller((double)s->sums->children, cpus);
	/* A pool may live through other cells: idle is none of its business. */
	double waits = s->kinds[TIME_WAIT] + s->kinds[TIME_CHILDREN];
	if (s->cell == NULL || s->cell->cell.len == 0 || s->sums->children < 2 ||
	    waits < s->seconds * 0.25 || share(s->sums->useful, s->seconds * workers) > limit)
		return false;
	f->seconds = measure_larger(0, s->seconds - s->sums->useful / workers);
	f->evidence = arena_printf(
	        s->profile->arena,
	        "%zu processes compute for %.1f s in all, while this one takes %.1f s to start "
	        "them, to send them data, and to wait for them",
	        s->sums->children, s->sums->useful, s->seconds);
	return true;
}

/* Threads that can run: besides the main one, a process has one of the recorder, and a rank some of MPI. */
static bool find_oversubscribed(const struct subject *s, double limit, struct finding *f)
{
	double threads = s->figures == NULL ? NAN : s->figures->gauges[METRIC_THREADS].max;
	double processes = s->figures == NULL ? NAN : s->figures->gauges[METRIC_PROCESSES].max;
	double cpus = s->samples == NULL ? 1 : (double)s->samples->cpus;
	bool has_ranks = s->profile->ranks > 1;
	double busy = measure_larger(processes - 1, threads - (has_ranks ? 4 : 2) * processes);
	if (s->cell == NULL || !(busy > limit * cpus + 2 * has_ranks) || !(s->cores > cpus * 0.7))
		return false;
	f->seconds = s->seconds * 0.3;
	struct slice among =
	        processes < 2 ? slice_make("", 0)
	                      : arena_printf(s->profile->arena, " in %.0f processes", processes);
	f->evidence = arena_printf(s->profile->arena,
	                           "%.0f threads%.*s share %.0f processors, which are busy",
	                           threads, SLICE_ARG(among), cpus);
	return true;
}

static bool find_waiting(const struct subject *s, double limit, struct finding *f)
{
	double children = s->kinds[TIME_CHILDREN];
	double waits = s->kinds[TIME_WAIT] + children + s->kinds[TIME_IDLE];
	bool is_for_others = children > s->seconds / 2;
	if (s->cell == NULL || share(waits, s->seconds) < limit ||
	    (s->cores > 0.5 && (!is_for_others || s->cores > 1.2)))
		return false;
	f->seconds = waits;
	name_line(s, LINE_IDLE, f);
	f->evidence = arena_printf(
	        s->profile->arena,
	        is_for_others ? "%.1f of %.1f s are spent waiting for other processes"
	                      : "%.1f of %.1f s are spent waiting, without work for a processor",
	        waits, s->seconds);
	return true;
}

static bool find_busy(const struct subject *s, double limit, struct finding *f)
{
	double cpus = s->samples == NULL ? 1 : (double)s->samples->cpus;
	f->seconds = s->kinds[TIME_DELAY];
	/* What the program does to itself is oversubscription. */
	if (s->cell != NULL || share(f->seconds, s->profile->seconds) < limit ||
	    s->cores > cpus * 0.8)
		return false;
	f->evidence = arena_printf(
	        s->profile->arena,
	        "for %.1f of %.1f s it waited for a processor that other programs used", f->seconds,
	        s->profile->seconds);
	return true;
}

static bool find_idle_cores(const struct subject *s, double limit, struct finding *f)
{
	double cpus = s->samples == NULL ? 1 : (double)s->samples->cpus;
	if (s->cell == NULL || s->lines == NULL || s->lines->lines.count == 0 || cpus < 2 ||
	    !(s->cores > 0.7 && s->cores < 1.3) || !has_idle_core(s))
		return false;
	/* One line, whose C code could run in several threads or processes. */
	const struct line_time *line = &s->lines->lines.items[0].time;
	double native = share((double)line->native, (double)line->total) *
	                share((double)line->total, (double)s->lines->time.total) * s->seconds;
	if (share(native, s->profile->seconds) < limit)
		return false;
	f->seconds = native * (1 - 1 / cpus);
	name_line(s, LINE_ANY, f);
	f->evidence = arena_printf(
	        s->profile->arena,
	        "%.1f of the run's %.1f s are spent in C code of one line, on one of %.0f "
	        "processors",
	        native, s->profile->seconds, cpus);
	return true;
}

/* ---- files ---- */

static bool find_sync(const struct subject *s, double limit, struct finding *f)
{
	double calls = counted(s, METRIC_WRITE_CALLS), idle = s->kinds[TIME_IDLE];
	double bytes = share(counted(s, METRIC_WRITE_CHARS), calls);
	/* After a file was synchronised, a write makes a page of memory dirty again, which counts; what is printed does not. */
	double pages = counted(s, METRIC_WRITE_BYTES) / 4096;
	if (s->cell == NULL || share(idle, s->seconds) < limit || calls < 20 * s->seconds ||
	    calls < 50 || pages < calls / 2 || bytes > 65536)
		return false;
	f->seconds = idle;
	name_line(s, LINE_IDLE, f);
	f->evidence = arena_printf(
	        s->profile->arena,
	        "%.0f writes of %.0f bytes each, and %.1f of %.1f s without work for a "
	        "processor: they wait for the disk",
	        calls, bytes, idle, s->seconds);
	return true;
}

static bool find_small_io(const struct subject *s, double limit, struct finding *f)
{
	double calls = counted(s, METRIC_READ_CALLS) + counted(s, METRIC_WRITE_CALLS);
	double bytes = counted(s, METRIC_READ_CHARS) + counted(s, METRIC_WRITE_CHARS);
	if (s->cell == NULL || calls < 5000 || share(calls, s->seconds) < limit ||
	    share(bytes, calls) > 4096)
		return false;
	/* Most of what is not Python is the calls, and opening and closing files, which is not counted. */
	f->seconds = measure_larger(calls * CALL_COST,
	                            0.8 * (s->kinds[TIME_NATIVE] + s->kinds[TIME_IDLE]));
	name_line(s, LINE_ANY, f);
	f->evidence = arena_printf(s->profile->arena, "%.0f calls read or write %.0f bytes each",
	                           calls, share(bytes, calls));
	return true;
}

/* ---- all ---- */

struct rule {
	const char *name;
	bool (*find)(const struct subject *s, double limit, struct finding *f);
	double limit;
	const char *certainty;
	unsigned explains;
	const char *advice;
};

#define CERTAINTY_SURE "sure"
#define CERTAINTY_LIKELY "likely"
#define CERTAINTY_POSSIBLE "possible"

static const struct rule rules[FINDING_COUNT] = {
#define FINDING(id, name, function, limit, certainty, explains, rule, advice)                      \
	[FINDING_##id] = {name, function, limit, CERTAINTY_##certainty, explains, advice},
#include "report/findings.def"
#undef FINDING
};

/* Adds what the call paths of the cell have, of all locations. */
static void sum_cell(const struct profile *profile, struct slice name, struct cell_sums *sums)
{
	const struct measurement *m = profile->measurement;
	bool *is_below = arena_calloc(profile->arena, m->paths.count, sizeof *is_below);
	double *visits = arena_calloc(profile->arena, m->regions.count + 1, sizeof *visits);
	double *messages = arena_calloc(profile->arena, m->processes.count + 1, sizeof *messages);
	for (size_t i = PATH_COUNT; i < m->paths.count; i++) {
		uint32_t number = m->paths.items[i].region;
		const struct measured_region *region = &m->regions.items[number];
		is_below[i] = is_below[m->paths.items[i].parent] ||
		              (region->kind == REGION_CELL && slice_eq(region->name, name));
		for (size_t k = 0; is_below[i] && k < m->locations.count; k++) {
			const struct measured_location *location = &m->locations.items[k];
			struct measured_time time = measurement_time(location, (uint32_t)i);
			sums->events += 2 * (double)time.visits;
			visits[number] += (double)time.visits;
			if (region->kind == REGION_MPI_MESSAGE ||
			    region->kind == REGION_MPI_COLLECTIVE) {
				sums->message_calls += (double)time.visits;
				messages[location->process] += (double)time.total / 1e9;
			}
		}
	}
	for (size_t i = 0; i < m->regions.count; i++) {
		if (m->regions.items[i].kind == REGION_FUNCTION &&
		    visits[i] > sums->hottest_visits) {
			sums->hottest = &m->regions.items[i];
			sums->hottest_visits = visits[i];
		}
	}
	sums->rank_messages = INFINITY;
	for (size_t i = 0; i < m->processes.count; i++) {
		if (!m->processes.items[i].is_child)
			sums->rank_messages = measure_smaller(sums->rank_messages, messages[i]);
	}
}

/* Adds what threads besides the main ones have of the whole run. Returns the seconds of functions in the processes that
 * others have started, by process. */
static double *sum_others(const struct profile *profile, struct cell_sums *sums)
{
	const struct measurement *m = profile->measurement;
	double *useful = arena_calloc(profile->arena, m->processes.count + 1, sizeof *useful);
	for (size_t i = 0; i < m->locations.count; i++) {
		const struct measured_location *location = &m->locations.items[i];
		bool is_child = m->processes.items[location->process].is_child;
		if (location->number > 0 && !is_child)
			sums->threads +=
			        (double)measurement_time(location, PATH_THREADS).total / 1e9;
		for (uint32_t path = PATH_COUNT; is_child && path < location->times.count; path++) {
			const struct measured_region *region =
			        &m->regions.items[m->paths.items[path].region];
			if (profile->kinds[path] == TIME_PYTHON &&
			    !slice_starts_with(region->module, SLICE("multiprocessing")) &&
			    !slice_starts_with(region->module, SLICE("concurrent")) &&
			    !slice_eq(region->name, SLICE("<module>")) &&
			    region->kind != REGION_CELL)
				useful[location->process] +=
				        (double)measurement_own_time(m, location, path) / 1e9;
		}
	}
	return useful;
}

/* False if it is known that the process CHILD did not run while another one was in the cell NAME. */
static bool may_have_run(const struct measurement *m, const struct measured_process *child,
                         struct slice name)
{
	bool is_known = false;
	for (size_t i = 0; child->end > 0 && i < m->processes.count; i++) {
		const struct measured_process *process = &m->processes.items[i];
		for (size_t k = 0; !process->is_child && k < process->visits.count; k++) {
			const struct measured_visit *visit = &process->visits.items[k];
			uint32_t region = m->paths.items[visit->path].region;
			if (visit->begin < child->end && child->begin < visit->end &&
			    slice_eq(m->regions.items[region].name, name))
				return true;
			is_known = true;
		}
	}
	return !is_known;
}

/* Adds the processes that others have started, with the seconds USEFUL of each, of those that ran in the cell NAME. */
static void sum_children(const struct profile *profile, struct slice name, const double *useful,
                         struct cell_sums *sums)
{
	const struct measurement *m = profile->measurement;
	for (size_t i = 0; i < m->processes.count; i++) {
		const struct measured_process *process = &m->processes.items[i];
		if (!process->is_child || !may_have_run(m, process, name))
			continue;
		sums->children++;
		sums->useful += useful[i];
	}
}

static void apply_rules(finding_list *out, const struct subject *s)
{
	size_t first = out->count;
	unsigned explained = 0;
	for (size_t i = 0; i < FINDING_COUNT; i++) {
		struct finding finding = {.id = (enum finding_id)i,
		                          .name = slice_from(rules[i].name),
		                          .cell = s->cell == NULL ? slice_make("", 0)
		                                                  : s->cell->title,
		                          .advice = slice_from(rules[i].advice),
		                          .certainty = slice_from(rules[i].certainty),
		                          .gain = NAN};
		if ((explained >> i & 1) != 0 || !rules[i].find(s, rules[i].limit, &finding))
			continue;
		if (finding.gain != finding.gain)
			finding.gain = share(finding.seconds, s->profile->seconds);
		if (finding.gain < LEAST_GAIN || finding.seconds < LEAST_SECONDS)
			continue;
		explained |= rules[i].explains;
		if (finding.place.len > 0 && finding.line_share > 0 && finding.line_share < 0.9)
			finding.evidence =
			        arena_printf(s->profile->arena, "%.*s; %.0f %% of it in this line",
			                     SLICE_ARG(finding.evidence), finding.line_share * 100);
		vec_push(s->profile->arena, out, finding);
	}
	size_t kept = first;
	for (size_t i = first; i < out->count; i++) {
		if ((explained >> out->items[i].id & 1) == 0)
			out->items[kept++] = out->items[i];
	}
	out->count = kept;
}

static int compare_findings(const void *a, const void *b)
{
	const struct finding *left = a, *right = b;
	if (left->gain != right->gain)
		return left->gain > right->gain ? -1 : 1;
	return left->id < right->id ? -1 : left->id > right->id;
}

void diagnosis_make(finding_list *out, const struct profile *profile)
{
	const struct report *samples = profile->samples;
	struct cell_sums run = {0};
	struct subject whole = {.profile = profile,
	                        .samples = samples,
	                        .figures = samples == NULL ? NULL : &samples->figures,
	                        .seconds = profile->seconds,
	                        .sums = &run};
	const double *useful = sum_others(profile, &run);
	whole.cores = whole.figures == NULL
	                      ? NAN
	                      : share(whole.figures->core_seconds, whole.figures->seconds);
	for (size_t i = 0; i < profile->cells.count; i++) {
		const struct profile_cell *cell = &profile->cells.items[i];
		struct cell_sums sums = run;
		struct subject s = whole;
		s.cell = cell;
		s.lines = profile->cells.count == 1 && cell->cell.len == 0
		                  ? &profile->outside /* of a script without cells */
		                  : script_cells_find(&profile->lines, cell->title);
		s.figures = cell->samples == NULL ? NULL : &cell->samples->figures;
		s.seconds = cell->seconds;
		s.cores = s.figures == NULL ? NAN
		                            : share(s.figures->core_seconds, s.figures->seconds);
		s.sums = &sums;
		for (size_t k = 0; k < TIME_KIND_COUNT; k++) {
			double percent = isfinite(cell->share[k]) ? cell->share[k] : 0;
			s.kinds[k] = percent / 100 * cell->seconds;
			whole.kinds[k] += s.kinds[k];
		}
		s.seconds -= s.kinds[TIME_DELAY];
		sum_cell(profile, cell->title, &sums);
		sum_children(profile, cell->title, useful, &sums);
		if (isfinite(cell->threads)) /* a profile does not know when they ran */
			sums.threads = cell->threads;
		if (cell->seconds >= LEAST_SECONDS)
			apply_rules(out, &s);
	}
	apply_rules(out, &whole);
	/* What is about the whole run, or outside of cells, may be explained in any cell. */
	unsigned explained = 0;
	size_t kept = 0;
	for (size_t i = 0; i < out->count; i++)
		explained |= rules[out->items[i].id].explains;
	for (size_t i = 0; i < out->count; i++) {
		struct slice cell = out->items[i].cell;
		bool is_in_cell = cell.len > 0 && !slice_eq(cell, SLICE("outside of cells"));
		if (is_in_cell || (explained >> out->items[i].id & 1) == 0)
			out->items[kept++] = out->items[i];
	}
	out->count = kept;
	if (out->count > 0)
		qsort(out->items, out->count, sizeof *out->items, compare_findings);
}

struct figure_table diagnosis_table(const finding_list *findings)
{
	static const struct figure_column columns[] = {
	        FIGURE(finding, name, "finding", TEXT),
	        FIGURE(finding, cell, "cell", TEXT),
	        FIGURE(finding, place, "place", TEXT),
	        FIGURE(finding, evidence, NULL, TEXT),
	        FIGURE(finding, advice, NULL, TEXT),
	        FIGURE(finding, certainty, "certainty", TEXT),
	        FIGURE(finding, seconds, "could save", SECONDS),
	        FIGURE(finding, gain, NULL, RATIO),
	        {0},
	};
	return (struct figure_table){
	        "findings",     "Findings", columns, findings->items, sizeof *findings->items,
	        findings->count};
}

void diagnosis_text(struct strbuf *out, const finding_list *findings, size_t most)
{
	if (findings->count == 0)
		strbuf_puts(out, "Nothing to gain here: no rule of the diagnosis applies\n");
	for (size_t i = 0; i < findings->count && i < most; i++) {
		const struct finding *finding = &findings->items[i];
		strbuf_printf(out, "%zu. ", i + 1);
		terminal_text(out, finding->cell.len > 0 ? finding->cell : SLICE("the whole run"));
		strbuf_puts(out, finding->place.len > 0 ? ", " : "");
		terminal_text(out, finding->place);
		strbuf_printf(out, "\n   %.*s", SLICE_ARG(finding->name));
		if (isfinite(finding->seconds))
			strbuf_printf(out, ": at most %.1f s to save (%.0f %% of the run)",
			              finding->seconds, finding->gain * 100);
		strbuf_printf(out, "; %.*s\n   ", SLICE_ARG(finding->certainty));
		terminal_text(out, finding->evidence);
		strbuf_printf(out, ".\n   Try: %.*s.\n", SLICE_ARG(finding->advice));
	}
}
