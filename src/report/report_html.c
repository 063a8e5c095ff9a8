/* The samples are JSON in the page, for its script (templates/report/data.js): an object. Times are microseconds since
 * the start of the node. Numbers that belong together are a text: the differences from one to the next as varints
 * (sample/varint.h), in base64. */
#include "report/report_html.h"

#include "base/digest.h"
#include "base/quote.h"
#include "report/report_json.h"
#include "sample/varint.h"

/* About as many values are kept: what a browser holds and draws without delay. */
enum { VALUES_MAX = 4000000 };

enum { NS_PER_US = 1000 };

struct page {
	struct json_writer json;
	const struct series *series; /* of the node that is written */
	struct strbuf bytes, text;   /* of one column; used again for the next */
	int64_t last;                /* number of the column */
	size_t most;                 /* of a report: so many samples become one at most */
	size_t step;                 /* of a group: so many become one, the last of them */
};

/* ---- numbers ---- */

static void numbers_begin(struct page *page)
{
	page->bytes.len = page->text.len = 0;
	page->last = 0;
}

/* A damaged file may hold any numbers: their difference is taken without overflow. */
static void numbers_add(struct page *page, int64_t number)
{
	varint_put_signed(&page->bytes, (int64_t)((uint64_t)number - (uint64_t)page->last));
	page->last = number;
}

static void numbers_put(struct page *page, const char *key)
{
	base64_put(&page->text, strbuf_slice(&page->bytes));
	json_member_string(&page->json, key, strbuf_slice(&page->text));
}

static int64_t since_start(const struct series *series, int64_t moment)
{
	return (int64_t)((uint64_t)moment - (uint64_t)series->head.start_mono) / NS_PER_US;
}

/* ---- the parts ---- */

static void put_metrics(struct json_writer *json)
{
	json_put_source(json, "'metrics': {");
	for (unsigned i = 0; i < METRIC_COUNT; i++) {
		const struct metric_row *row = metric_row(i);
		json_put_key(json, row->name.ptr);
		json_put_source(json, "{");
		json_put_key(json, "counter");
		json_put_bool(json, row->kind == METRIC_IS_COUNTER);
		json_member_string(json, "unit", row->unit);
		json_member_string(json, "title", row->title);
		json_put_source(json, "}");
	}
	json_put_source(json, "}");
}

/* Groups that are read at a slow pace lose less, or nothing; marks, of which there are no more than
 * cells, are exact. */
static size_t step_of(const struct series_group *group, size_t most)
{
	enum { FEW = 1000 };
	if (group->columns.count > 0 && group->columns.items[0].metric == METRIC_MARK_RSS)
		return 1;
	size_t step = group->times.count / FEW;
	return step < 1 ? 1 : step < most ? step : most;
}

/* The last of the page's step of samples from FROM on, which is kept of them. */
static size_t last_from(const struct page *page, const struct series_group *group, size_t from)
{
	size_t left = group->times.count - from;
	return from + (left < page->step ? left : page->step) - 1;
}

/* Of the samples FROM to TO, of which the first is known. */
static int64_t value_of(const struct series_column *column, size_t from, size_t to)
{
	if (to >= column->known)
		to = column->known - 1;
	int64_t value = column->values[to];
	bool grows = metric_row(column->metric)->kind == METRIC_IS_COUNTER;
	for (size_t i = from; i < to && !grows; i++) {
		if (column->values[i] > value)
			value = column->values[i];
	}
	return value;
}

/* When samples were taken, for how long, and by how much the wall clock differs from one that was never set. */
static void put_times(struct page *page, const struct series_group *group)
{
	static const char *const keys[] = {"times", "took", "wall"};
	for (size_t k = 0; k < sizeof keys / sizeof *keys; k++) {
		numbers_begin(page);
		for (size_t i = 0; i < group->times.count; i += page->step) {
			const struct series_time *time =
			        &group->times.items[last_from(page, group, i)];
			int64_t end = since_start(page->series, time->end);
			uint64_t wall = (uint64_t)time->wall - (uint64_t)time->begin -
			                series_wall_offset(page->series);
			const int64_t values[] = {end, end - since_start(page->series, time->begin),
			                          (int64_t)wall / NS_PER_US};
			numbers_add(page, values[k]);
		}
		numbers_put(page, keys[k]);
	}
}

