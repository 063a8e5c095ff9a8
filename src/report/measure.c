#include "report/measure.h"

#include <math.h>

static const double second = 1e9; /* nanoseconds */
static const double tick = 0.01;  /* seconds: the longest one of Linux */
static const double pace = 0.1;   /* seconds: page faults are read no more often */

/* ---- what there is ---- */

struct stretch measure_run(const struct series *series)
{
	int64_t begin = series_begin(series), last = series_last(series);
	return (struct stretch){begin, last < begin ? begin : last};
}

const struct series_group *measure_group(const struct series *series, enum level level,
                                         enum metric metric)
{
	vec_each(const struct series_group, group, &series->groups) {
		bool has_level = group->level == level && group->times.count > 0;
		for (size_t k = 0; has_level && k < group->columns.count; k++) {
			if (group->columns.items[k].metric == metric)
				return group;
		}
	}
	/* The use of a GPU by any process has no level. */
	return level != LEVEL_COUNT && metric_is_of_gpu(metric) && metric != METRIC_GPU_PROCESS_MEM
	               ? measure_group(series, LEVEL_COUNT, metric)
	               : NULL;
}

enum metric measure_metric(const struct series *series, enum level level, enum metric metric)
{
	bool is_system = level == LEVEL_SYSTEM;
	if (metric == METRIC_RSS && is_system)
		return METRIC_MEMORY_USED;
	if (metric == METRIC_CPU && is_system && measure_group(series, level, metric) == NULL)
		return METRIC_CORE_CPU;
	if (metric == METRIC_GPU_MEM &&
	    measure_group(series, level, METRIC_GPU_PROCESS_MEM) != NULL)
		return METRIC_GPU_PROCESS_MEM;
	return metric;
}

bool measure_has(const struct series *series, enum level level)
{
	return measure_group(series, level, measure_metric(series, level, METRIC_CPU)) != NULL ||
	       measure_group(series, level, measure_metric(series, level, METRIC_RSS)) != NULL;
}

/* ---- counters ---- */

static double seconds_of(struct stretch stretch)
{
	return series_between(stretch.from, stretch.to) / second;
}

/* The part of STRETCH between two samples of GROUP. Its end is before its beginning if no part is. */
static struct stretch part_sampled(const struct series_group *group, struct stretch stretch)
{
	int64_t first = group->times.items[0].end;
	int64_t last = group->times.items[group->times.count - 1].end;
	return (struct stretch){stretch.from > first ? stretch.from : first,
	                        stretch.to < last ? stretch.to : last};
}

double measure_grown(const struct series *series, enum level level, enum metric metric,
                     struct stretch stretch)
{
	const struct series_group *group = measure_group(series, level, metric);
	if (group == NULL)
		return NAN;
	struct stretch part = part_sampled(group, stretch);
	if (part.to < part.from)
		return NAN;
	double grown = 0;
	for (size_t i = 0; i < group->columns.count; i++) {
		struct series_view view = {group, &group->columns.items[i]};
		if (view.column->metric == metric)
			grown += series_at(view, stretch.to) - series_at(view, stretch.from);
	}
	return grown;
}

unsigned measure_cpus(const struct series *series, enum level level)
{
	enum { MOST = 1 << 16 };
	const struct series_group *group = measure_group(series, level, METRIC_CORE_CPU);
	unsigned count = 0;
	for (size_t i = 0; group != NULL && i < group->columns.count; i++)
		count += group->columns.items[i].metric == METRIC_CORE_CPU;
	int64_t cpus = series->head.cpus;
	return count > 0 ? count : cpus > 0 && cpus <= MOST ? (unsigned)cpus : 1;
}

/* ---- rates ---- */

double measure_rate_span(const struct series *series, enum metric metric)
{
	enum { TICKS = 5 };
	double half = (double)series->head.interval / 2;
	if (metric == METRIC_MINOR_FAULTS || metric == METRIC_MAJOR_FAULTS)
		return fmax(half, 2 * pace * second);
	return metric == METRIC_CPU || metric == METRIC_CORE_CPU ? fmax(half, TICKS * tick * second)
	                                                         : half;
}

double measure_cpu_percent(unsigned cpus, double core_seconds, double seconds)
{
	return seconds > 0 ? 100 * core_seconds / (seconds * cpus) : NAN;
}

