/* The columns are JUmPER's, so that scripts which read its files go on working: counters are what
 * they were at the sample, memory is in GB of 2^30 bytes. */
#include "report/report_csv.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>

#include "base/os.h"
#include "base/quote.h"
#include "trace/series_late.h"
#include "trace/series_read.h"

/* ---- the window of time ---- */

/* The samples of a file a few at a time, from its beginning to its end, for what is too long to be
 * held. */

/* How many samples of a group are no longer held, and of how many the processor time is settled. */
struct series_window_group {
	size_t dropped, settled;
};

struct series_window {
	struct series series; /* as far as it is held; its groups are those of WHOLE */
	const struct series *whole;
	VECTOR(struct series_window_group) groups; /* of WHOLE */
	struct series_reader reader;
	bool is_whole; /* all is held, and nothing is read */
};

/* Begins with the samples of WHOLE, which INPUT has from its beginning, or where INPUT is NULL holds
 * all that WHOLE does. Returns 0, or -1 where it is no longer the file that WHOLE was read from. */
static int series_window_open(struct series_window *window, struct arena *arena,
                              const struct series_input *input, const struct series *whole)
{
	struct slice problem;
	*window = (struct series_window){.whole = whole, .is_whole = input == NULL};
	for (size_t i = 0; i < whole->groups.count; i++)
		vec_push(arena, &window->groups, (struct series_window_group){0});
	if (input == NULL) {
		window->series = *whole;
		return 0;
	}
	struct series_reader *reader = &window->reader;
	*reader = (struct series_reader){
	        .arena = arena, .input = *input, .is_again = true, .out = &window->series};
	if (series_reader_open(reader, &problem) != 0)
		return -1;
	for (size_t i = 0; i < whole->losses.count; i++)
		*number_map_at(&reader->lost, whole->losses.items[i].gpu) = i + 1;
	window->series = *whole;
	window->series.truncated = false;
	memset(&window->series.groups, 0, sizeof window->series.groups);
	return 0;
}

/* Reads one more record. */
static bool window_step(struct series_window *window)
{
	return !window->is_whole && series_reader_step(&window->reader);
}

/* The group, or NULL where its definition was not read yet. */
static struct series_group *window_group(struct series_window *window, size_t group)
{
	return group < window->series.groups.count ? &window->series.groups.items[group] : NULL;
}

/* Reads on until sample NUMBER of GROUP, an index, is held. Returns its place there, or SIZE_MAX
 * where WHOLE does not reach that far. */
static size_t series_window_find(struct series_window *window, size_t group, size_t number)
{
	if (number >= window->whole->groups.items[group].taken)
		return SIZE_MAX;
	for (;;) {
		const struct series_group *held = window_group(window, group);
		size_t place = number - window->groups.items[group].dropped;
		if (held != NULL && place < held->times.count)
			return place;
		if (!window_step(window))
			return SIZE_MAX;
	}
}

/* The number of held samples that can be settled: all before the last ten seconds, if the held ones
 * span twice that. */
static size_t count_settled(const struct series_window *window, size_t group,
                            const struct series_group *held)
{
	static const double later = 1e10; /* nanoseconds */
	size_t count = held->times.count;
	if (held->taken >= window->whole->groups.items[group].taken || !series_is_late(held))
		return count;
	const struct series_window_group *state = &window->groups.items[group];
	const struct series_time *times = held->times.items;
	size_t from = state->settled - state->dropped;
	int64_t last = times[count - 1].end;
	if (from == count || series_between(times[from].end, last) < 2 * later)
		return from;
	return series_before(held, last - (int64_t)later);
}

static void window_settle(struct series_window *window, size_t group, struct series_group *held)
{
	struct series_window_group *state = &window->groups.items[group];
	size_t from = state->settled - state->dropped, to = count_settled(window, group, held);
	if (from == to)
		return;
	series_settle(window->whole, held, from, to);
	state->settled = state->dropped + to;
}

/* True if all samples that WHOLE has of the group are settled, or one that ended after MOMENT. Settles
 * more samples otherwise. */
