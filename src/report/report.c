#include "report/report.h"

#include <math.h>
#include <signal.h>
#include <sys/wait.h>

/* ---- what a job needs ---- */

/* How much memory a run needs. The sum of resident memory counts a page once for each process that
 * has it: what a parent had when it forked, and memory that ranks share. PSS counts it once, but it is
 * read less often. Between two of its samples what shows in the resident memory only counts
 * in full. */

/* What is known of the program's processes; a view without a column: nothing. */
struct shares {
	struct series_view rss, pss, processes;
};

/* What the program's resident memory RSS at MOMENT comes to when its pages are counted once. */
static double counted_once(const struct shares *shares, int64_t moment, double rss)
{
	const struct series_view pss = shares->pss, all = shares->rss;
	double highest = NAN, highest_rss = NAN;
	if (pss.group == NULL || !(series_at(shares->processes, moment) > 1))
		return rss;
	size_t next = series_before(pss.group, moment);
	for (size_t i = next > 0 ? next - 1 : 0; i <= next && i < pss.group->times.count; i++) {
		highest = fmax(highest, (double)pss.column->values[i]);
		if (all.group == NULL)
			continue;
		/* The lower one around it, because a process that has ended between the two readings is missing in the
		 * second. */
		size_t after = series_before(all.group, pss.group->times.items[i].begin);
		double lower = after > 0 ? (double)all.column->values[after - 1] : NAN;
		if (after < all.group->times.count)
			lower = fmin(lower, (double)all.column->values[after]);
		highest_rss = fmax(highest_rss, lower);
	}
	return fmin(rss, highest + fmax(0, rss - highest_rss));
}

/* The most memory that LEVEL, which is PROCESS or SLURM, took at once in the run: as the peak of
 * measure_figures(), but a page that several processes of the program share counts once, if PSS was
 * sampled. NaN: not known. */
static double measure_need(const struct series *series, enum level level)
{
	const struct shares shares = {series_find(series, LEVEL_PROCESS, METRIC_RSS, 0),
	                              series_find(series, LEVEL_PROCESS, METRIC_PSS, 0),
	                              series_find(series, LEVEL_PROCESS, METRIC_PROCESSES, 0)};
	/* What no process maps. At the level SLURM it is part of the resident memory. */
	const struct series_view tmpfs = series_find(series, LEVEL_PROCESS, METRIC_TMPFS, 0);
	const struct series_view rss = series_find(series, level, METRIC_RSS, 0);
	const struct series_view peak = series_find(series, level, METRIC_PEAK_RSS, 0);
	double need =
	        level == LEVEL_PROCESS && series->end.known ? (double)series->end.peak_rss : NAN;
	for (size_t i = 0; tmpfs.group != NULL && i < tmpfs.group->times.count; i++) {
		int64_t moment = tmpfs.group->times.items[i].end;
		double tree = shares.rss.group == NULL ? 0 : series_at(shares.rss, moment);
		double held = (double)tmpfs.column->values[i];
		if (held > 0) /* with the program's memory at that time */
			need = fmax(need, held + counted_once(&shares, moment, tree));
	}
	for (size_t i = 0; rss.group != NULL && i < rss.group->times.count; i++) {
		int64_t moment = rss.group->times.items[i].end;
		double all = (double)rss.column->values[i];
		/* The program is part of its job, of which only the resident memory is known. */
		double tree = level == LEVEL_PROCESS ? all : series_at(shares.rss, moment);
		need = fmax(need,
		            tree <= all ? all - tree + counted_once(&shares, moment, tree) : all);
	}
	for (size_t i = 0; peak.group != NULL && i < peak.group->times.count; i++)
		need = fmax(need, (double)peak.column->values[i]);
	return need;
}

/* ---- nodes, and what they have in common ---- */

