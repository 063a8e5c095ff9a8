#include "report/report_text.h"

#include <math.h>
#include <sys/wait.h>
#include <time.h>

#include "base/quote.h"

enum { RULE = 40, TABLE_RULE = 65 };

static void put_rule(struct strbuf *out, size_t width)
{
	strbuf_fill(out, '-', width);
	strbuf_addc(out, '\n');
}

/* ---- the columns of cells, nodes and comparisons ---- */

#define ON_PAGE(field, key, unit, title) FIGURE_AT(figures, field, key, NULL, unit, title)
const struct figure_column report_columns[] = {
        FIGURE_AT(figures, seconds, "wall_s", "wall", SECONDS, NULL),
        FIGURE_AT(figures, cpu.mean, "cpu_percent", "CPU", PERCENT, NULL),
        FIGURE_AT(figures, core_seconds, "core_s", "core-s", CORE_SECONDS, "processor time"),
        FIGURE_AT(figures, memory_peak, "peak_mb", "peak", BYTES, "peak memory"),
        FIGURE_AT(figures, memory_change, "change_mb", "change", CHANGE, "memory change"),
        FIGURE_AT(figures, grown[METRIC_READ_CHARS], "read_mb", "read", BYTES, NULL),
        FIGURE_AT(figures, grown[METRIC_WRITE_CHARS], "written_mb", "written", BYTES, NULL),
        FIGURE_AT(figures, gauges[METRIC_GPU_UTIL].mean, "gpu_percent", "GPU", PERCENT, NULL),
        FIGURE_AT(figures, gauges[METRIC_GPU_BAND].mean, "gpu_band_percent", "GPU band", PERCENT,
                  "GPU memory access"),
        FIGURE_AT(figures, gpu_memory.max, "gpu_mb", "GPU", BYTES, "GPU memory"),
        FIGURE_AT(figures, gauges[METRIC_GPU_POWER].mean, "gpu_w", "GPU", MILLIWATTS, "GPU power"),
        ON_PAGE(cpu.max, "cpu_most", PERCENT, "CPU at most"),
        ON_PAGE(memory.mean, "memory", BYTES, "mean memory"),
        ON_PAGE(grown[METRIC_READ_BYTES], "read_bytes", BYTES, "read from storage"),
        ON_PAGE(grown[METRIC_WRITE_BYTES], "write_bytes", BYTES, "written to storage"),
        ON_PAGE(grown[METRIC_READ_CALLS], "read_calls", COUNT, "read calls"),
        ON_PAGE(grown[METRIC_WRITE_CALLS], "write_calls", COUNT, "write calls"),
        ON_PAGE(grown[METRIC_NET_RECEIVED], "net_received", BYTES, "received"),
        ON_PAGE(grown[METRIC_NET_SENT], "net_sent", BYTES, "sent"),
        ON_PAGE(grown[METRIC_MINOR_FAULTS], "minor_faults", COUNT, "minor page faults"),
        ON_PAGE(grown[METRIC_MAJOR_FAULTS], "major_faults", COUNT, "major page faults"),
        ON_PAGE(grown[METRIC_VOLUNTARY_SWITCHES], "voluntary_switches", COUNT,
                "voluntary switches"),
        ON_PAGE(grown[METRIC_INVOLUNTARY_SWITCHES], "involuntary_switches", COUNT,
                "involuntary switches"),
        ON_PAGE(gauges[METRIC_PROCESSES].max, "processes", COUNT, "processes at most"),
        ON_PAGE(gauges[METRIC_THREADS].max, "threads", COUNT, "threads at most"),
        {0},
};

/* Adds the titles of all columns of which WHOLE is known, or where FIGURES is not NULL their values, to a row of TABLE.
 * Returns how many. */