double measure_cpu(const struct series *series, enum level level, struct stretch stretch)
{
	enum metric metric = measure_metric(series, level, METRIC_CPU);
	double grown = measure_grown(series, level, metric, stretch) / second;
	if (isnan(grown))
		return NAN;
	struct stretch part = part_sampled(measure_group(series, level, metric), stretch);
	return measure_cpu_percent(measure_cpus(series, level), grown, seconds_of(part));
}

/* ---- gauges ---- */

static const struct spread no_spread = {NAN, NAN, NAN, 0};

static void spread_add(struct spread *spread, double value)
{
	spread->min = fmin(spread->min, value);
	spread->max = fmax(spread->max, value);
}

double measure_value(const struct series_group *group, enum metric metric, size_t index)
{
	bool is_share = metric == METRIC_GPU_UTIL || metric == METRIC_GPU_BAND;
	double sum = 0;
	size_t count = 0;
	vec_each(const struct series_column, column, &group->columns) {
		if (column->metric != metric)
			continue;
		sum += (double)column->values[index];
		count++;
	}
	if (count == 0)
		return NAN;
	return is_share ? sum / (double)count : sum;
}

/* Returns METRIC of the marks, which is exact when cells begin and end; a view without a column if
 * METRIC belongs to another level than the program's, or if the series has no marks. */
static struct series_view marks_of(const struct series *series, enum level level,
                                   enum metric metric)
{
	return level == LEVEL_PROCESS ? series_find(series, level, metric, 0)
	                              : (struct series_view){0};
}

/* How many samples of GROUP, which may be NULL, were complete at MOMENT. */
static size_t count_before(const struct series_group *group, int64_t moment)
{
	return group == NULL ? 0 : series_before(group, moment);
}

/* The value of the mark at MOMENT, or NaN. */
static double value_at_mark(struct series_view marks, int64_t moment)
{
	size_t count = count_before(marks.group, moment);
	return count > 0 && marks.group->times.items[count - 1].end == moment
	               ? (double)marks.column->values[count - 1]
	               : NAN;
}

/* The number of samples of GROUP up to the end of STRETCH. A sample right after its end, which the
 * sampler reads when a cell ends, belongs to it. */
static size_t until_end(const struct series_group *group, struct stretch stretch)
{
	static const double soon = 2e6, share = 0.01; /* nanoseconds; of the stretch */
	size_t count = series_before(group, stretch.to);
	if (count == group->times.count || group->times.items[count].begin < stretch.to)
		return count;
	double near = fmax(soon, share * series_between(stretch.from, stretch.to));
	return series_between(stretch.to, group->times.items[count].begin) <= near ? count + 1
	                                                                           : count;
}

/* When sample I of GROUP was taken, or the end of STRETCH that is nearer to it. */
static int64_t moment_in(const struct series_group *group, size_t i, struct stretch stretch)
{
	int64_t moment = group->times.items[i].end;
	moment = moment < stretch.from ? stretch.from : moment;
	return moment > stretch.to ? stretch.to : moment;
}

static struct spread gauge_spread(const struct series_group *group, enum metric metric,
                                  struct series_view marks, struct stretch stretch)
{
	struct spread spread = no_spread;
	double sum = 0, weighted = 0, weights = 0;
	bool is_marked = !isnan(value_at_mark(marks, stretch.to));
	size_t first = series_first_from(group, stretch.from);
	size_t last = is_marked ? series_before(group, stretch.to) : until_end(group, stretch);
	for (size_t i = first; i < last; i++) {
		double value = measure_value(group, metric, i);
		if (isnan(value) || (metric == METRIC_RSS && value == 0)) /* all have ended */
			continue;
		spread_add(&spread, value);
		/* The sample represents half of the time to each of its neighbours. */
		int64_t moment = moment_in(group, i, stretch);
		double before = series_between(stretch.from, moment);
		double after = series_between(moment, stretch.to);
		if (i > first)
			before = series_between(moment_in(group, i - 1, stretch), moment) / 2;
		if (i + 1 < last)
			after = series_between(moment, moment_in(group, i + 1, stretch)) / 2;
		double weight = before + after;
		sum += value;
		weighted += weight * value;
		weights += weight;
		spread.samples++;
	}
	if (spread.samples > 0)
		spread.mean = weights > 0 ? weighted / weights : sum / (double)spread.samples;
	/* The marks at both ends of the stretch and in it. Without samples they are all that is known. */
	size_t mark = marks.group == NULL ? 0 : series_first_from(marks.group, stretch.from);
	size_t marks_end = count_before(marks.group, stretch.to);
	double of_marks = 0;
	for (size_t i = mark; i < marks_end; i++) {
		spread_add(&spread, (double)marks.column->values[i]);
		of_marks += (double)marks.column->values[i];
	}
	if (spread.samples == 0 && marks_end > mark)
		spread.mean = of_marks / (double)(marks_end - mark);
	if (!isnan(spread.mean))
		return spread;
	while (metric == METRIC_RSS && last > 1 && measure_value(group, metric, last - 1) == 0)
		last--;
	if (last == 0 || series_is_over(group, metric, stretch.from))
		return no_spread;
	spread.mean = measure_value(group, metric, last - 1);
	spread.min = spread.max = spread.mean;
	return spread;
}