bool report_has_level(const struct report_run *run, enum level level)
{
	for (size_t i = 0; i < run->nodes.count; i++) {
		if (measure_has(&run->nodes.items[i].series, level))
			return true;
	}
	return false;
}

bool report_is_killed(const struct report_run *run)
{
	for (size_t i = 0; i < run->nodes.count; i++) {
		const struct series_end *end = &run->nodes.items[i].series.end;
		int status = (int)end->status; /* SERIES_NO_STATUS is that of no signal */
		if (end->known && WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL)
			return true;
	}
	return false;
}

/* From the begin of CELL to its end, or, while it runs, to that of the run. */
static struct stretch stretch_of(const struct series *series, const struct series_cell *cell)
{
	int64_t end = cell->end != 0 ? cell->end : series_last(series);
	return (struct stretch){cell->begin, end < cell->begin ? cell->begin : end};
}

struct stretch report_row_on(const struct report *report, const struct report_node *node,
                             const struct report_row *row)
{
	const struct series_cell *cell = NULL;
	if (row == NULL && report_range_is_all(&report->range))
		return measure_run(&node->series);
	if (row != NULL && node != report->lead)
		cell = series_find_cell(&node->series, row->number, row->repeat);
	if (cell != NULL)
		return stretch_of(&node->series, cell);
	/* The lead's clock and that of NODE have the wall clock in common. */
	struct stretch stretch = row == NULL ? report->stretch : row->stretch;
	uint64_t shift =
	        series_wall_offset(&report->lead->series) - series_wall_offset(&node->series);
	struct stretch there = {(int64_t)((uint64_t)stretch.from + shift),
	                        (int64_t)((uint64_t)stretch.to + shift)};
	if (there.to < there.from)
		there.to = there.from;
	return there;
}

/* ---- figures of several nodes ---- */

/* MORE has percentages of COUNT things after the first OLD ones. */
static void add_shares(struct spread *spread, const struct spread *more, double old, double count)
{
	if (isnan(more->mean))
		return;
	spread->mean = isnan(spread->mean)
	                       ? more->mean
	                       : (spread->mean * old + more->mean * count) / (old + count);
	spread->min = fmin(spread->min, more->min);
	spread->max = fmax(spread->max, more->max);
	spread->samples += more->samples;
}

static void add_amounts(struct spread *spread, const struct spread *more)
{
	spread->mean = measure_sum(spread->mean, more->mean);
	spread->min = measure_sum(spread->min, more->min);
	spread->max = measure_sum(spread->max, more->max);
	spread->samples += more->samples;
}

void report_figures(const struct report *report, const struct report_node *node, enum level level,
                    const struct report_row *row, struct figures *out)
{
	static const struct spread nothing = {NAN, NAN, NAN, 0};
	double cpus = 0, gpus = 0; /* seconds of processors, and GPUs, so far */
	if (node != NULL) {
		measure_figures(&node->series, level, report_row_on(report, node, row), out);
		return;
	}
	*out = (struct figures){NAN, NAN, nothing, nothing, NAN, NAN, .gpu_memory = nothing};
	for (unsigned i = 0; i < METRIC_COUNT; i++) {
		out->grown[i] = NAN;
		out->gauges[i] = nothing;
	}
	for (size_t i = 0; i < report->run->nodes.count; i++) {
		const struct series *series = &report->run->nodes.items[i].series;
		struct stretch stretch = report_row_on(report, &report->run->nodes.items[i], row);
		struct figures more;
		out->seconds = fmax(out->seconds, series_between(stretch.from, stretch.to) / 1e9);
		if (!measure_has(series, level))
			continue;
		measure_figures(series, level, stretch, &more);
		double more_cpus = measure_cpus(series, level) * more.seconds;
		double more_gpus = (double)series->head.gpus.count;
		out->core_seconds = measure_sum(out->core_seconds, more.core_seconds);
		add_shares(&out->cpu, &more.cpu, cpus, more_cpus);
		add_amounts(&out->memory, &more.memory);
		add_amounts(&out->gpu_memory, &more.gpu_memory);
		out->memory_peak = measure_sum(out->memory_peak, more.memory_peak);
		out->memory_change = measure_sum(out->memory_change, more.memory_change);
		for (unsigned k = 0; k < METRIC_COUNT; k++) {
			out->grown[k] = measure_sum(out->grown[k], more.grown[k]);
			if (k == METRIC_GPU_UTIL || k == METRIC_GPU_BAND)
				add_shares(&out->gauges[k], &more.gauges[k], gpus, more_gpus);
			else
				add_amounts(&out->gauges[k], &more.gauges[k]);
		}
		cpus += isnan(more.cpu.mean) ? 0 : more_cpus;
		gpus += more_gpus;
	}
}