static bool is_read(struct series_window *window, size_t group, int64_t moment)
{
	const struct series_window_group *state = &window->groups.items[group];
	struct series_group *held = window_group(window, group);
	size_t taken = window->whole->groups.items[group].taken;
	if (held == NULL || held->times.count == 0)
		return taken == 0;
	size_t settled = state->settled - state->dropped;
	if (settled > 0 && held->times.items[settled - 1].end > moment)
		return true;
	window_settle(window, group, held);
	settled = state->settled - state->dropped;
	return state->settled >= taken ||
	       (settled > 0 && held->times.items[settled - 1].end > moment);
}

/* Reads on until GROUP has a sample that ended after MOMENT, or all that WHOLE has. */
static void series_window_read(struct series_window *window, size_t group, int64_t moment)
{
	if (window->is_whole)
		return;
	while (!is_read(window, group, moment) && window_step(window))
		;
	struct series_group *held = window_group(window, group);
	if (held != NULL && window->whole->losses.count > 0)
		series_forget_lost(window->whole, &window->reader.lost, held);
}

/* Drops the first COUNT samples. */
static void group_drop(struct series_group *group, size_t count)
{
	size_t left = group->times.count - count;
	memmove(group->times.items, group->times.items + count, left * sizeof *group->times.items);
	group->times.count = left;
	for (size_t i = 0; i < group->columns.count; i++) {
		int64_t *values = group->columns.items[i].values;
		memmove(values, values + count, left * sizeof *values);
	}
}

/* Samples that ended before MOMENT may go, but the last one of each group. */
static void series_window_drop(struct series_window *window, int64_t moment)
{
	enum { FEW = 256 }; /* then at most as much is moved as is dropped */
	for (size_t i = 0;
	     !window->is_whole && i < window->series.groups.count && i < window->groups.count;
	     i++) {
		struct series_group *group = &window->series.groups.items[i];
		size_t before = series_before(group, moment);
		if (before < FEW || before < group->times.count / 2)
			continue;
		group_drop(group, before - 1);
		window->groups.items[i].dropped += before - 1;
	}
}

/* ---- the table ---- */

static const double gigabyte = 1024.0 * 1024.0 * 1024.0;

struct csv {
	const struct report *report;
	struct report_lines *lines;
	const struct report_node *node;
	struct series_window window;      /* of the node's samples */
	const struct series *series;      /* those that are held */
	const struct series_group *group; /* there: whose samples are the lines */
	struct slice host;                /* as a field; where there are several nodes */
	size_t cpus, gpus;                /* columns, the same for all nodes */
	double *values;                   /* room for as many as one of these are of */
	size_t row;                       /* the first cell that has not ended */
	bool is_read;                     /* if the last node is not, its file cannot be read */
};

static const enum metric gpu_metrics[] = {METRIC_GPU_UTIL, METRIC_GPU_BAND, METRIC_GPU_MEM};
enum { GPU_METRICS = sizeof gpu_metrics / sizeof *gpu_metrics, NS_DIGITS = 9 };

/* The group of METRIC, or of its replacement at the level, which *METRIC is set to. */
static const struct series_group *gpu_group(const struct csv *csv, enum metric *metric)
{
	const struct series *series = csv->series;
	if (*metric == METRIC_GPU_MEM)
		*metric = measure_gpu_memory_metric(series, csv->report->level);
	return measure_group(series, csv->report->level, *metric);
}

static const struct series_group *lines_of(const struct series *series, enum level level)
{
	const struct series_group *group =
	        measure_group(series, level, measure_cpu_metric(series, level));
	return group != NULL ? group : measure_group(series, level, measure_memory_metric(level));
}

/* ---- the head ---- */

static void put_summary_titles(struct strbuf *out, struct slice name)
{
	strbuf_printf(out, ",%.*s_avg,%.*s_min,%.*s_max", SLICE_ARG(name), SLICE_ARG(name),
	              SLICE_ARG(name));
}

