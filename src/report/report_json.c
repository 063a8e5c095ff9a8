#include "report/report_json.h"

#include "report/report_formats.h"
#include "report/report_json_parts.h"

enum { DECIMALS = 9 };

static double seconds_after(const struct report *report, int64_t moment)
{
	return series_since(series_begin(&report->lead->series), moment) / 1e9;
}

/* "levels": figures of ROW, or where it is NULL of the stretch, by the names of the levels; of one
 * node, or of all where NODE is NULL. */
static void put_levels(struct json_writer *json, const struct report *report,
                       const struct report_node *node, const struct report_row *row)
{
	json_put_key(json, "levels");
	json_begin_object(json);
	for (unsigned level = 0; level < LEVEL_COUNT; level++) {
		struct figures figures;
		if (node != NULL ? !measure_has(&node->series, level)
		                 : !report_has_level(report->run, level))
			continue;
		if (node != NULL)
			report_node_figures(report, node, level, row, &figures);
		else
			report_figures(report, level, row, &figures);
		json_put_key(json, arena_cstr(report->arena, level_name(level)));
		report_json_figures(json, &figures);
	}
	json_end_object(json);
}

/* "by_node": the levels on each of several nodes. */
static void put_by_node(struct json_writer *json, const struct report *report,
                        const struct report_row *row)
{
	if (report->run->nodes.count < 2)
		return;
	json_put_key(json, "by_node");
	json_begin_array(json);
	for (size_t i = 0; i < report->run->nodes.count; i++) {
		json_begin_object(json);
		put_levels(json, report, &report->run->nodes.items[i], row);
		json_end_object(json);
	}
	json_end_array(json);
}

static void put_stretch(struct json_writer *json, const struct report *report,
                        struct stretch stretch)
{
	report_json_number(json, "begin", seconds_after(report, stretch.from), DECIMALS);
	report_json_number(json, "end", seconds_after(report, stretch.to), DECIMALS);
}

static void put_cells(struct json_writer *json, const struct report *report)
{
	json_put_key(json, "cells");
	json_begin_array(json);
	for (size_t i = 0; i < report->rows.count; i++) {
		const struct report_row *row = &report->rows.items[i];
		json_begin_object(json);
		report_json_cell(json, row);
		report_json_text(json, "state", row->state);
		put_stretch(json, report, row->stretch);
		put_levels(json, report, NULL, row);
		put_by_node(json, report, row);
		json_end_object(json);
	}
	json_end_array(json);
}

void report_json(struct strbuf *out, const struct report *report)
{
	struct json_writer json;
	json_writer_init(&json, out);
	json_begin_object(&json);
	json_put_key(&json, "nbscorep_report");
	json_put_number(&json, REPORT_JSON_VERSION);
	report_json_nodes(&json, report);
	report_json_text(&json, "level", level_name(report->level));
	report_json_result(&json, report);
	json_put_key(&json, "run");
	json_begin_object(&json);
	put_stretch(&json, report, report->stretch);
	put_levels(&json, report, NULL, NULL);
	put_by_node(&json, report, NULL);
	json_end_object(&json);
	put_cells(&json, report);
	json_end_object(&json);
	strbuf_addc(out, '\n');
}