static size_t put_columns(struct table *table, const struct figures *whole,
                          const struct figures *figures)
{
	size_t put = 0;
	for (const struct figure_column *column = report_columns; column->key != NULL; column++) {
		if (column->title == NULL || !isfinite(figure_value(column, whole)))
			continue;
		if (figures == NULL)
			table_text(table, figure_title(table->arena, column));
		else
			table_number(table, figure_value(column, figures),
			             figure_forms[column->unit].decimals);
		put++;
	}
	return put;
}

/* ---- the run, as JUmPER shows it ---- */

static struct slice number_text(struct arena *arena, double value)
{
	return isfinite(value) ? arena_printf(arena, "%.2f", value) : SLICE("-");
}

/* One line of the table: values are divided by UNIT, and TOTAL, 0 if not known, by GB. */
static void put_metric(struct strbuf *out, struct slice name, const struct spread *spread,
                       double unit, double total)
{
	struct slice mean = number_text(out->arena, spread->mean / unit);
	struct slice min = number_text(out->arena, spread->min / unit);
	struct slice max = number_text(out->arena, spread->max / unit);
	struct slice all = total > 0 ? number_text(out->arena, total / GIGABYTE) : SLICE("-");
	if (isnan(spread->mean))
		return;
	strbuf_printf(out, "%-25.*s %-8.*s %-8.*s %-8.*s %.*s\n", SLICE_ARG(name), SLICE_ARG(mean),
	              SLICE_ARG(min), SLICE_ARG(max), SLICE_ARG(all));
}

static void put_run(struct strbuf *out, const struct report *report)
{
	const struct figures *figures = &report->figures;
	size_t cells = report->rows.count;
	strbuf_puts(out, REPORT_TEXT_MARKER "Report\n");
	put_rule(out, RULE);
	strbuf_printf(out, "Duration: %.2fs (%zu cell%s)\n", figures->seconds, cells,
	              cells == 1 ? "" : "s");
	put_rule(out, RULE);
	const char *between = "Signature(s):\n";
	for (unsigned i = 0; i < SIGNATURE_COUNT; i++) {
		if ((report->signatures >> i & 1) == 0)
			continue;
		strbuf_printf(out, "%s%.*s", between, SLICE_ARG(signature_name(i)));
		between = " | ";
	}
	if (report->signatures != 0) {
		strbuf_addc(out, '\n');
		put_rule(out, RULE);
	}
	strbuf_printf(out, "%-25s %-8s %-8s %-8s %s\n", "Metric", "AVG", "MIN", "MAX", "TOTAL");
	put_rule(out, TABLE_RULE);
	put_metric(out, arena_printf(out->arena, "CPU Util (Across %zu CPUs)", report->cpus),
	           &figures->cpu, 1, 0);
	put_metric(out, SLICE("Memory (GB)"), &figures->memory, GIGABYTE, report->memory);
	put_metric(out, arena_printf(out->arena, "GPU Util (Across %zu GPUs)", report->gpus),
	           &figures->gauges[METRIC_GPU_UTIL], 1, 0);
	put_metric(out, SLICE("GPU Memory (GB)"), &figures->gpu_memory, GIGABYTE,
	           report->gpu_memory);
}

/* ---- cells ---- */

/* The state of ROW where its cell did not end well, else nothing. */
static struct slice trouble_of(const struct report_row *row)
{
	return slice_eq(row->state, SLICE("done")) ? slice_make("", 0) : row->state;
}