static void put_titles(struct strbuf *out, const struct csv *csv)
{
	strbuf_puts(out, REPORT_CSV_MARKER "io_write_count,io_read,io_write");
	put_summary_titles(out, SLICE("cpu_util"));
	for (size_t i = 0; i < csv->cpus; i++)
		strbuf_printf(out, ",cpu_util_%zu", i);
	for (size_t i = 0; csv->gpus > 0 && i < GPU_METRICS; i++)
		put_summary_titles(out, metric_row(gpu_metrics[i])->name);
	for (size_t i = 0; i < csv->gpus; i++) {
		for (size_t k = 0; k < GPU_METRICS; k++)
			strbuf_printf(out, ",%.*s_%zu", SLICE_ARG(metric_row(gpu_metrics[k])->name),
			              i);
	}
	strbuf_puts(out,
	            csv->report->run->nodes.count > 1 ? ",cell_index,host\n" : ",cell_index\n");
}

/* ---- values ---- */

/* NUMBER, of which so many DIGITS come after the point: as printf() has it, in less time. */
static void put_fixed(struct strbuf *out, int64_t number, int digits)
{
	char text[32];
	size_t at = sizeof text;
	uint64_t rest = number < 0 ? 0 - (uint64_t)number : (uint64_t)number;
	for (int i = 0; i <= digits || rest > 0; i++) {
		if (i == digits && digits > 0)
			text[--at] = '.';
		text[--at] = (char)('0' + rest % 10);
		rest /= 10;
	}
	if (number < 0)
		text[--at] = '-';
	strbuf_add(out, slice_make(text + at, sizeof text - at));
}

