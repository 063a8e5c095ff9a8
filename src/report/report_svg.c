#include "report/report_svg.h"

#include <math.h>

#include "base/quote.h"

/* ---- numbers ---- */

/* The part of the report's stretch that comes before part I of COUNT, in nanoseconds. */
static uint64_t time_before_part(const struct report *report, size_t i, size_t count)
{
	uint64_t length = (uint64_t)report->stretch.to - (uint64_t)report->stretch.from;
	return length / count * i + length % count * i / count;
}

/* Growth per second between the first sample and the last one, if the time is long enough. */
static double growth_in(const struct series *series, const struct series_group *group,
                        enum level level, enum metric metric, struct stretch part)
{
	int64_t first = group->times.items[0].end;
	int64_t last = group->times.items[group->times.count - 1].end;
	part.from = part.from < first ? first : part.from;
	part.to = part.to > last ? last : part.to;
	if (part.to <= part.from)
		return NAN;
	double span = measure_rate_span(series, metric);
	if (series_between(part.from, part.to) < span) {
		double side = (span - series_between(part.from, part.to)) / 2;
		part.to = series_between(part.to, last) > side ? part.to + (int64_t)side : last;
		part.from = series_between(first, part.to) > span ? part.to - (int64_t)span : first;
	}
	return measure_grown(series, level, metric, part) /
	       (series_between(part.from, part.to) / 1e9);
}

/* Fills in METRIC (of processor time and memory what that is at the level of the report) in each
 * of COUNT equal parts of the report's stretch, of all nodes together: of a counter its growth per
 * second, of a gauge the highest. NaN where nothing was measured. The result is how many nodes
 * have the metric. */
static size_t svg_values(const struct report *report, enum metric metric, double *values,
                         size_t count)
{
	size_t nodes = 0;
	bool grows = metric_row(metric)->kind == METRIC_IS_COUNTER;
	for (size_t i = 0; i < count; i++)
		values[i] = NAN;
	for (size_t k = 0; k < report->run->nodes.count; k++) {
		const struct series *series = &report->run->nodes.items[k].series;
		enum metric here = measure_metric(series, report->level, metric);
		const struct series_group *group = measure_group(series, report->level, here);
		uint64_t begin = (uint64_t)report->stretch.from +
		                 series_wall_offset(&report->lead->series) -
		                 series_wall_offset(series);
		nodes += group != NULL;
		for (size_t i = 0; group != NULL && i < count; i++) {
			struct stretch part = {
			        (int64_t)(begin + time_before_part(report, i, count)),
			        (int64_t)(begin + time_before_part(report, i + 1, count))};
			/* The highest one of what was read, and of what held when the part began. */
			size_t first = series_before(group, part.from);
			size_t end = grows ? 0 : series_before(group, part.to);
			double value = NAN;
			if (grows)
				value = growth_in(series, group, report->level, here, part);
			for (size_t j = first > 0 ? first - 1 : 0; j < end; j++)
				value = fmax(value, measure_value(group, here, j));
			values[i] = measure_sum(values[i], value);
		}
	}
	return nodes;
}

/* ---- axes ---- */

/* A unit, and how much of what is measured it is. */
struct svg_unit {
	const char *name;
	double size;
};

/* The smallest of 1, 2 or 5 times a power of ten that is at most COUNT times in SPAN. SPAN is
 * positive. */
static double svg_step(double span, unsigned count)
{
	static const double factors[] = {1, 2, 5};
	double power = 1;
	while (power * 10 * count <= span)
		power *= 10;
	while (power * count > span)
		power /= 10;
	for (size_t i = 0; i < sizeof factors / sizeof *factors; i++) {
		if (factors[i] * power * count >= span)
			return factors[i] * power;
	}
	return 10 * power;
}

/* The largest of UNITS of which VALUE is at least LEAST, or the last one. The end of UNITS has no name. */
static struct svg_unit svg_unit_for(const struct svg_unit *units, double value, double least)
{
	while (units[1].name != NULL && value < least * units->size)
		units++;
	return *units;
}

/* ---- which plots ---- */

/* The line of one metric. */
struct line {
	enum metric metric;
	const char *label; /* NULL: where there is one line only */
};

enum { LINES_MAX = 2 };

static const struct svg_unit bytes[] = {{"TiB", 0x1p40}, {"GiB", 0x1p30}, {"MiB", 0x1p20},
                                        {"KiB", 0x1p10}, {"B", 1},        {0}};
static const struct svg_unit calls[] = {
        {"million calls", 1e6}, {"thousand calls", 1e3}, {"calls", 1}, {0}};