/* ---- cells ---- */

static void add_rows(struct report *report)
{
	const struct series *series = &report->lead->series;
	size_t skipped = 0;
	/* Cells up to and with the one that loads the extension have no index. */
	for (size_t i = 0; i < series->cells.count && skipped == 0; i++) {
		const struct series_title *title =
		        series_find_title(series, series->cells.items[i].number);
		struct slice rest = title == NULL ? slice_make("", 0) : title->source, line;
		while (slice_next_line(&rest, &line)) {
			struct slice magic = slice_next_word(&line);
			if ((slice_eq(magic, SLICE("%load_ext")) ||
			     slice_eq(magic, SLICE("%reload_ext"))) &&
			    slice_eq(slice_next_word(&line), SLICE("jumper_extension")))
				skipped = i + 1;
		}
	}
	for (size_t i = 0; i < series->cells.count; i++) {
		const struct series_cell *cell = &series->cells.items[i];
		const struct series_title *title = series_find_title(series, cell->number);
		if (cell->number < report->range.first || cell->number > report->range.last)
			continue;
		struct report_row row = {
		        .number = cell->number,
		        .index = i < skipped ? -1
		                             : (int64_t)(i - skipped + report->run->first_index),
		        .repeat = cell->repeat,
		        .title = title == NULL ? slice_make("", 0) : title->title,
		        .state = cell->end != 0      ? cell->state
		                 : series->end.known ? SLICE("unfinished")
		                                     : SLICE("running"),
		        .stretch = stretch_of(series, cell),
		};
		vec_push(report->arena, &report->rows, row);
	}
}

/* ---- signatures ---- */

struct slice signature_name(enum signature signature)
{
	static const struct slice names[] = {
#define SIGNATURE(id, name, text) [SIGNATURE_##id] = SLICE_INIT(name),
#include "report/signatures.def"
	};
	return names[signature];
}

/* 0 where VALUE is NaN. */
static unsigned if_share(enum signature signature, double value, double of, double percent)
{
	return of > 0 && 100 * value >= percent * of ? 1u << signature : 0;
}

/* SIGNATURE_GPU_IDLE, if a GPU shows it in STRETCH: it holds memory, and is idle at half of the samples. */
static unsigned signatures_of_gpus(const struct series *series, enum level level,
                                   struct stretch stretch)
{
	enum { IDLE = 5 }; /* % */
	const struct series_group *util = measure_group(series, level, METRIC_GPU_UTIL);
	enum metric metric = measure_metric(series, level, METRIC_GPU_MEM);
	const struct series_group *memory = measure_group(series, level, metric);
	for (size_t i = 0; util != NULL && memory != NULL && i < util->columns.count; i++) {
		const struct series_column *column = &util->columns.items[i];
		if (column->metric != METRIC_GPU_UTIL)
			continue;
		struct series_view held =
		        series_find(series, memory->level, metric, column->instance);
		size_t all = 0, idle = 0, end = series_before(util, stretch.to);
		for (size_t k = series_before(util, stretch.from); k < end; k++) {
			double bytes = series_at(held, util->times.items[k].end);
			all++;
			idle += column->values[k] <= IDLE && bytes > 0.1 * GIGABYTE;
		}
		if (all > 0 && 2 * idle >= all)
			return 1u << SIGNATURE_GPU_IDLE;
	}
	return 0;
}