static void put_value(struct strbuf *out, double value, int decimals)
{
	static const double powers[] = {1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6};
	static const double exact = 1e15; /* whole numbers up to there are */
	double scaled = value * powers[decimals];
	strbuf_addc(out, ',');
	if (fabs(scaled) < exact)
		put_fixed(out, (int64_t)(scaled + (scaled < 0 ? -0.5 : 0.5)), decimals);
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

static double value_of(struct series_view view, int64_t moment)
{
	return view.column == NULL ? NAN : series_at(view, moment);
}

static double level_value(const struct csv *csv, enum metric metric, int64_t moment)
{
	size_t at = 0;
	const struct series_group *group = measure_group(csv->series, csv->report->level, metric);
	return value_of(next_column(group, metric, &at), moment);
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
		max = measure_larger(max, values[i]);
		min = measure_smaller(min, values[i]);
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

static int64_t middle_of(struct stretch part)
{
	return part.from + (int64_t)(series_between(part.from, part.to) / 2);
}

/* PART within CELL; empty if it is too short for a rate, such as right after the cell's beginning. */
static struct stretch within_cell(struct stretch part, struct stretch cell, double span)
{
	part.from = part.from < cell.from ? cell.from : part.from;
	part.to = part.to > cell.to ? cell.to : part.to;
	double covered = series_between(part.from, part.to);
	if (covered < span && 2 * covered < series_between(cell.from, cell.to))
		part.from = part.to;
	return part;
}

/* From the sample before SAMPLE, or from long enough before, to it, as far as that is in CELL. NULL:
 * the sample is in no cell. */
static struct stretch before_sample(const struct csv *csv, size_t sample,
                                    const struct stretch *cell)
{
	struct stretch part = since_last(csv->group, sample);
	int64_t first = csv->group->times.items[0].end;
	double span = measure_rate_span(csv->series, METRIC_CPU);
	if (series_between(part.from, part.to) < span)
		part.from = series_between(first, part.to) > span ? part.to - (int64_t)span : first;
	return cell == NULL ? part : within_cell(part, *cell, span);
}

/* Use of the processors before SAMPLE, the first of which has none: of each core where it is known,
 * else the mean of all. */
static void put_cpus(struct strbuf *out, const struct csv *csv, size_t sample,
                     const struct stretch *cell)
{
	const struct series *series = csv->series;
	double *values = csv->values;
	const struct series_group *cores =
	        measure_group(series, csv->report->level, METRIC_CORE_CPU);
	size_t count = measure_cpus(series, csv->report->level);
	struct stretch part = before_sample(csv, sample, cell);
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
	double *values = csv->values;
	for (size_t k = 0; k < GPU_METRICS; k++) {
		enum metric metric = gpu_metrics[k];
		double unit = metric == METRIC_GPU_MEM ? gigabyte : 1;
		const struct series_group *group = gpu_group(csv, &metric);
		double *of_metric = values + k * csv->gpus;
		for (size_t i = 0, at = 0; i < csv->gpus; i++)
			of_metric[i] = value_of(next_column(group, metric, &at), moment) / unit;
		if (csv->gpus > 0)
			put_summary(out, of_metric, csv->gpus, 6);
	}
	for (size_t i = 0; i < csv->gpus; i++) {
		for (size_t k = 0; k < GPU_METRICS; k++)
			put_value(out, values[k * csv->gpus + i], 6);
	}
}

/* ---- lines ---- */

/* In quotation marks, as UTF-8 that does nothing to a terminal. */
static struct slice csv_quoted(struct arena *arena, struct slice text)
{
	struct strbuf shown, out;
	strbuf_init(&shown, arena);
	strbuf_init(&out, arena);
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

/* The cell with most of the time since the previous sample, and when it ran; or NULL. The sample that
 * is read when a cell ends belongs to that cell, even if the next one has begun. */
static const struct report_row *find_row(struct csv *csv, size_t sample, struct stretch *cell)
{
	const struct report *report = csv->report;
	int64_t middle = middle_of(since_last(csv->group, sample));
	for (; csv->row < report->rows.count; csv->row++) {
		const struct report_row *row = &report->rows.items[csv->row];
		*cell = report_row_on(report, csv->node, row);
		if (middle < cell->to)
			return middle < cell->from ? NULL : row;
	}
	return NULL;
}

static void put_line(struct csv *csv, size_t sample)
{
	static const enum metric io[] = {METRIC_READ_CALLS, METRIC_WRITE_CALLS, METRIC_READ_BYTES,
	                                 METRIC_WRITE_BYTES};
	struct strbuf *out = &csv->lines->out;
	const struct series_time *time = &csv->group->times.items[sample];
	enum metric memory = measure_memory_metric(csv->report->level);
	struct stretch cell;
	const struct report_row *row = find_row(csv, sample, &cell);
	put_fixed(out, time->end, NS_DIGITS);
	put_value(out, level_value(csv, memory, time->end) / gigabyte, 6);
	for (size_t i = 0; i < sizeof io / sizeof *io; i++)
		put_value(out, level_value(csv, io[i], time->end), 0);
	put_cpus(out, csv, sample, row == NULL ? NULL : &cell);
	put_gpus(out, csv, time->end);
	strbuf_addc(out, ',');
	if (row != NULL && row->index >= 0)
		strbuf_printf(out, "%" PRId64, row->index);
	if (csv->report->run->nodes.count > 1)
		strbuf_printf(out, ",%.*s", SLICE_ARG(csv->host));
	strbuf_addc(out, '\n');
}

static int write_out(struct report_lines *lines)
{
	struct slice text = strbuf_slice(&lines->out);
	int status = lines->write == NULL ? 0 : lines->write(lines->data, text);
	if (lines->write != NULL)
		lines->out.len = 0;
	return status;
}

/* Reads on until all that a line at MOMENT shows is held. */
static void hold_all(struct csv *csv, int64_t moment)
{
	const struct series *whole = &csv->node->series;
	for (size_t i = 0; i < whole->groups.count; i++) {
		enum level level = whole->groups.items[i].level;
		if (level == csv->report->level || level == LEVEL_COUNT)
			series_window_read(&csv->window, i, moment);
	}
}

/* The lines of the samples of GROUP, an index. */
static int put_samples(struct csv *csv, size_t group)
{
	enum { ENOUGH = 64 * 1024 };
	struct stretch stretch = report_row_on(csv->report, csv->node, NULL);
	double span = measure_rate_span(&csv->node->series, METRIC_CPU);
	for (size_t number = 0;; number++) {
		size_t at = series_window_find(&csv->window, group, number);
		if (at == SIZE_MAX)
			return 0;
		const struct series_group *held = &csv->window.series.groups.items[group];
		int64_t end = held->times.items[at].end, middle = middle_of(since_last(held, at));
		if (middle > stretch.to)
			return 0;
		if (middle < stretch.from)
			continue;
		hold_all(csv, end);
		csv->group = &csv->series->groups.items[group];
		put_line(csv, at);
		if (csv->lines->out.len > ENOUGH && write_out(csv->lines) != 0)
			return -1;
		series_window_drop(&csv->window, end - 2 * (int64_t)span);
	}
}

/* INPUT: see series_window_open(). */
static int put_node(struct csv *csv, const struct series_input *input)
{
	const struct series *whole = &csv->node->series;
	const struct series_group *group = lines_of(whole, csv->report->level);
	struct arena *arena = csv->lines->out.arena;
	csv->row = 0;
	csv->host = csv_quoted(arena, whole->head.host);
	if (group == NULL)
		return 0;
	int status = series_window_open(&csv->window, arena, input, whole);
	csv->series = &csv->window.series;
	int error = status != 0 ? ESTALE : 0;
	if (status == 0)
		status = put_samples(csv, (size_t)(group - whole->groups.items));
	if (csv->window.reader.input.error != 0)
		error = csv->window.reader.input.error;
	csv->is_read = error == 0;
	if (error != 0)
		errno = error;
	return error != 0 ? -1 : status;
}

static int put_node_of_file(int fd, void *data)
{
	struct csv *csv = data;
	struct series_input input;
	series_input_of_file(&input, csv->lines->out.arena, fd);
	return put_node(csv, &input);
}

static int put_any_node(struct csv *csv)
{
	struct arena *arena = csv->lines->out.arena;
	struct series_input input;
	csv->is_read = false;
	if (csv->node->keep == SERIES_ALL)
		return put_node(csv, NULL);
	if (csv->node->text.len == 0)
		return os_with_input(arena, arena_cstr(arena, csv->node->file), put_node_of_file,
		                     csv);
	series_input_of_text(&input, csv->node->text);
	return put_node(csv, &input);
}

static size_t count_gpus(const struct csv *csv)
{
	size_t gpus = 0;
	for (size_t k = 0; k < GPU_METRICS; k++) {
		enum metric metric = gpu_metrics[k];
		const struct series_group *group = gpu_group(csv, &metric);
		size_t count = 0, at = 0;
		while (next_column(group, metric, &at).column != NULL)
			count++;
		gpus = count > gpus ? count : gpus;
	}
	return gpus;
}

/* Columns for the node that has most. */
static void count_columns(struct csv *csv)
{
	for (size_t i = 0; i < csv->report->run->nodes.count; i++) {
		csv->series = &csv->report->run->nodes.items[i].series;
		size_t cpus = measure_cpus(csv->series, csv->report->level);
		size_t gpus = count_gpus(csv);
		csv->cpus = cpus > csv->cpus ? cpus : csv->cpus;
		csv->gpus = gpus > csv->gpus ? gpus : csv->gpus;
	}
}

int report_csv(struct report_lines *lines, const struct report *report)
{
	struct csv csv = {.report = report, .lines = lines};
	count_columns(&csv);
	size_t values = csv.cpus > GPU_METRICS * csv.gpus ? csv.cpus : GPU_METRICS * csv.gpus;
	csv.values = arena_calloc(report->arena, values, sizeof *csv.values);
	put_titles(&lines->out, &csv);
	for (size_t i = 0; i < report->run->nodes.count; i++) {
		csv.node = &report->run->nodes.items[i];
		if (put_any_node(&csv) != 0) {
			if (!csv.is_read)
				lines->unread = arena_cstr(lines->out.arena, csv.node->file);
			return -1;
		}
	}
	return write_out(lines);
}