static const struct svg_unit percent[] = {{"%", 1}, {0}};

enum plot_kind { CPU, MEMORY, STORAGE, CALLS, GPU, GPU_BAND, GPU_MEMORY, PLOTS };

static const struct plot {
	const char *names; /* JUmPER's metrics that it shows, and subsets of them */
	const char *title;
	const struct svg_unit *units;
	struct line lines[LINES_MAX]; /* the second one may be missing */
} plots[PLOTS] = {
        {"cpu cpu_all cpu_summary", "Processor use", percent, {{METRIC_CPU, NULL}}},
        {"mem memory", "Memory", bytes, {{METRIC_RSS, NULL}}},
        {"io io_read io_write",
         "Storage",
         bytes,
         {{METRIC_READ_BYTES, "read"}, {METRIC_WRITE_BYTES, "written"}}},
        {"io io_read_count io_write_count",
         "Read and write calls",
         calls,
         {{METRIC_READ_CALLS, "read"}, {METRIC_WRITE_CALLS, "write"}}},
        {"gpu gpu_all gpu_util gpu_util_all gpu_util_summary",
         "GPU use, all GPUs",
         percent,
         {{METRIC_GPU_UTIL, NULL}}},
        {"gpu gpu_all gpu_band gpu_band_all gpu_band_summary",
         "GPU memory access, all GPUs",
         percent,
         {{METRIC_GPU_BAND, NULL}}},
        {"gpu gpu_all gpu_mem gpu_mem_all gpu_mem_summary",
         "GPU memory, all GPUs",
         bytes,
         {{METRIC_GPU_MEM, NULL}}},
};

bool report_plots_read(struct slice text, unsigned *out, struct slice *wrong)
{
	*out = 0;
	*wrong = text;
	while (slice_next_part(&text, ',', wrong)) {
		unsigned found = 0;
		*wrong = slice_trim(*wrong);
		for (enum plot_kind i = 0; i < PLOTS; i++) {
			if (slice_is_word_of(*wrong, plots[i].names))
				found |= 1u << i;
		}
		if (found == 0)
			return false;
		*out |= found;
	}
	return *out != 0;
}

/* ---- the figure ---- */

/* In units of the figure; 96 are an inch if it is not scaled. */
enum {
	WIDTH = 720,
	LEFT = 62,
	RIGHT = 12,
	COLUMNS = WIDTH - LEFT - RIGHT,
	TOP = 16,
	TITLE = 22,
	PLOT = 92,
	BOTTOM = 38,
	DIGIT = 6,
};

struct drawing {
	struct strbuf *out;
	const struct report *report;
	unsigned cpus;          /* of all nodes */
	double seconds, bottom; /* BOTTOM: where the last plot ends */
};

static double x_of(const struct drawing *d, int64_t moment)
{
	const struct stretch *shown = &d->report->stretch;
	if (moment <= shown->from)
		return LEFT;
	double part = series_between(shown->from, moment) / 1e9 / d->seconds;
	return LEFT + COLUMNS * (part > 1 ? 1 : part);
}

/* ---- one plot ---- */

/* Classes of style sheet and legend. */
static const char *const styles[LINES_MAX] = {"line", "line other"};

/* A line of steps. */
static void put_line(struct drawing *d, const double values[COLUMNS], double high, double bottom,
                     size_t style)
{
	bool open = false;
	double last = NAN;
	strbuf_printf(d->out, "<path class=\"%s\" d=\"", styles[style]);
	for (unsigned i = 0; i < COLUMNS; i++) {
		double y = bottom - PLOT * values[i] / high;
		if (isnan(y)) {
			if (open)
				strbuf_printf(d->out, "H%u", LEFT + i);
			open = false;
		} else if (!open) {
			strbuf_printf(d->out, "M%u %.2f", LEFT + i, y);
			open = true;
		} else if (fabs(y - last) >= 0.005) {
			strbuf_printf(d->out, "H%uV%.2f", LEFT + i, y);
		}
		last = y;
	}
	if (open)
		strbuf_printf(d->out, "H%u", LEFT + COLUMNS);
	strbuf_puts(d->out, "\"/>\n");
}

static void put_words(struct drawing *d, const char *class, double x, double y, const char *text)
{
	strbuf_printf(d->out, "<text class=\"%s\" x=\"%.1f\" y=\"%.1f\">%s</text>\n", class, x, y,
	              text);
}

