/* The columns are JUmPER's, so that scripts which read its files go on working: counters are what
 * they were at the sample, memory is in GB of 2^30 bytes. */
#include "report/report_csv.h"

#include <math.h>

#include "base/quote.h"
#include "report/measure.h"

/* ---- the table ---- */

struct csv {
	const struct report *report;
	struct strbuf *out;
	const struct report_node *node;
	const struct series_group *group; /* there: whose samples are the lines */
	size_t cpus, gpus;                /* columns, the same for all nodes */
	double *values;                   /* room for as many as one of these are of */
};

static const enum metric gpu_metrics[] = {METRIC_GPU_UTIL, METRIC_GPU_BAND, METRIC_GPU_MEM};
enum { GPU_METRICS = sizeof gpu_metrics / sizeof *gpu_metrics, NS_DIGITS = 9 };

static void put_summary_titles(struct strbuf *out, struct slice name)
{
	strbuf_printf(out, ",%.*s_avg,%.*s_min,%.*s_max", SLICE_ARG(name), SLICE_ARG(name),
	              SLICE_ARG(name));
}

/* ---- values ---- */

static void put_value(struct strbuf *out, double value, int decimals)
{
	static const double powers[] = {1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6};
	static const double exact = 1e15; /* whole numbers up to there are */
	double scaled = value * powers[decimals];
	char text[SLICE_DECIMAL_MAX];
	strbuf_addc(out, ',');
	if (fabs(scaled) < exact)
		strbuf_add(out, slice_decimal(text, (int64_t)(scaled + (scaled < 0 ? -0.5 : 0.5)),
		                              decimals));
	else if (isfinite(value))
		strbuf_printf(out, "%.*f", decimals, value);
}

/* The next column of METRIC in GROUP, which may be NULL, from *AT on; moves *AT after it. */
static struct series_view next_column(const struct series_group *group, enum metric metric,
                                      size_t *at)
{
	while (group != NULL && *at < group->columns.count) {
		const struct series_column *column = &group->columns.items[(*at)++];
		if (column->metric == metric)
			return (struct series_view){group, column};
	}
	return (struct series_view){0};
}

/* Mean, least and greatest of COUNT VALUES, those that are not there aside. */
static void put_summary(struct strbuf *out, const double *values, size_t count, int decimals)
{
	double sum = 0, min = NAN, max = NAN;
	size_t known = 0;
	for (size_t i = 0; i < count; i++) {
		if (isnan(values[i]))
			continue;
		sum += values[i];
		known++;
		max = fmax(max, values[i]);
		min = fmin(min, values[i]);
	}
	put_value(out, known == 0 ? NAN : sum / (double)known, decimals);
	put_value(out, min, decimals);
	put_value(out, max, decimals);
}

/* The time that a sample of GROUP is of: since the one before. */
static struct stretch since_last(const struct series_group *group, size_t sample)
{
	const struct series_time *times = group->times.items;
	return (struct stretch){times[sample > 0 ? sample - 1 : 0].end, times[sample].end};
}

/* Use of the processors before SAMPLE, the first of which has none: of each core where it is known,
 * else the mean of all. It is that from the sample before SAMPLE, or from long enough before, to it, as far as that is in
 * CELL; none if that is too short for a rate. NULL: the sample is in no cell. */
static void put_cpus(struct strbuf *out, const struct csv *csv, size_t sample,
                     const struct stretch *cell)
{
	const struct series *series = &csv->node->series;
	double *values = csv->values;
	const struct series_group *cores =
	        measure_group(series, csv->report->level, METRIC_CORE_CPU);
	size_t count = measure_cpus(series, csv->report->level);
	struct stretch part = since_last(csv->group, sample);
	int64_t first = csv->group->times.items[0].end;
	double span = measure_rate_span(series, METRIC_CPU);
	if (series_between(part.from, part.to) < span)
		part.from = series_between(first, part.to) > span ? part.to - (int64_t)span : first;
	if (cell != NULL) {
		part.from = part.from < cell->from ? cell->from : part.from;
		part.to = part.to > cell->to ? cell->to : part.to;
		double covered = series_between(part.from, part.to);
		/* Too short, such as right after the cell's beginning. */
		if (covered < span && 2 * covered < series_between(cell->from, cell->to))
			part.from = part.to;
	}
	double mean = measure_cpu(series, csv->report->level, part);
	double seconds = series_between(part.from, part.to) / 1e9;
	for (size_t i = 0, at = 0; i < csv->cpus; i++) {
		struct series_view view = next_column(cores, METRIC_CORE_CPU, &at);
		double grown = series_at(view, part.to) - series_at(view, part.from);
		values[i] = view.column != NULL ? measure_cpu_percent(1, grown / 1e9, seconds)
		            : i < count         ? mean
		                                : NAN;
	}
	put_summary(out, values, csv->cpus, 3);
	for (size_t i = 0; i < csv->cpus; i++)
		put_value(out, values[i], 3);
}

static void put_gpus(struct strbuf *out, const struct csv *csv, int64_t moment)
{
	const struct series *series = &csv->node->series;
	double *values = csv->values;
	enum level level = csv->report->level;
	for (size_t k = 0; k < GPU_METRICS; k++) {
		enum metric metric = measure_metric(series, level, gpu_metrics[k]);
		double unit = gpu_metrics[k] == METRIC_GPU_MEM ? GIGABYTE : 1;
		const struct series_group *group = measure_group(series, level, metric);
		double *of_metric = values + k * csv->gpus;
		for (size_t i = 0, at = 0; i < csv->gpus; i++)
			of_metric[i] = series_at(next_column(group, metric, &at), moment) / unit;
		if (csv->gpus > 0)
			put_summary(out, of_metric, csv->gpus, 6);
	}
	for (size_t i = 0; i < csv->gpus; i++) {
		for (size_t k = 0; k < GPU_METRICS; k++)
			put_value(out, values[k * csv->gpus + i], 6);
	}
}