/* Shares between samples that are far enough apart. */
static struct spread cpu_spread(const struct series *series, enum level level,
                                struct stretch stretch)
{
	struct spread spread = no_spread;
	enum metric metric = measure_metric(series, level, METRIC_CPU);
	const struct series_group *group = measure_group(series, level, metric);
	spread.mean = measure_cpu(series, level, stretch);
	if (group == NULL)
		return spread;
	size_t first = series_first_from(group, stretch.from),
	       end = series_before(group, stretch.to);
	double enough = measure_rate_span(series, metric);
	unsigned cpus = measure_cpus(series, level);
	for (size_t i = first; i < end; i++) {
		struct stretch part = {group->times.items[first].end, group->times.items[i].end};
		spread.samples++;
		if (part.to == part.from || series_between(part.from, part.to) < enough)
			continue;
		double grown =
		        measure_value(group, metric, i) - measure_value(group, metric, first);
		spread_add(&spread, measure_cpu_percent(cpus, grown / second, seconds_of(part)));
		first = i;
	}
	/* For a short stretch the mean is better than the samples in it. */
	spread_add(&spread, spread.mean);
	return spread;
}

/* The memory at MOMENT, an end of STRETCH: the value of a mark, or of a sample, as above. */
static double memory_at(const struct series *series, enum level level, struct stretch stretch,
                        int64_t moment)
{
	enum metric metric = measure_metric(series, level, METRIC_RSS);
	const struct series_group *group = measure_group(series, level, metric);
	double marked = value_at_mark(marks_of(series, level, METRIC_MARK_RSS), moment);
	if (group == NULL || !isnan(marked))
		return marked;
	size_t count = until_end(group, (struct stretch){stretch.from, moment});
	while (metric == METRIC_RSS && count > 1 && measure_value(group, metric, count - 1) == 0)
		count--; /* all have ended */
	if (count == 0 && moment == stretch.from)
		count = 1;
	return count > 0 ? measure_value(group, metric, count - 1) : NAN;
}

/* ---- the peak ---- */

/* True if the kernel reports the program's usage, which it does only for a child of the sampler. */
static bool is_end_told(const struct series_end *end)
{
	return end->known && (end->user != 0 || end->system != 0);
}

/* The highest memory of a process so far, where it rose within STRETCH, else NaN: a rise between two samples belongs to
 * the stretch in which the second one was read, and a rise after the last sample to the stretch that the end of the run
 * interrupts. Marks are exact. The first sample does not count: its peak may have been long before it. */
static double highest_rise(const struct series *series, enum level level, struct stretch stretch)
{
	const struct series_view views[] = {series_find(series, level, METRIC_PEAK_RSS, 0),
	                                    marks_of(series, level, METRIC_MARK_PEAK_RSS)};
	double before = NAN, highest = NAN;
	for (size_t k = 0; k < sizeof views / sizeof *views; k++) {
		size_t first = count_before(views[k].group, stretch.from);
		size_t end = count_before(views[k].group, stretch.to);
		if (k == 0 && end > 0 && isnan(value_at_mark(views[1], stretch.to)))
			end = until_end(views[k].group, stretch);
		if (first == 0 && end > 0)
			first = 1;
		if (first > 0)
			before = fmax(before, (double)views[k].column->values[first - 1]);
		if (end > first)
			highest = fmax(highest, (double)views[k].column->values[end - 1]);
	}
	if (level == LEVEL_PROCESS && is_end_told(&series->end) && stretch.to >= series->end.moment)
		highest = fmax(highest, (double)series->end.peak_rss);
	return highest > before ? highest : NAN;
}

