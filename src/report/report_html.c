/* The samples are JSON in the page, for its script (templates/report/data.js): an object. Times are microseconds since
 * the start of the node. */
#include "report/report_html.h"

#include <math.h>

#include "report/report_json.h"
#include "report/report_text.h"

/* About as many values are kept: what a browser holds and draws without delay. */
enum { VALUES_MAX = 4000000 };

enum { NS_PER_US = 1000 };

/* A row of a table of cells; the last one is of the whole. */
struct page_row {
	struct figures figures;
	double number; /* of the cell; NaN: of the whole, as BEGIN is then */
	double begin;  /* seconds since the start */
};

_Static_assert(offsetof(struct page_row, figures) == 0, "report_columns have offsets in figures");

struct page {
	struct page_writer *writer;
	struct report report;        /* of all cells */
	struct page_row *rows;       /* of the table that is written */
	const struct series *series; /* of the node that is written */
	size_t most;                 /* of a report: so many samples become one at most */
};

static int64_t since_start(const struct series *series, int64_t moment)
{
	return (int64_t)((uint64_t)moment - (uint64_t)series->head.start_mono) / NS_PER_US;
}

/* ---- the parts ---- */

void report_html_metrics(struct json_writer *json)
{
	json_put(json, "'metrics': {");
	for (unsigned i = 0; i < METRIC_COUNT; i++) {
		const struct metric_row *row = metric_row(i);
		json_put(json, "?: {'counter': ?, 'unit': ?, 'title': ?}", J(row->name),
		         json_bool(row->kind == METRIC_IS_COUNTER), J(row->unit), J(row->title));
	}
	json_put(json, "}");
}

/* The last one of STEP samples from FROM on, which is kept of them. */
static size_t last_from(const struct series_group *group, size_t from, size_t step)
{
	size_t left = group->times.count - from;
	return from + (left < step ? left : step) - 1;
}

static void put_group(struct page *page, const struct series_group *group)
{
	enum { FEW = 1000 };
	struct json_writer *json = &page->writer->json;
	/* Groups that are read at a slow pace lose less, or nothing; marks, of which there are no more than cells, are
	 * exact. */
	bool is_of_marks =
	        group->columns.count > 0 && group->columns.items[0].metric == METRIC_MARK_RSS;
	size_t step = is_of_marks ? 1 : group->times.count / FEW;
	step = step < 1 ? 1 : step < page->most ? step : page->most;
	json_put(json, "{'level': ?, 'step': ?",
	         J(group->level < LEVEL_COUNT ? level_name(group->level) : SLICE("")), J(step));
	for (size_t i = 0; i < group->times.count; i += step) {
		const struct series_time *time = &group->times.items[last_from(group, i, step)];
		page_numbers_add(page->writer, since_start(page->series, time->end));
	}
	page_numbers_put(page->writer, "times");
	json_put(json, "'columns': [");
	vec_each(const struct series_column, column, &group->columns) {
		if (column->metric >= METRIC_COUNT)
			continue;
		const struct metric_row *row = metric_row(column->metric);
		double span = measure_rate_span(page->series, column->metric);
		int64_t unit = slice_eq(row->unit, SLICE("ns")) ? NS_PER_US : 1;
		json_put(json, "{'metric': ?, 'instance': ?, 'span': ?", J(row->name),
		         J(column->instance), J((int64_t)span / NS_PER_US));
		for (size_t i = 0; i < group->times.count; i += step) {
			size_t last = last_from(group, i, step);
			int64_t value = column->values[last];
			for (size_t j = i; j < last && row->kind != METRIC_IS_COUNTER; j++)
				value = column->values[j] > value ? column->values[j] : value;
			page_numbers_add(page->writer, value / unit);
		}
		page_numbers_put(page->writer, "values");
		json_put(json, "}");
	}
	json_put(json, "]}");
}

/* By the name of each level of NODE (NULL: of all nodes together): the table of its cells, in their order, and of the
 * whole. */