/* ---- lines ---- */

struct slice report_csv_quoted(struct arena *arena, struct slice text)
{
	struct strbuf shown = {.arena = arena}, out = {.arena = arena};
	terminal_text(&shown, text);
	strbuf_addc(&out, '"');
	for (size_t i = 0; i < shown.len; i++) {
		if (shown.ptr[i] == '"')
			strbuf_addc(&out, '"');
		strbuf_addc(&out, shown.ptr[i]);
	}
	strbuf_addc(&out, '"');
	return strbuf_slice(&out);
}

/* The lines of the samples of a node. */
static void put_node(struct csv *csv)
{
	static const enum metric io[] = {METRIC_READ_CALLS, METRIC_WRITE_CALLS, METRIC_READ_BYTES,
	                                 METRIC_WRITE_BYTES};
	struct strbuf *out = csv->out;
	const struct report *report = csv->report;
	const struct series *series = &csv->node->series;
	enum level level = report->level;
	enum metric memory = measure_metric(series, level, METRIC_RSS);
	struct stretch stretch = report_row_on(report, csv->node, NULL), cell = stretch;
	struct slice host = report_csv_quoted(out->arena, series->head.host);
	csv->group = measure_group(series, level, measure_metric(series, level, METRIC_CPU));
	if (csv->group == NULL)
		csv->group = measure_group(series, level, memory);
	size_t at = 0; /* the first cell that has not ended */
	for (size_t i = 0; csv->group != NULL && i < csv->group->times.count; i++) {
		int64_t moment = csv->group->times.items[i].end;
		struct stretch part = since_last(csv->group, i);
		int64_t middle = part.from + (int64_t)(series_between(part.from, part.to) / 2);
		char text[SLICE_DECIMAL_MAX];
		if (middle > stretch.to)
			return;
		if (middle < stretch.from)
			continue;
		/* The cell with most of the time since the previous sample. The sample that is read when a cell ends belongs to
		 * that cell, even if the next one has begun. */
		for (; at < report->rows.count; at++) {
			cell = report_row_on(report, csv->node, &report->rows.items[at]);
			if (middle < cell.to)
				break;
		}
		bool is_in_cell = at < report->rows.count && middle >= cell.from;
		strbuf_add(out, slice_decimal(text, moment, NS_DIGITS));
		put_value(out, series_at(series_find(series, level, memory, 0), moment) / GIGABYTE,
		          6);
		for (size_t k = 0; k < sizeof io / sizeof *io; k++)
			put_value(out, series_at(series_find(series, level, io[k], 0), moment), 0);
		put_cpus(out, csv, i, is_in_cell ? &cell : NULL);
		put_gpus(out, csv, moment);
		strbuf_addc(out, ',');
		if (is_in_cell && report->rows.items[at].index >= 0)
			strbuf_printf(out, "%" PRId64, report->rows.items[at].index);
		if (report->run->nodes.count > 1)
			strbuf_printf(out, ",%.*s", SLICE_ARG(host));
		strbuf_addc(out, '\n');
	}
}

void report_csv(struct strbuf *out, const struct report *report)
{
	struct csv csv = {.report = report, .out = out};
	/* Columns for the node that has most. */
	for (size_t i = 0; i < report->run->nodes.count; i++) {
		const struct series *series = &report->run->nodes.items[i].series;
		size_t cpus = measure_cpus(series, report->level);
		csv.cpus = cpus > csv.cpus ? cpus : csv.cpus;
		for (size_t k = 0; k < GPU_METRICS; k++) {
			enum metric metric = measure_metric(series, report->level, gpu_metrics[k]);
			const struct series_group *group =
			        measure_group(series, report->level, metric);
			size_t gpus = 0, at = 0;
			while (next_column(group, metric, &at).column != NULL)
				gpus++;
			csv.gpus = gpus > csv.gpus ? gpus : csv.gpus;
		}
	}
	size_t values = csv.cpus > GPU_METRICS * csv.gpus ? csv.cpus : GPU_METRICS * csv.gpus;
	csv.values = arena_calloc(report->arena, values, sizeof *csv.values);
	strbuf_puts(out, REPORT_CSV_MARKER "io_write_count,io_read,io_write");
	put_summary_titles(out, SLICE("cpu_util"));
	for (size_t i = 0; i < csv.cpus; i++)
		strbuf_printf(out, ",cpu_util_%zu", i);
	for (size_t k = 0; csv.gpus > 0 && k < GPU_METRICS; k++)
		put_summary_titles(out, metric_row(gpu_metrics[k])->name);
	for (size_t i = 0; i < csv.gpus; i++) {
		for (size_t k = 0; k < GPU_METRICS; k++)
			strbuf_printf(out, ",%.*s_%zu", SLICE_ARG(metric_row(gpu_metrics[k])->name),
			              i);
	}
	strbuf_puts(out, report->run->nodes.count > 1 ? ",cell_index,host\n" : ",cell_index\n");
	for (size_t i = 0; i < report->run->nodes.count; i++) {
		csv.node = &report->run->nodes.items[i];
		put_node(&csv);
	}
}