/* The table of cells. */
static void put_cells(struct strbuf *out, const struct report *report)
{
	struct table table = {.arena = out->arena};
	bool unsure = false;
	table_text(&table, SLICE("cell"));
	table_text(&table, SLICE("index"));
	size_t columns = put_columns(&table, &report->figures, NULL);
	table_text(&table, SLICE(""));
	table.columns = columns + 3;
	table.left = 1u << (columns + 2);
	vec_each(const struct report_row, row, &report->rows) {
		struct slice state = trouble_of(row);
		const struct spread *cpu = &row->figures.cpu;
		const struct spread *known = isnan(cpu->mean) ? &row->figures.memory : cpu;
		/* No sample was taken in the row's time. */
		bool is_unsure = known->samples == 0 && !isnan(known->mean);
		struct slice index = row->index < 0
		                             ? SLICE("-")
		                             : arena_printf(table.arena, "%" PRId64, row->index);
		table_text(&table, arena_printf(table.arena, "%u", row->number));
		table_text(&table, index);
		put_columns(&table, &report->figures, &row->figures);
		/* "~ failed: the title". */
		table_text(&table, arena_printf(table.arena, "%s%.*s%s%.*s", is_unsure ? "~ " : "",
		                                SLICE_ARG(state),
		                                state.len > 0 && row->title.len > 0 ? ": " : "",
		                                SLICE_ARG(row->title)));
		unsure |= is_unsure;
	}
	table_text(&table, SLICE("all"));
	table_text(&table, SLICE(""));
	put_columns(&table, &report->figures, &report->figures);
	table_text(&table, SLICE(""));
	table_put(&table, out, 0);
	if (report->rows.count > 0)
		strbuf_puts(out, "cell: number among all cells of the notebook; index: order in "
		                 "which cells ran, as JUmPER counts\n");
	if (unsure)
		strbuf_puts(out, "~: shorter than the time between two samples, so its figures "
		                 "are estimated from those around it\n");
}

/* ---- nodes ---- */

/* "0 node1". */
static struct slice node_name(struct arena *arena, const struct series_head *head)
{
	if (head->node < 0)
		return head->host;
	return arena_printf(arena, "%" PRId64 " %.*s", head->node, SLICE_ARG(head->host));
}

static void put_nodes(struct strbuf *out, const struct report *report)
{
	struct table table = {.arena = out->arena, .left = 1};
	if (report->run->nodes.count < 2)
		return;
	table_text(&table, SLICE("node"));
	table.columns = 1 + put_columns(&table, &report->figures, NULL);
	vec_each(const struct report_node, node, &report->run->nodes) {
		struct figures figures;
		report_figures(report, node, report->level, NULL, &figures);
		table_text(&table, node_name(out->arena, &node->series.head));
		put_columns(&table, &report->figures, &figures);
	}
	table_text(&table, SLICE("all"));
	put_columns(&table, &report->figures, &report->figures);
	table_put(&table, out, 0);
	strbuf_addc(out, '\n');
}

/* ---- how it was sampled ---- */

static void put_line(struct strbuf *out, const char *key, struct slice text)
{
	if (text.len == 0)
		return;
	strbuf_printf(out, "%s: ", key);
	terminal_text(out, text);
	strbuf_addc(out, '\n');
}

/* "status 0". */
static struct slice end_text(struct arena *arena, const struct series_end *end)
{
	int status = (int)end->status;
	if (!end->known)
		return SLICE("not known; the program runs, or its sampler was ended");
	if (end->status == SERIES_NO_STATUS)
		return SLICE("not known; the program was not the sampler's child");
	if (WIFSIGNALED(status))
		return arena_printf(arena, "signal %d", WTERMSIG(status));
	return arena_printf(arena, "status %d", WEXITSTATUS(status));
}