/* ---- the whole ---- */

/* What the node needs that needs most; a job's memory is that of all that it runs there. */
static void find_memory_request(struct report *report)
{
	static const enum level levels[] = {LEVEL_PROCESS, LEVEL_SLURM};
	struct figures figures;
	report->peak = report->need = report->tmpfs = report->oom_kills = NAN;
	for (size_t i = 0; i < 2 * report->run->nodes.count; i++) {
		const struct series *series = &report->run->nodes.items[i / 2].series;
		if (!measure_has(series, levels[i % 2]))
			continue;
		measure_figures(series, levels[i % 2], measure_run(series), &figures);
		report->peak = fmax(report->peak, figures.memory_peak);
		report->need = fmax(report->need, measure_need(series, levels[i % 2]));
		report->tmpfs = fmax(report->tmpfs, figures.gauges[METRIC_TMPFS].max);
		report->oom_kills = fmax(report->oom_kills, figures.grown[METRIC_OOM_KILLS]);
		if (figures.grown[METRIC_OOM_KILLS] >
		    0) /* it would have taken more than it could */
			report->need = fmax(report->need, (double)series->head.memory_limit);
	}
	report->request = measure_request(report->need);
}

int report_make(struct arena *arena, const struct report_run *run, enum level level,
                struct report_range range, struct report *out)
{
	enum { BUSY = 70, FULL = 80, ALL = 100 }; /* % */
	*out = (struct report){.arena = arena, .run = run, .level = level, .range = range};
	out->lead = &run->nodes.items[0];
	for (size_t i = run->nodes.count; i-- > 0;) {
		if (run->nodes.items[i].series.cells.count > 0)
			out->lead = &run->nodes.items[i];
	}
	out->stretch = measure_run(&out->lead->series);
	add_rows(out);
	bool is_all = report_range_is_all(&range);
	if (!is_all && out->rows.count == 0)
		return -1;
	if (!is_all)
		out->stretch = out->rows.items[0].stretch;
	for (size_t i = 0; !is_all && i < out->rows.count; i++) {
		struct stretch row = out->rows.items[i].stretch;
		out->stretch.from = row.from < out->stretch.from ? row.from : out->stretch.from;
		out->stretch.to = row.to > out->stretch.to ? row.to : out->stretch.to;
	}
	for (size_t i = 0; i < out->rows.count; i++)
		report_figures(out, NULL, level, &out->rows.items[i], &out->rows.items[i].figures);
	report_figures(out, NULL, level, NULL, &out->figures);
	for (size_t i = 0; i < run->nodes.count; i++) {
		const struct series *series = &run->nodes.items[i].series;
		out->cpus += measure_cpus(series, level);
		out->gpus += series->head.gpus.count;
		out->memory += (double)measure_limit(series, level);
		for (size_t k = 0; k < series->head.gpus.count; k++)
			out->gpu_memory += (double)series->head.gpus.items[k].memory;
		out->signatures |= signatures_of_gpus(
		        series, level, report_row_on(out, &run->nodes.items[i], NULL));
	}
	const struct spread *gauges = out->figures.gauges;
	out->signatures |=
	        if_share(SIGNATURE_CPU, out->figures.cpu.mean, ALL, BUSY) |
	        if_share(SIGNATURE_MEMORY, out->figures.memory.mean, out->memory, FULL) |
	        if_share(SIGNATURE_GPU_UTIL, gauges[METRIC_GPU_UTIL].mean, ALL, FULL) |
	        if_share(SIGNATURE_GPU_MEMORY, gauges[METRIC_GPU_MEM].mean, out->gpu_memory, FULL);
	find_memory_request(out);
	return 0;
}