/* Every other cell has a grey background. */
static void put_bands(struct drawing *d, double top)
{
	for (size_t i = 0; i < d->report->rows.count; i += 2) {
		const struct stretch *cell = &d->report->rows.items[i].stretch;
		double from = x_of(d, cell->from), to = x_of(d, cell->to);
		strbuf_printf(d->out, "%sM%.2f %.2fH%.2fv%uH%.2fz",
		              i > 0 ? "" : "<path class=\"band\" d=\"", from, top, to, PLOT, from);
	}
	strbuf_puts(d->out, d->report->rows.count > 0 ? "\"/>\n" : "");
}

/* Marks from 0 to HIGH, which are UNIT times what is written. */
static void put_value_axis(struct drawing *d, double high, double unit, double bottom)
{
	enum { MARKS = 4 };
	double step = svg_step(high / unit, MARKS);
	char text[32];
	for (unsigned i = 0; i * step <= high / unit; i++) {
		double y = bottom - PLOT * i * step * unit / high;
		strbuf_printf(d->out, "<path class=\"%s\" d=\"M%d %.2fH%d\"/>\n",
		              i == 0 ? "axis" : "grid", LEFT, y, LEFT + COLUMNS);
		snprintf(text, sizeof text, "%g", i * step);
		put_words(d, "value", LEFT - 6, y + 3.5, text);
	}
}

static void put_plot(struct drawing *d, enum plot_kind kind)
{
	enum { SAMPLE = 26, WORD = 52, GAP = 6 };
	const struct report *report = d->report;
	const struct plot *plot = &plots[kind];
	double values[LINES_MAX][COLUMNS], highest = 0, limit = 0;
	/* The axis goes to 100 %, and nodes have a mean, not a sum. */
	bool is_share = kind == GPU || kind == GPU_BAND;
	size_t any = 0, count = plot->lines[1].label != NULL ? LINES_MAX : 1;
	char text[96], of[32] = "";
	for (size_t i = 0; i < count; i++) {
		size_t nodes = svg_values(report, plot->lines[i].metric, values[i], COLUMNS);
		double factor = kind == CPU             ? 100 / 1e9 / d->cpus
		                : is_share && nodes > 0 ? 1 / (double)nodes
		                                        : 1;
		for (size_t k = 0; k < COLUMNS; k++) {
			values[i][k] *= factor;
			highest = fmax(highest, values[i][k]);
		}
		any += nodes;
	}
	if (any == 0)
		return;
	/* The limits of several nodes have no sum. */
	if (kind == MEMORY && report->run->nodes.count == 1)
		limit = (double)measure_limit(&report->lead->series, report->level);
	/* A little above the highest value, and at the limit where that is near. */
	double high = highest > 0 ? highest * 1.05 : 1;
	if (highest > limit * 0.6 && limit * 1.15 > high)
		high = limit * 1.15;
	else if (is_share && high < 100)
		high = 100;
	double title = d->bottom + TITLE - 6;
	struct svg_unit unit = svg_unit_for(plot->units, high, plot->units == calls ? 10 : 1);
	d->bottom += TITLE + PLOT;
	put_bands(d, d->bottom - PLOT);
	/* "Processor use (% of 4 CPUs)", "Storage (MiB/s)". */
	if (kind == CPU)
		snprintf(of, sizeof of, " of %u CPU%s", d->cpus, d->cpus == 1 ? "" : "s");
	else if (metric_row(plot->lines[0].metric)->kind == METRIC_IS_COUNTER)
		snprintf(of, sizeof of, "/s");
	snprintf(text, sizeof text, "%s (%s%s)", plot->title, unit.name, of);
	put_words(d, "title", LEFT, title, text);
	for (size_t i = 0; i < count && count > 1; i++) { /* the legend */
		double x = LEFT + COLUMNS - (double)(LINES_MAX - i) * (SAMPLE + GAP + WORD);
		strbuf_printf(d->out, "<path class=\"%s\" d=\"M%.1f %.1fh%d\"/>\n", styles[i], x,
		              title - 3.5, SAMPLE);
		put_words(d, "word", x + SAMPLE + GAP, title, plot->lines[i].label);
	}
	put_value_axis(d, high, unit.size, d->bottom);
	if (limit > 0 && limit <= high) {
		double y = d->bottom - PLOT * limit / high;
		strbuf_printf(d->out, "<path class=\"limit\" d=\"M%d %.2fH%d\"/>\n", LEFT, y,
		              LEFT + COLUMNS);
		put_words(d, "value", LEFT + COLUMNS - 3, y - 3, "limit");
	}
	for (size_t i = 0; i < count; i++)
		put_line(d, values[i], high, d->bottom, i);
}

/* ---- around the plots ---- */