/* ---- all together ---- */

void measure_figures(const struct series *series, enum level level, struct stretch stretch,
                     struct figures *out)
{
	struct stretch run = measure_run(series);
	const struct series_end *end = &series->end;
	out->seconds = seconds_of(stretch);
	for (unsigned i = 0; i < METRIC_COUNT; i++) {
		const struct series_group *group = measure_group(series, level, i);
		bool grows = metric_row(i)->kind == METRIC_IS_COUNTER;
		out->grown[i] = grows ? measure_grown(series, level, i, stretch) : NAN;
		struct series_view marks =
		        marks_of(series, i == METRIC_RSS ? level : LEVEL_COUNT, METRIC_MARK_RSS);
		out->gauges[i] =
		        group == NULL || grows ? no_spread : gauge_spread(group, i, marks, stretch);
	}
	out->core_seconds = out->grown[measure_metric(series, level, METRIC_CPU)] / second;
	out->cpu = cpu_spread(series, level, stretch);
	out->memory = out->gauges[measure_metric(series, level, METRIC_RSS)];
	out->gpu_memory = out->gauges[measure_metric(series, level, METRIC_GPU_MEM)];
	out->memory_peak = fmax(out->memory.max, highest_rise(series, level, stretch));
	out->memory_change = memory_at(series, level, stretch, stretch.to) -
	                     memory_at(series, level, stretch, stretch.from);
	if (level != LEVEL_PROCESS || stretch.from != run.from || stretch.to != run.to ||
	    !is_end_told(end))
		return;
	/* The kernel's figures at the end include processes that lived only between two samples. */
	out->core_seconds =
	        fmax(out->core_seconds, ((double)end->user + (double)end->system) / second);
	out->cpu.mean =
	        measure_cpu_percent(measure_cpus(series, level), out->core_seconds, out->seconds);
	out->cpu.min = fmin(out->cpu.min, out->cpu.mean);
	out->cpu.max = fmax(out->cpu.max, out->cpu.mean);
	out->memory_peak = fmax(out->memory_peak, (double)end->peak_rss);
	const struct {
		enum metric metric;
		double value;
	} grown[] = {{METRIC_CPU, out->core_seconds * second},
	             {METRIC_MINOR_FAULTS, (double)end->minor_faults},
	             {METRIC_MAJOR_FAULTS, (double)end->major_faults},
	             {METRIC_VOLUNTARY_SWITCHES, (double)end->voluntary_switches},
	             {METRIC_INVOLUNTARY_SWITCHES, (double)end->involuntary_switches}};
	for (size_t i = 0; i < sizeof grown / sizeof *grown; i++)
		out->grown[grown[i].metric] = fmax(out->grown[grown[i].metric], grown[i].value);
}

/* ---- the next job ---- */

int64_t measure_limit(const struct series *series, enum level level)
{
	const struct series_head *head = &series->head;
	bool limited = level == LEVEL_PROCESS || level == LEVEL_SLURM;
	return limited && head->memory_limit > 0 ? head->memory_limit : head->memory_total;
}

int64_t measure_request(double peak)
{
	enum { LEAST_MORE = 256, STEP = 256, LARGE = 8192, LARGE_STEP = 1024 }; /* MiB */
	double most = 1e6 * LARGE_STEP * MEGABYTE;
	if (!(peak > 0 && peak < most))
		return 0;
	double wanted = fmax(peak * 1.2, peak + LEAST_MORE * MEGABYTE);
	double step = (wanted > LARGE * MEGABYTE ? LARGE_STEP : STEP) * MEGABYTE;
	return (int64_t)(ceil(wanted / step) * step);
}

struct slice measure_request_text(struct arena *arena, int64_t request)
{
	enum { MEBI = 1 << 20, GIBI = 1 << 30 };
	if (request % GIBI == 0)
		return arena_printf(arena, "%" PRId64 "G", request / GIBI);
	return arena_printf(arena, "%" PRId64 "M", request / MEBI);
}