static void put_tables(struct page *page, const struct report_node *node)
{
	const struct report *report = &page->report;
	const struct report_node *shown = node != NULL ? node : report->lead;
	VECTOR(struct figure_column) columns = {0};
	const struct figure_column own[] = {FIGURE(page_row, number, "cell", COUNT),
	                                    FIGURE(page_row, begin, "start", SECONDS)};
	for (size_t i = 0; i < sizeof own / sizeof *own; i++)
		vec_push(report->arena, &columns, own[i]);
	const struct figure_column *shared = report_columns;
	do { /* the last one, too */
		vec_push(report->arena, &columns, *shared);
	} while (shared++->key != NULL);
	json_put(&page->writer->json, "'tables': {");
	for (unsigned level = 0; level < LEVEL_COUNT; level++) {
		if (node != NULL ? !measure_has(&node->series, level)
		                 : !report_has_level(report->run, level))
			continue;
		for (size_t i = 0; i <= report->rows.count; i++) {
			const struct report_row *row =
			        i < report->rows.count ? &report->rows.items[i] : NULL;
			struct stretch stretch = report_row_on(report, shown, row);
			page->rows[i].number = row == NULL ? (double)NAN : row->number;
			page->rows[i].begin =
			        row == NULL
			                ? NAN
			                : (double)since_start(&shown->series, stretch.from) / 1e6;
			report_figures(report, node, level, row, &page->rows[i].figures);
		}
		const struct figure_table table = {
		        .key = level_name(level).ptr,
		        .title = "Cells",
		        .columns = columns.items,
		        .rows = page->rows,
		        .row_size = sizeof *page->rows,
		        .row_count = report->rows.count + 1,
		};
		figure_table_page(&page->writer->json, &table, table.row_count);
	}
	json_put(&page->writer->json, "}");
}

static void put_node(struct page *page, const struct report_node *node)
{
	struct json_writer *json = &page->writer->json;
	const struct series *series = page->series;
	const struct series_head *head = &series->head;
	const struct series_end *end = &series->end;
	json_put(json, "{'head': {");
#define HEAD_TEXT(field) json_put(json, "?: ?", J(#field), J(head->field));
#define HEAD_NUMBER(field) json_put(json, "?: ?", J(#field), J(head->field));
#include "sample/series_head.def"
	/* A number of JavaScript does not hold the nanoseconds. */
	json_put(json, "'start': ?", J(head->start_wall / NS_PER_US));
	report_json_gpus(json, series);
	json_put(json, "}, 'groups': [");
	for (size_t i = 0; i < series->groups.count; i++) {
		if (series->groups.items[i].times.count > 0)
			put_group(page, &series->groups.items[i]);
	}
	json_put(json, "], 'cells': [");
	vec_each(const struct series_cell, cell, &series->cells) {
		json_put(json, "{'number': ?, 'begin': ?, 'end': ?*, 'state': ?}", J(cell->number),
		         J(since_start(series, cell->begin)),
		         json_if(cell->end != 0, J(since_start(series, cell->end))),
		         J(cell->state));
	}
	json_put(json, "], 'titles': [");
	vec_each(const struct series_title, title, &series->titles) {
		json_put(json, "{'number': ?, 'title': ?, 'source': ?}", J(title->number),
		         J(title->title), J(title->source));
	}
	json_put(json, "], 'notes': ?", json_texts(series->notes.items, series->notes.count));
	json_put(json, "'last': ?, 'due': ?, 'missed': ?, 'truncated': ?",
	         J(since_start(series, series_last(series))), J(series->due), J(series->missed),
	         json_bool(series->truncated));
	if (end->known) {
		json_put(json, "'end': {");
#define END_NUMBER(field) json_put(json, "?: ?", J(#field), J(end->field));
#include "sample/series_end.def"
		json_put(json, "}");
	}
	put_tables(page, node);
	json_put(json, "}");
}

void report_html_data(struct page_writer *writer, const struct report *report)
{
	const struct report_run *run = report->run;
	struct json_writer *json = &writer->json;
	struct page page = {.writer = writer};
	bool is_part = !report_range_is_all(&report->range);
	size_t count = 0;
	for (size_t i = 0; i < run->nodes.count; i++) {
		const struct series *series = &run->nodes.items[i].series;
		for (size_t k = 0; k < series->groups.count; k++)
			count += series->groups.items[k].times.count *
			         series->groups.items[k].columns.count;
	}
	page.most = count / VALUES_MAX + 1;
	(void)report_make(json->out->arena, run, report->level, REPORT_RANGE_ALL, &page.report);
	page.rows = arena_calloc(json->out->arena, page.report.rows.count + 1, sizeof *page.rows);
	/* The initial view, and the notes about all nodes. */
	json_put(json, "'level': ?, 'node': ?, 'from': ?*, 'to': ?*", J(level_name(report->level)),
	         J(report->lead - run->nodes.items),
	         json_if(is_part, J(since_start(&report->lead->series, report->stretch.from))),
	         json_if(is_part, J(since_start(&report->lead->series, report->stretch.to))));
	report_json_signatures(json, report);
	if (report->request > 0)
		json_put(json, "'request': ?",
		         J(measure_request_text(json->out->arena, report->request)));
	report_html_metrics(json);
	json_put(json, "'nodes': [");
	for (size_t i = 0; i < run->nodes.count; i++) {
		page.series = &run->nodes.items[i].series;
		put_node(&page, &run->nodes.items[i]);
	}
	json_put(json, "]");
	if (run->nodes.count > 1)
		put_tables(&page, NULL);
}