static void put_node(struct strbuf *out, const struct report *report,
                     const struct report_node *node)
{
	const struct series *series = &node->series;
	const struct series_group *own = measure_group(series, LEVEL_COUNT, METRIC_RSS);
	if (report->run->nodes.count > 1)
		put_line(out, "Node", node_name(out->arena, &series->head));
	else
		put_line(out, "Host", series->head.host);
	put_line(out, "Job", series->head.job);
	put_line(out, "Command", series->head.command);
	char text[64];
	struct tm parts;
	time_t seconds = (time_t)(series->head.start_wall / 1000000000);
	if (gmtime_r(&seconds, &parts) != NULL &&
	    strftime(text, sizeof text, "%Y-%m-%d %H:%M:%S UTC", &parts) > 0)
		put_line(out, "Start", slice_from(text));
	put_line(out, "End", end_text(out->arena, &series->end));
	strbuf_printf(out, "Samples: level %.*s, every %.10g s",
	              SLICE_ARG(level_name(report->level)), (double)series->head.interval / 1e9);
	if (series->due > 0)
		strbuf_printf(out, "; %" PRId64 " of %" PRId64 " taken",
		              series->due - series->missed, series->due);
	strbuf_addc(out, '\n');
	/* What belongs to no level is the sampler's own use, which only the level SYSTEM has in it. */
	double cpu = measure_grown(series, LEVEL_COUNT, METRIC_CPU, measure_run(series)) / 1e9;
	if (!isnan(cpu)) {
		strbuf_printf(out, "Sampler: %.3f s of processor time", cpu);
		if (own != NULL)
			strbuf_printf(out, ", %.1f MB",
			              measure_value(own, METRIC_RSS, own->times.count - 1) /
			                      MEGABYTE);
		strbuf_puts(out,
		            report->level == LEVEL_SYSTEM ? "\n" : "; not in the figures above\n");
	}
	for (size_t i = 0; i < series->notes.count; i++)
		put_line(out, "Note", series->notes.items[i]);
}

static void put_request(struct strbuf *out, const struct report *report)
{
	if (report->request == 0)
		return;
	struct slice text = measure_request_text(out->arena, report->request);
	strbuf_printf(out, "Memory to request for the next job: --mem=%.*s%s%s\n", SLICE_ARG(text),
	              report->run->nodes.count > 1 ? " (on each node)" : "",
	              report->oom_kills > 0 || report_is_killed(report->run)
	                      ? "; the program was killed, and may need more"
	                      : "");
	if (report->tmpfs >= MEGABYTE)
		strbuf_printf(
		        out,
		        "It includes files in memory (tmpfs, /dev/shm) and shared memory that "
		        "no process had mapped: at most %.1f MB\n",
		        report->tmpfs / MEGABYTE);
	if (report->need < report->peak && measure_request(report->peak) != report->request)
		strbuf_printf(out,
		              "Its processes shared memory: they took at most %.1f MB, where the "
		              "sum of what each had counts %.1f MB\n",
		              report->need / MEGABYTE, report->peak / MEGABYTE);
}

void report_text(struct strbuf *out, const struct report *report)
{
	put_run(out, report);
	strbuf_addc(out, '\n');
	put_nodes(out, report);
	put_cells(out, report);
	strbuf_addc(out, '\n');
	put_request(out, report);
	for (size_t i = 0; i < report->run->nodes.count; i++)
		put_node(out, report, &report->run->nodes.items[i]);
}

/* ---- two runs ---- */

report_pair_list report_pairs(struct arena *arena, const struct report *a, const struct report *b)
{
	const struct report *const runs[REPORT_RUNS] = {a, b};
	report_pair_list pairs = {0};
	struct number_map places = {.arena = arena}; /* by key: 1 + an index of PAIRS */
	for (size_t k = 0; k < REPORT_RUNS; k++) {
		vec_each(const struct report_row, row, &runs[k]->rows) {
			size_t *at =
			        number_map_at(&places, series_cell_key(row->number, row->repeat));
			if (*at == 0 || *at > pairs.count) {
				vec_push(arena, &pairs, (struct report_pair){.row = row});
				*at = pairs.count;
			}
			pairs.items[*at - 1].rows[k] = row;
			pairs.items[*at - 1].figures[k] = &row->figures;
		}
	}
	const struct report_pair whole = {.figures = {&a->figures, &b->figures}};
	vec_push(arena, &pairs, whole);
	return pairs;
}