static void put_column(struct page *page, const struct series_group *group,
                       const struct series_column *column)
{
	struct json_writer *json = &page->json;
	const struct metric_row *row = metric_row(column->metric);
	double span = measure_rate_span(page->series, column->metric);
	int64_t unit = slice_eq(row->unit, SLICE("ns")) ? NS_PER_US : 1;
	json_put_source(json, "{");
	json_member_string(json, "metric", row->name);
	json_member_number(json, "instance", column->instance);
	json_member_number(json, "span", (int64_t)span / NS_PER_US);
	numbers_begin(page);
	for (size_t i = 0; i < group->times.count && i < column->known; i += page->step)
		numbers_add(page, value_of(column, i, last_from(page, group, i)) / unit);
	numbers_put(page, "values");
	json_put_source(json, "}");
}

static void put_group(struct page *page, const struct series_group *group)
{
	struct json_writer *json = &page->json;
	page->step = step_of(group, page->most);
	json_put_source(json, "{");
	json_member_string(json, "level",
	                   group->level < LEVEL_COUNT ? level_name(group->level)
	                                              : slice_make("", 0));
	json_member_number(json, "step", (int64_t)page->step);
	put_times(page, group);
	json_put_source(json, "'columns': [");
	for (size_t i = 0; i < group->columns.count; i++) {
		if (group->columns.items[i].metric < METRIC_COUNT)
			put_column(page, group, &group->columns.items[i]);
	}
	json_put_source(json, "]}");
}

static void put_node(struct page *page)
{
	struct json_writer *json = &page->json;
	const struct series *series = page->series;
	const struct series_head *head = &series->head;
	const struct series_end *end = &series->end;
	json_put_source(json, "{'head': {");
#define HEAD_TEXT(field) json_member_string(json, #field, head->field);
#define HEAD_NUMBER(field) json_member_number(json, #field, head->field);
#include "sample/series_head.def"
#undef HEAD_TEXT
#undef HEAD_NUMBER
	/* A number of JavaScript does not hold the nanoseconds. */
	json_member_number(json, "start", head->start_wall / NS_PER_US);
	report_json_gpus(json, series);
	json_put_source(json, "}, 'groups': [");
	for (size_t i = 0; i < series->groups.count; i++) {
		if (series->groups.items[i].times.count > 0)
			put_group(page, &series->groups.items[i]);
	}
	json_put_source(json, "]");
	json_put_source(json, "'cells': [");
	for (size_t i = 0; i < series->cells.count; i++) {
		const struct series_cell *cell = &series->cells.items[i];
		json_put_source(json, "{");
		json_member_number(json, "number", cell->number);
		json_member_number(json, "begin", since_start(series, cell->begin));
		if (cell->end != 0)
			json_member_number(json, "end", since_start(series, cell->end));
		json_member_string(json, "state", cell->state);
		json_put_source(json, "}");
	}
	json_put_source(json, "], 'titles': [");
	for (size_t i = 0; i < series->titles.count; i++) {
		const struct series_title *title = &series->titles.items[i];
		json_put_source(json, "{");
		json_member_number(json, "number", title->number);
		json_member_string(json, "title", title->title);
		json_member_string(json, "source", title->source);
		json_put_source(json, "}");
	}
	json_put_source(json, "]");
	report_json_notes(json, series);
	json_member_number(json, "last", since_start(series, series_last(series)));
	json_member_number(json, "due", series->due);
	json_member_number(json, "missed", series->missed);
	json_put_key(json, "truncated");
	json_put_bool(json, series->truncated);
	if (end->known) {
		json_put_source(json, "'end': {");
#define END_NUMBER(field) json_member_number(json, #field, end->field);
#include "sample/series_end.def"
#undef END_NUMBER
		json_put_source(json, "}");
	}
	json_put_source(json, "}");
}

