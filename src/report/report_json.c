#include "report/report_json.h"

#include <math.h>
#include <sys/wait.h>

#include "report/report_text.h"

static const double second = 1e9;

static struct json_item seconds(double ns)
{
	return json_decimal(ns / second, 9);
}

/* Number, index, title. */
static void put_cell(struct json_writer *json, const struct report_row *row)
{
	json_put(json, "'cell': ?, 'index': ?*, 'title': ?*", J(row->number),
	         json_if(row->index >= 0, J(row->index)), J(row->title));
}

/* ---- nodes ---- */

void report_json_gpus(struct json_writer *json, const struct series *series)
{
	const struct series_head *head = &series->head;
	json_put(json, "'gpus': [");
	vec_each(const struct series_gpu, gpu, &head->gpus) {
		json_put(json, "{'name': ?*, 'memory': ?}", J(gpu->name), J(gpu->memory));
	}
	json_put(json, "]");
}

/* The key "nodes": an array of objects. */
static void put_nodes(struct json_writer *json, const struct report *report)
{
	json_put(json, "'nodes': [");
	for (size_t i = 0; i < report->run->nodes.count; i++) {
		const struct series *series = &report->run->nodes.items[i].series;
		const struct series_head *head = &series->head;
		const struct series_end *end = &series->end;
		const struct series_group *own = measure_group(series, LEVEL_COUNT, METRIC_RSS);
		double cpu = measure_grown(series, LEVEL_COUNT, METRIC_CPU, measure_run(series));
		json_put(json, "{'file': ?*, 'host': ?*, 'node': ?*, 'job': ?*, 'command': ?*",
		         J(report->run->nodes.items[i].file), J(head->host),
		         json_if(head->node >= 0, J(head->node)), J(head->job), J(head->command));
		json_put(json, "'pid': ?, 'start': ?*, 'interval': ?*", J(head->pid),
		         json_decimal((double)head->start_wall / second, 6),
		         seconds((double)head->interval));
		json_put(json, "'cpus': ?, 'cpu_list': ?*, 'memory_limit': ?, 'memory_total': ?",
		         J(head->cpus), J(head->cpu_list), J(head->memory_limit),
		         J(head->memory_total));
		json_put(json, "'frequency': ?, 'frequency_limit': ?", J(head->frequency),
		         J(head->frequency_limit));
		report_json_gpus(json, series);
		json_put(json, "'samples': {'due': ?, 'missed': ?}, 'truncated': ?", J(series->due),
		         J(series->missed), json_bool(series->truncated));
		if (end->known && end->status != SERIES_NO_STATUS) {
			int status = (int)end->status;
			json_put(json, "'end': {?: ?, 'user': ?*, 'system': ?*",
			         J(WIFSIGNALED(status) ? "signal" : "status"),
			         J(WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status)),
			         seconds((double)end->user), seconds((double)end->system));
			json_put(json, "'peak_rss': ?, 'minor_faults': ?, 'major_faults': ?",
			         J(end->peak_rss), J(end->minor_faults), J(end->major_faults));
			json_put(json, "'voluntary_switches': ?, 'involuntary_switches': ?}",
			         J(end->voluntary_switches), J(end->involuntary_switches));
		}
		json_put(json, "'sampler': {'core_seconds': ?*", seconds(cpu));
		if (own != NULL)
			json_put(json, "'memory': ?*",
			         json_decimal(measure_value(own, METRIC_RSS, own->times.count - 1),
			                      0));
		json_put(json, "}, 'notes': ?}",
		         json_texts(series->notes.items, series->notes.count));
	}
	json_put(json, "]");
}

/* ---- the results ---- */

void report_json_signatures(struct json_writer *json, const struct report *report)
{
	json_put(json, "'signatures': [");
	for (unsigned i = 0; i < SIGNATURE_COUNT; i++) {
		if ((report->signatures >> i & 1) != 0)
			json_put(json, "?", J(signature_name(i)));
	}
	json_put(json, "]");
}

/* The keys "signatures" and "request". */
static void put_result(struct json_writer *json, const struct report *report)
{
	report_json_signatures(json, report);
	if (report->request != 0)
		json_put(json, "'request': {'bytes': ?, 'need': ?, 'mem': ?*}", J(report->request),
		         J((int64_t)report->need),
		         J(measure_request_text(json->out->arena, report->request)));
}

/* ---- a report ---- */

static void put_spread(struct json_writer *json, const char *key, const struct spread *spread,
                       double peak, double change)
{
	enum { DECIMALS = 3 };
	if (isnan(spread->mean))
		return;
	json_put(json, "?: {'mean': ?*, 'min': ?*, 'max': ?*", J(key),
	         json_decimal(spread->mean, DECIMALS), json_decimal(spread->min, DECIMALS),
	         json_decimal(spread->max, DECIMALS));
	json_put(json, "'peak': ?*, 'change': ?*, 'samples': ?}", json_decimal(peak, 0),
	         json_decimal(change, 0), J(spread->samples));
}

/* "levels": figures of ROW, or where it is NULL of the stretch, by the names of the levels; of one
 * node, or of all where NODE is NULL. */