static void put_time_axis(struct drawing *d)
{
	enum { MARKS = 8 };
	static const struct svg_unit units[] = {{"h", 3600},  {"min", 60},         {"s", 1},
	                                        {"ms", 1e-3}, {"\xC2\xB5s", 1e-6}, {0}};
	int64_t begin = series_begin(&d->report->lead->series);
	double from = series_since(begin, d->report->stretch.from) / 1e9;
	struct svg_unit unit = svg_unit_for(units, d->seconds, 2);
	double step = svg_step(d->seconds / unit.size, MARKS) * unit.size;
	char text[32];
	/* Numbers so large that the next one is equal are from damaged files. */
	int64_t first = fabs(from / step) < 1e12 ? (int64_t)(from / step) : 0;
	for (int64_t i = first; i <= first + MARKS + 1; i++) {
		double at = (double)i * step, x = LEFT + COLUMNS * (at - from) / d->seconds;
		if (x < LEFT - 0.5 || x > LEFT + COLUMNS + 0.5)
			continue;
		strbuf_printf(d->out, "<path class=\"axis\" d=\"M%.2f %.2fv4\"/>\n", x, d->bottom);
		snprintf(text, sizeof text, "%g", at / unit.size);
		put_words(d, "cell", x, d->bottom + 15, text);
	}
	snprintf(text, sizeof text, "time since the start (%s)", unit.name);
	put_words(d, "cell", LEFT + COLUMNS / 2.0, d->bottom + 30, text);
}

static const char style[] =
        "<style>\n"
        "text { font: 11px Helvetica, Arial, sans-serif; fill: #000; }\n"
        ".title { font-weight: bold; }\n"
        ".value { text-anchor: end; }\n"
        ".cell { text-anchor: middle; }\n"
        ".band { fill: #ececec; }\n"
        ".grid { stroke: #c4c4c4; stroke-width: 0.5; }\n"
        ".axis { stroke: #000; stroke-width: 0.8; }\n"
        ".line { fill: none; stroke: #0b4f94; stroke-width: 1.3; stroke-linejoin: round; }\n"
        ".other { stroke: #c2500a; stroke-dasharray: 5 2.5; }\n"
        ".limit { stroke: #000; stroke-width: 1; stroke-dasharray: 1.5 2; }\n"
        "</style>\n";

void report_svg(struct strbuf *out, const struct report *report)
{
	struct strbuf body = {.arena = out->arena};
	double seconds = series_between(report->stretch.from, report->stretch.to) / 1e9;
	struct drawing d = {.out = &body,
	                    .report = report,
	                    .seconds = seconds > 0 ? seconds : 1e-9,
	                    .bottom = TOP};
	for (size_t i = 0; i < report->run->nodes.count; i++) {
		const struct series *series = &report->run->nodes.items[i].series;
		if (measure_has(series, report->level))
			d.cpus += measure_cpus(series, report->level);
	}
	d.cpus = d.cpus > 0 ? d.cpus : 1;
	const unsigned standard =
	        1u << CPU | 1u << MEMORY | 1u << STORAGE | 1u << GPU | 1u << GPU_MEMORY;
	unsigned shown = report->plots != 0 ? report->plots : standard;
	double free = LEFT - DIGIT;
	vec_each(const struct report_row, row, &report->rows) {
		double middle = (x_of(&d, row->stretch.from) + x_of(&d, row->stretch.to)) / 2;
		char text[16];
		double half = snprintf(text, sizeof text, "%u", row->number) * DIGIT / 2.0;
		if (middle - half < free) /* a number that does not fit is left out */
			continue;
		put_words(&d, "cell", middle, TOP - 4, text);
		free = middle + half + DIGIT;
	}
	if (report->rows.count > 0)
		put_words(&d, "value", LEFT - 6, TOP - 4, "cell");
	for (enum plot_kind i = 0; i < PLOTS; i++) {
		if ((shown >> i & 1) != 0)
			put_plot(&d, i);
	}
	put_time_axis(&d);
	strbuf_printf(out,
	              REPORT_SVG_MARKER " width=\"%d\" height=\"%.0f\" viewBox=\"0 0 %d %.0f\" "
	                                "role=\"img\">\n<title>",
	              WIDTH, d.bottom + BOTTOM, WIDTH, d.bottom + BOTTOM);
	xml_text(out, report->lead->series.head.command);
	strbuf_printf(out, "</title>\n%s<rect width=\"%d\" height=\"%.0f\" fill=\"#fff\"/>\n",
	              style, WIDTH, d.bottom + BOTTOM);
	strbuf_add(out, strbuf_slice(&body));
	strbuf_puts(out, "</svg>\n");
}