bool report_pair_values(const struct figure_column *column, const struct report_pair *pair,
                        double values[REPORT_VALUES])
{
	for (size_t i = 0; i < REPORT_RUNS; i++)
		values[i] = pair->figures[i] == NULL ? NAN : figure_value(column, pair->figures[i]);
	values[REPORT_CHANGE] = values[1] - values[0];
	values[REPORT_RATIO] = values[0] == 0 ? NAN : values[1] / values[0];
	return column->title != NULL && (isfinite(values[0]) || isfinite(values[1]));
}

/* "A failed, B exited: the title". */
static struct slice remark_of(struct arena *arena, const struct report_pair *pair)
{
	struct strbuf out = {.arena = arena};
	for (unsigned i = 0; i < REPORT_RUNS; i++) {
		struct slice state = pair->rows[i] == NULL ? SLICE("") : trouble_of(pair->rows[i]);
		if (state.len > 0)
			strbuf_printf(&out, "%s%c %.*s", out.len > 0 ? ", " : "", "AB"[i],
			              SLICE_ARG(state));
	}
	if (pair->row->title.len > 0)
		strbuf_printf(&out, "%s%.*s", out.len > 0 ? ": " : "", SLICE_ARG(pair->row->title));
	return strbuf_slice(&out);
}

/* How it ended, on each node where that was not with status 0. */
static void put_ends(struct strbuf *out, const char *letter, const struct report *report)
{
	for (size_t i = 0; i < report->run->nodes.count; i++) {
		const struct series *series = &report->run->nodes.items[i].series;
		if (series->end.known && series->end.status == 0)
			continue;
		strbuf_printf(out, "End of %s", letter);
		if (report->run->nodes.count > 1) {
			strbuf_puts(out, " on ");
			terminal_text(out, node_name(out->arena, &series->head));
		}
		strbuf_printf(out, ": %.*s\n", SLICE_ARG(end_text(out->arena, &series->end)));
	}
}

void report_compare_text(struct strbuf *out, const struct report *a, const struct report *b)
{
	static const struct slice titles[] = {SLICE_INIT("cell"),  SLICE_INIT("A"),
	                                      SLICE_INIT("B"),     SLICE_INIT("B - A"),
	                                      SLICE_INIT("B / A"), SLICE_INIT("")};
	enum { COLUMNS = sizeof titles / sizeof *titles, RATIO_DECIMALS = 3 };
	const report_pair_list pairs = report_pairs(out->arena, a, b);
	double values[REPORT_VALUES];
	strbuf_puts(out, REPORT_TEXT_MARKER "Comparison\n"
	                                    "----------------------------------------\n");
	strbuf_puts(out, "A: ");
	terminal_text(out, a->run->name);
	strbuf_puts(out, "\nB: ");
	terminal_text(out, b->run->name);
	strbuf_printf(out, "\nLevel: %.*s\n", SLICE_ARG(level_name(a->level)));
	put_ends(out, "A", a);
	put_ends(out, "B", b);
	for (const struct figure_column *column = report_columns; column->key != NULL; column++) {
		struct table table = {
		        .arena = out->arena, .columns = COLUMNS, .left = 1u << (COLUMNS - 1)};
		int decimals = figure_forms[column->unit].decimals;
		if (!report_pair_values(column, &pairs.items[pairs.count - 1], values))
			continue;
		for (size_t i = 0; i < COLUMNS; i++)
			table_text(&table, titles[i]);
		vec_each(const struct report_pair, pair, &pairs) {
			const struct report_row *row = pair->row;
			(void)report_pair_values(column, pair, values);
			table_text(&table, row == NULL
			                           ? SLICE("all")
			                           : arena_printf(out->arena, "%u", row->number));
			for (size_t i = 0; i < REPORT_VALUES; i++)
				table_number(&table, values[i],
				             i == REPORT_RATIO ? RATIO_DECIMALS : decimals);
			table_text(&table, row == NULL ? SLICE("") : remark_of(out->arena, pair));
		}
		strbuf_printf(out, "\n%.*s\n", SLICE_ARG(figure_title(out->arena, column)));
		table_put(&table, out, 2);
	}
}