static void put_levels(struct json_writer *json, const struct report *report,
                       const struct report_node *node, const struct report_row *row)
{
	json_put(json, "'levels': {");
	for (unsigned level = 0; level < LEVEL_COUNT; level++) {
		struct figures figures;
		if (node != NULL ? !measure_has(&node->series, level)
		                 : !report_has_level(report->run, level))
			continue;
		report_figures(report, node, level, row, &figures);
		json_put(json, "?: {'seconds': ?*, 'core_seconds': ?*", J(level_name(level)),
		         json_decimal(figures.seconds, 9), json_decimal(figures.core_seconds, 9));
		put_spread(json, "cpu_percent", &figures.cpu, NAN, NAN);
		put_spread(json, "memory", &figures.memory, figures.memory_peak,
		           figures.memory_change);
		json_put(json, "'counters': {");
		for (unsigned i = 0; i < METRIC_COUNT; i++)
			json_put(json, "?: ?*", J(metric_row(i)->name),
			         json_decimal(figures.grown[i], 0));
		json_put(json, "}, 'gauges': {");
		for (unsigned i = 0; i < METRIC_COUNT; i++)
			put_spread(json, metric_row(i)->name.ptr, &figures.gauges[i], NAN, NAN);
		json_put(json, "}}");
	}
	json_put(json, "}");
}

/* What the object of a stretch ends with: its times, figures, and of several nodes those of each. */
static void end_stretch(struct json_writer *json, const struct report *report,
                        struct stretch stretch, const struct report_row *row)
{
	int64_t begin = series_begin(&report->lead->series);
	json_put(json, "'begin': ?*, 'end': ?*", seconds(series_since(begin, stretch.from)),
	         seconds(series_since(begin, stretch.to)));
	put_levels(json, report, NULL, row);
	if (report->run->nodes.count > 1) {
		json_put(json, "'by_node': [");
		for (size_t i = 0; i < report->run->nodes.count; i++) {
			json_put(json, "{");
			put_levels(json, report, &report->run->nodes.items[i], row);
			json_put(json, "}");
		}
		json_put(json, "]");
	}
	json_put(json, "}");
}

void report_json(struct strbuf *out, const struct report *report)
{
	struct json_writer json = {.out = out};
	json_put(&json, "{'nbscorep_report': ?", J(REPORT_JSON_VERSION));
	put_nodes(&json, report);
	json_put(&json, "'level': ?*", J(level_name(report->level)));
	put_result(&json, report);
	json_put(&json, "'run': {");
	end_stretch(&json, report, report->stretch, NULL);
	json_put(&json, "'cells': [");
	vec_each(const struct report_row, row, &report->rows) {
		json_put(&json, "{");
		put_cell(&json, row);
		json_put(&json, "'state': ?*", J(row->state));
		end_stretch(&json, report, row->stretch, row);
	}
	json_put(&json, "]}");
	strbuf_addc(out, '\n');
}

/* ---- two runs ---- */

static void json_pair(struct json_writer *json, const struct report_pair *pair)
{
	enum { DECIMALS = 6 };
	json_put(json, "{");
	if (pair->row != NULL) {
		put_cell(json, pair->row);
		json_put(json, "'state': {");
		for (unsigned i = 0; i < REPORT_RUNS; i++) {
			if (pair->rows[i] != NULL)
				json_put(json, "?: ?*", J(i == 0 ? "a" : "b"),
				         J(pair->rows[i]->state));
		}
		json_put(json, "}");
	}
	for (const struct figure_column *column = report_columns; column->key != NULL; column++) {
		double values[REPORT_VALUES];
		if (!report_pair_values(column, pair, values))
			continue;
		json_put(json, "?: {'a': ?*, 'b': ?*, 'difference': ?*, 'ratio': ?*}",
		         J(column->key), json_decimal(values[0], DECIMALS),
		         json_decimal(values[1], DECIMALS),
		         json_decimal(values[REPORT_CHANGE], DECIMALS),
		         json_decimal(values[REPORT_RATIO], DECIMALS));
	}
	json_put(json, "}");
}

void report_compare_json(struct strbuf *out, const struct report *a, const struct report *b)
{
	const report_pair_list pairs = report_pairs(out->arena, a, b);
	struct json_writer json = {.out = out};
	json_put(&json, "{'nbscorep_report': ?, 'level': ?*, 'runs': [", J(REPORT_JSON_VERSION),
	         J(level_name(a->level)));
	for (unsigned i = 0; i < REPORT_RUNS; i++) {
		const struct report *report = i == 0 ? a : b;
		json_put(&json, "{'name': ?*", J(report->run->name));
		put_nodes(&json, report);
		put_result(&json, report);
		json_put(&json, "}");
	}
	json_put(&json, "], 'run':");
	json_pair(&json, &pairs.items[pairs.count - 1]);
	json_put(&json, "'cells': [");
	for (size_t i = 0; i + 1 < pairs.count; i++)
		json_pair(&json, &pairs.items[i]);
	json_put(&json, "]}");
	strbuf_addc(out, '\n');
}
