/* A file of samples: reading it, and each form of its report; a comparison with itself. */
#include "base/utf8.h"
#include "fuzz.h"
#include "report/report_csv.h"
#include "report/report_html.h"
#include "report/report_json.h"
#include "report/report_svg.h"
#include "report/report_text.h"
#include "sample/series.h"
#include "trace/series_read.h"

enum { RUNS = 2 };

struct samples {
	struct arena arena;
	struct series whole, part;    /* PART is of the first half of the bytes */
	struct report_run runs[RUNS]; /* of WHOLE alone, and of both as two nodes */
};

/* ---- reading ---- */

static bool read_samples(struct samples *s, struct slice text, struct series *series)
{
	struct slice problem;
	bool is_read = series_read(&s->arena, text, series, &problem) == 0;
	fuzz_require(is_read || problem.len > 0, "what is not read has a reason");
	return is_read;
}

static bool is_front(const struct series_group *part, const struct series_group *whole)
{
	size_t count = part->times.count;
	if (part->columns.count != whole->columns.count || count > whole->times.count)
		return false;
	for (size_t i = 0; i < part->columns.count && count > 0; i++) {
		enum metric metric = part->columns.items[i].metric;
		if (metric == METRIC_CPU || metric == METRIC_CORE_CPU) /* later samples tell more */
			continue;
		if (memcmp(part->columns.items[i].values, whole->columns.items[i].values,
		           count * sizeof(int64_t)) != 0)
			return false;
	}
	return true;
}

/* A file that was cut off tells what it told before. */
static void check_part(const struct series *part, const struct series *whole)
{
	fuzz_require(part->groups.count <= whole->groups.count &&
	                     part->cells.count <= whole->cells.count &&
	                     part->titles.count <= whole->titles.count &&
	                     part->notes.count <= whole->notes.count,
	             "a part has no more than the whole");
	for (size_t i = 0; i < part->groups.count; i++)
		fuzz_require(is_front(&part->groups.items[i], &whole->groups.items[i]),
		             "samples of a part are the first ones of the whole");
}

static void add_node(struct samples *s, struct report_run *run, const struct series *series)
{
	struct report_node node = {.file = SLICE("a.samples"), .series = *series};
	run->name = node.file;
	vec_push(&s->arena, &run->nodes, node);
}

/* ---- forms ---- */

static void check_lines(struct slice text)
{
	struct slice rest = text, line;
	size_t wanted = 0;
	while (slice_next_line(&rest, &line)) {
		size_t fields = 1;
		bool quoted = false;
		for (size_t i = 0; i < line.len; i++) {
			quoted ^= line.ptr[i] == '"';
			fields += line.ptr[i] == ',' && !quoted;
		}
		wanted = wanted == 0 ? fields : wanted;
		fuzz_require(fields == wanted && !quoted,
		             "lines of CSV have a field for each title");
	}
}

/* Numbers that XML readers take, and nothing but the characters that XML has. */
static void check_svg(struct slice text)
{
	struct slice end = SLICE("</title>");
	size_t body = slice_find_slice(text, end, 0);
	fuzz_require(body < text.len, "a figure has a title");
	for (size_t i = 0; i < text.len; i++)
		fuzz_require((unsigned char)text.ptr[i] >= ' ' || text.ptr[i] == '\n',
		             "a figure has no character that XML has not");
	fuzz_require(slice_find_slice(text, SLICE("nan"), body) == text.len &&
	                     slice_find_slice(text, SLICE("inf"), body) == text.len,
	             "all numbers of a figure are finite");
}

static void check_difference(struct slice json)
{
	struct slice key = SLICE("\"difference\": ");
	for (size_t at = 0; (at = slice_find_slice(json, key, at)) < json.len;) {
		at += key.len;
		fuzz_require(slice_starts_with(slice_sub(json, at, json.len), SLICE("0.000000")),
		             "a run does not differ from itself");
	}
}

/* What FORM writes, which is text. */
static struct slice form_of(const struct report *report,
                            void (*form)(struct strbuf *out, const struct report *report))
{
	struct strbuf out = {.arena = report->arena};
	form(&out, report);
	fuzz_check_text(strbuf_slice(&out), "a report is lines of UTF-8");
	return strbuf_slice(&out);
}

static void check_page(const struct report *report)
{
	static const struct page_parts parts = {
	        SLICE_INIT("<@style-source@@script-source@@style@@data@@script@"), SLICE_INIT("s"),
	        SLICE_INIT("s")};
	struct strbuf out = {.arena = report->arena};
	struct page_writer page;
	page_begin(&page, report->arena);
	report_html_data(&page, report);
	page_end(&out, &page, &parts);
	struct slice text = strbuf_slice(&out);
	fuzz_require(slice_find(text, '<', 1) == text.len, "data does not end its element");
	struct slice data =
	        slice_sub(text, slice_find(text, '{', 0), text.len - 1); /* the script */
	fuzz_check_json(data, "data of a page is JSON");
}

static void check_forms(const struct report *report)
{
	fuzz_check_terminal(form_of(report, report_text));
	check_lines(form_of(report, report_csv));
	check_svg(form_of(report, report_svg));
	fuzz_check_json(form_of(report, report_json), "a report in JSON is JSON");
	check_page(report);
}

static void check_comparison(const struct report *a, const struct report *b)
{
	struct strbuf text = {.arena = a->arena};
	struct strbuf json = {.arena = a->arena};
	report_compare_text(&text, a, b);
	report_compare_json(&json, a, b);
	fuzz_check_terminal(strbuf_slice(&text));
	fuzz_check_json(strbuf_slice(&json), "a comparison in JSON is JSON");
	if (a == b)
		check_difference(strbuf_slice(&json));
}

/* ---- a target ---- */

/* One report in all forms; the size of the input says which. */
static void check_report(struct samples *s, size_t size)
{
	enum { ONE_CELL = RUNS };
	struct report report, other;
	size_t which = size / LEVEL_COUNT % (RUNS + 1);
	enum level level = size % LEVEL_COUNT;
	struct report_range range = REPORT_RANGE_ALL;
	if (which == ONE_CELL && s->whole.cells.count > 0)
		range.first = range.last = s->whole.cells.items[0].number;
	struct report_run *run = &s->runs[which % RUNS];
	fuzz_require(report_make(&s->arena, run, level, range, &report) == 0, "a run has a report");
	fuzz_require(report_make(&s->arena, &s->runs[0], level, range, &other) == 0,
	             "a node has a report");
	check_forms(&report);
	check_comparison(&report, &report);
	if (which == 1)
		check_comparison(&other, &report);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct samples s = {0};
	struct slice text = fuzz_input(data, size);
	arena_init(&s.arena, NULL);
	if (read_samples(&s, text, &s.whole)) {
		add_node(&s, &s.runs[0], &s.whole);
		add_node(&s, &s.runs[1], &s.whole);
		if (read_samples(&s, slice_sub(text, 0, size / 2), &s.part)) {
			check_part(&s.part, &s.whole);
			add_node(&s, &s.runs[1], &s.part);
		}
		check_report(&s, size);
	}
	arena_release(&s.arena);
	return 0;
}
