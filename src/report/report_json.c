#include "report/report_json.h"

#include <inttypes.h>
#include <math.h>
#include <sys/wait.h>

#include "report/figure_table.h"

enum { TIME_DECIMALS = 9 };

static const double second = 1e9;

void report_json_number(struct json_writer *json, const char *key, double value, int decimals)
{
	if (!isfinite(value))
		return;
	json_put_key(json, key);
	json_put_decimal(json, arena_decimal(json->out->arena, value, decimals));
}

void report_json_text(struct json_writer *json, const char *key, struct slice text)
{
	if (text.len == 0)
		return;
	json_member_string(json, key, text);
}

void report_json_cell(struct json_writer *json, const struct report_row *row)
{
	json_member_number(json, "cell", row->number);
	if (row->index >= 0)
		json_member_number(json, "index", row->index);
	report_json_text(json, "title", row->title);
}

/* ---- nodes ---- */

void report_json_gpus(struct json_writer *json, const struct series *series)
{
	const struct series_head *head = &series->head;
	json_put_source(json, "'gpus': [");
	for (size_t i = 0; i < head->gpus.count; i++) {
		json_put_source(json, "{");
		report_json_text(json, "name", head->gpus.items[i].name);
		json_member_number(json, "memory", head->gpus.items[i].memory);
		for (size_t k = 0; k < series->losses.count; k++) {
			const struct series_loss *loss = &series->losses.items[k];
			double lost = series_since(series_begin(series), loss->moment) / second;
			if (loss->gpu == i)
				report_json_number(json, "lost", lost, TIME_DECIMALS);
		}
		json_put_source(json, "}");
	}
	json_put_source(json, "]");
}

static void put_end(struct json_writer *json, const struct series_end *end)
{
	int status = (int)end->status;
	if (!end->known || end->status == SERIES_NO_STATUS)
		return;
	json_put_source(json, "'end': {");
	if (WIFSIGNALED(status))
		json_member_number(json, "signal", WTERMSIG(status));
	else
		json_member_number(json, "status", WEXITSTATUS(status));
	report_json_number(json, "user", (double)end->user / second, TIME_DECIMALS);
	report_json_number(json, "system", (double)end->system / second, TIME_DECIMALS);
	json_member_number(json, "peak_rss", end->peak_rss);
	json_member_number(json, "minor_faults", end->minor_faults);
	json_member_number(json, "major_faults", end->major_faults);
	json_member_number(json, "voluntary_switches", end->voluntary_switches);
	json_member_number(json, "involuntary_switches", end->involuntary_switches);
	json_put_source(json, "}");
}

void report_json_notes(struct json_writer *json, const struct series *series)
{
	json_put_source(json, "'notes': [");
	for (size_t i = 0; i < series->notes.count; i++)
		json_put_string(json, series->notes.items[i]);
	json_put_source(json, "]");
}

void report_json_nodes(struct json_writer *json, const struct report *report)
{
	json_put_source(json, "'nodes': [");
	for (size_t i = 0; i < report->run->nodes.count; i++) {
		const struct series *series = &report->run->nodes.items[i].series;
		const struct series_head *head = &series->head;
		const struct series_group *own = measure_group(series, LEVEL_COUNT, METRIC_RSS);
		json_put_source(json, "{");
		report_json_text(json, "file", report->run->nodes.items[i].file);
		report_json_text(json, "host", head->host);
		if (head->node >= 0)
			json_member_number(json, "node", head->node);
		report_json_text(json, "job", head->job);
		report_json_text(json, "command", head->command);
		json_member_number(json, "pid", head->pid);
		report_json_number(json, "start", (double)head->start_wall / second, 6);
		report_json_number(json, "interval", (double)head->interval / second,
		                   TIME_DECIMALS);
		json_member_number(json, "cpus", head->cpus);
		report_json_text(json, "cpu_list", head->cpu_list);
		json_member_number(json, "memory_limit", head->memory_limit);
		json_member_number(json, "memory_total", head->memory_total);
		json_member_number(json, "frequency", head->frequency);
		json_member_number(json, "frequency_limit", head->frequency_limit);
		report_json_gpus(json, series);
		json_put_source(json, "'samples': {");
		json_member_number(json, "due", series->due);
		json_member_number(json, "missed", series->missed);
		json_put_source(json, "}");
		json_put_key(json, "truncated");
		json_put_bool(json, series->truncated);
		put_end(json, &series->end);
		double cpu = measure_grown(series, LEVEL_COUNT, METRIC_CPU, measure_run(series));
		json_put_source(json, "'sampler': {");
		report_json_number(json, "core_seconds", cpu / second, TIME_DECIMALS);
		if (own != NULL)
			report_json_number(json, "memory",
			                   measure_value(own, METRIC_RSS, own->times.count - 1), 0);
		json_put_source(json, "}");
		report_json_notes(json, series);
		json_put_source(json, "}");
	}
	json_put_source(json, "]");
}

/* ---- the results ---- */