/* The initial view, and the notes about all nodes. */
static void put_shown(struct json_writer *json, const struct report *report)
{
	const struct report_node *lead = report->lead;
	json_member_string(json, "level", level_name(report->level));
	json_member_number(json, "node", lead - report->run->nodes.items);
	if (report->range.first > 0 || report->range.last < UINT32_MAX) {
		json_member_number(json, "from", since_start(&lead->series, report->stretch.from));
		json_member_number(json, "to", since_start(&lead->series, report->stretch.to));
	}
	report_json_signatures(json, report);
	if (report->request > 0)
		json_member_string(json, "request",
		                   measure_request_text(json->out->arena, report->request));
}

/* What of the report is to be shown at first, and the series of its nodes. */
static void put_data(struct strbuf *out, const struct report *report)
{
	const struct report_run *run = report->run;
	struct page page = {.series = NULL};
	size_t count = 0;
	json_writer_init(&page.json, out);
	strbuf_init(&page.bytes, out->arena);
	strbuf_init(&page.text, out->arena);
	for (size_t i = 0; i < run->nodes.count; i++) {
		const struct series *series = &run->nodes.items[i].series;
		for (size_t k = 0; k < series->groups.count; k++)
			count += series->groups.items[k].times.count *
			         series->groups.items[k].columns.count;
	}
	page.most = count / VALUES_MAX + 1;
	json_put_source(&page.json, "{");
	put_shown(&page.json, report);
	put_metrics(&page.json);
	json_put_source(&page.json, "'nodes': [");
	for (size_t i = 0; i < run->nodes.count; i++) {
		page.series = &run->nodes.items[i].series;
		put_node(&page);
	}
	json_put_source(&page.json, "]}");
	strbuf_addc(out, '\n');
}

/* ---- the page ---- */

/* "<" before "/script" or "!--" has a meaning in the HTML around the JSON. "<", ">" and "&" appear only
 * in JSON strings, where an escape means the same. */
static void put_escaped(struct strbuf *out, struct slice json)
{
	size_t copied = 0;
	for (size_t i = 0; i < json.len; i++) {
		char c = json.ptr[i];
		if (c != '<' && c != '>' && c != '&')
			continue;
		strbuf_add(out, slice_sub(json, copied, i));
		strbuf_printf(out, "\\u%04x", (unsigned)c);
		copied = i + 1;
	}
	strbuf_add(out, slice_sub(json, copied, json.len));
}

/* The source for Content-Security-Policy: the browser runs nothing else that is in the page. */
static void put_source(struct strbuf *out, struct slice text)
{
	unsigned char digest[SHA256_LEN];
	sha256(text, digest);
	strbuf_puts(out, "'sha256-");
	base64_put(out, slice_make((const char *)digest, sizeof digest));
	strbuf_addc(out, '\'');
}

/* Copies TEXT up to MARK, and takes both off its front. */
static void put_until(struct strbuf *out, struct slice *text, struct slice mark)
{
	size_t at = slice_find_slice(*text, mark, 0);
	strbuf_add(out, slice_sub(*text, 0, at));
	*text = slice_sub(*text, at + mark.len, text->len);
}

void report_html(struct strbuf *out, const struct report *report, const struct report_page *page)
{
	struct slice rest = page->html;
	put_until(out, &rest, SLICE("@style-source@"));
	put_source(out, page->style);
	put_until(out, &rest, SLICE("@script-source@"));
	put_source(out, page->script);
	put_until(out, &rest, SLICE("@style@"));
	strbuf_add(out, page->style);
	put_until(out, &rest, SLICE("@data@"));
	struct strbuf json;
	strbuf_init(&json, out->arena);
	put_data(&json, report);
	put_escaped(out, strbuf_slice(&json));
	put_until(out, &rest, SLICE("@script@"));
	strbuf_add(out, page->script);
	strbuf_add(out, rest);
}