void report_json_signatures(struct json_writer *json, const struct report *report)
{
	json_put_source(json, "'signatures': [");
	for (unsigned i = 0; i < SIGNATURE_COUNT; i++) {
		if ((report->signatures >> i & 1) != 0)
			json_put_string(json, signature_name(i));
	}
	json_put_source(json, "]");
}

void report_json_result(struct json_writer *json, const struct report *report)
{
	report_json_signatures(json, report);
	if (report->request == 0)
		return;
	json_put_source(json, "'request': {");
	json_member_number(json, "bytes", report->request);
	json_member_number(json, "need", (int64_t)report->need);
	report_json_text(json, "mem", measure_request_text(json->out->arena, report->request));
	json_put_source(json, "}");
}

/* ---- a report ---- */

static double seconds_after(const struct report *report, int64_t moment)
{
	return series_since(series_begin(&report->lead->series), moment) / second;
}

static void put_spread(struct json_writer *json, const char *key, const struct spread *spread,
                       double peak, double change)
{
	enum { DECIMALS = 3 };
	if (isnan(spread->mean))
		return;
	json_put_key(json, key);
	json_put_source(json, "{");
	report_json_number(json, "mean", spread->mean, DECIMALS);
	report_json_number(json, "min", spread->min, DECIMALS);
	report_json_number(json, "max", spread->max, DECIMALS);
	report_json_number(json, "peak", peak, 0);
	report_json_number(json, "change", change, 0);
	json_member_number(json, "samples", (int64_t)spread->samples);
	json_put_source(json, "}");
}

static void put_figures(struct json_writer *json, const struct figures *figures)
{
	json_put_source(json, "{");
	report_json_number(json, "seconds", figures->seconds, TIME_DECIMALS);
	report_json_number(json, "core_seconds", figures->core_seconds, TIME_DECIMALS);
	put_spread(json, "cpu_percent", &figures->cpu, NAN, NAN);
	put_spread(json, "memory", &figures->memory, figures->memory_peak, figures->memory_change);
	json_put_source(json, "'counters': {");
	for (unsigned i = 0; i < METRIC_COUNT; i++)
		report_json_number(json, metric_row(i)->name.ptr, figures->grown[i], 0);
	json_put_source(json, "}, 'gauges': {");
	for (unsigned i = 0; i < METRIC_COUNT; i++)
		put_spread(json, metric_row(i)->name.ptr, &figures->gauges[i], NAN, NAN);
	json_put_source(json, "}}");
}

/* "levels": figures of ROW, or where it is NULL of the stretch, by the names of the levels; of one
 * node, or of all where NODE is NULL. */
static void put_levels(struct json_writer *json, const struct report *report,
                       const struct report_node *node, const struct report_row *row)
{
	json_put_source(json, "'levels': {");
	for (unsigned level = 0; level < LEVEL_COUNT; level++) {
		struct figures figures;
		if (node != NULL ? !measure_has(&node->series, level)
		                 : !report_has_level(report->run, level))
			continue;
		report_figures(report, node, level, row, &figures);
		json_put_key(json, level_name(level).ptr);
		put_figures(json, &figures);
	}
	json_put_source(json, "}");
}

/* "by_node": the levels on each of several nodes. */
static void put_by_node(struct json_writer *json, const struct report *report,
                        const struct report_row *row)
{
	if (report->run->nodes.count < 2)
		return;
	json_put_source(json, "'by_node': [");
	for (size_t i = 0; i < report->run->nodes.count; i++) {
		json_put_source(json, "{");
		put_levels(json, report, &report->run->nodes.items[i], row);
		json_put_source(json, "}");
	}
	json_put_source(json, "]");
}

static void put_stretch(struct json_writer *json, const struct report *report,
                        struct stretch stretch)
{
	report_json_number(json, "begin", seconds_after(report, stretch.from), TIME_DECIMALS);
	report_json_number(json, "end", seconds_after(report, stretch.to), TIME_DECIMALS);
}

void report_json(struct strbuf *out, const struct report *report)
{
	struct json_writer json = {.out = out};
	json_put_source(&json, "{");
	json_member_number(&json, "nbscorep_report", REPORT_JSON_VERSION);
	report_json_nodes(&json, report);
	report_json_text(&json, "level", level_name(report->level));
	report_json_result(&json, report);
	json_put_source(&json, "'run': {");
	put_stretch(&json, report, report->stretch);
	put_levels(&json, report, NULL, NULL);
	put_by_node(&json, report, NULL);
	json_put_source(&json, "}");
	json_put_source(&json, "'cells': [");
	for (size_t i = 0; i < report->rows.count; i++) {
		const struct report_row *row = &report->rows.items[i];
		json_put_source(&json, "{");
		report_json_cell(&json, row);
		report_json_text(&json, "state", row->state);
		put_stretch(&json, report, row->stretch);
		put_levels(&json, report, NULL, row);
		put_by_node(&json, report, row);
		json_put_source(&json, "}");
	}
	json_put_source(&json, "]}");
	strbuf_addc(out, '\n');
}
