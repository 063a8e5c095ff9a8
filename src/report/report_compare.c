#include "report/report_compare.h"

#include <math.h>

#include "base/quote.h"
#include "report/report_json.h"
#include "report/report_text.h"

enum { RUNS = 2 };

/* A cell, or the whole of both runs. */
struct pair {
	const struct report_row *rows[RUNS]; /* NULL: the run has no such cell; both: the whole */
	const struct figures *figures[RUNS]; /* NULL: the run has none of them */
};

typedef VECTOR(struct pair) pair_list;

/* The cells of A, those that B has besides, the whole. */
static void pair_cells(struct arena *arena, const struct report *a, const struct report *b,
                       pair_list *pairs)
{
	const struct report *const runs[RUNS] = {a, b};
	struct number_map places = {.arena = arena}; /* by key: 1 + an index of PAIRS */
	for (size_t k = 0; k < RUNS; k++) {
		vec_each(const struct report_row, row, &runs[k]->rows) {
			size_t *at =
			        number_map_at(&places, series_cell_key(row->number, row->repeat));
			if (*at == 0 || *at > pairs->count) {
				vec_push(arena, pairs, (struct pair){0});
				*at = pairs->count;
			}
			pairs->items[*at - 1].rows[k] = row;
			pairs->items[*at - 1].figures[k] = &row->figures;
		}
	}
	const struct pair whole = {.figures = {&a->figures, &b->figures}};
	vec_push(arena, pairs, whole);
}

/* NULL: the pair is of the whole. */
static const struct report_row *row_of(const struct pair *pair)
{
	return pair->rows[0] != NULL ? pair->rows[0] : pair->rows[1];
}

static double value_of(const struct figure_column *column, const struct figures *figures)
{
	return figures == NULL ? NAN : figure_value(column, figures);
}

static double ratio_of(double a, double b)
{
	return a == 0 ? NAN : b / a;
}

/* ---- text ---- */

/* "A failed, B exited: the title". */
static struct slice remark_of(struct arena *arena, const struct pair *pair)
{
	struct strbuf out = {.arena = arena};
	for (unsigned i = 0; i < RUNS; i++) {
		struct slice state =
		        pair->rows[i] == NULL ? SLICE("") : report_trouble(pair->rows[i]);
		if (state.len > 0)
			strbuf_printf(&out, "%s%c %.*s", out.len > 0 ? ", " : "", "AB"[i],
			              SLICE_ARG(state));
	}
	if (row_of(pair)->title.len > 0)
		strbuf_printf(&out, "%s%.*s", out.len > 0 ? ": " : "",
		              SLICE_ARG(row_of(pair)->title));
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
			terminal_text(out, report_node_name(out->arena, &series->head));
		}
		strbuf_printf(out, ": %.*s\n",
		              SLICE_ARG(report_end_text(out->arena, &series->end)));
	}
}

void report_compare_text(struct strbuf *out, const struct report *a, const struct report *b)
{
	static const struct slice titles[] = {SLICE_INIT("cell"),  SLICE_INIT("A"),
	                                      SLICE_INIT("B"),     SLICE_INIT("B - A"),
	                                      SLICE_INIT("B / A"), SLICE_INIT("")};
	enum { COLUMNS = sizeof titles / sizeof *titles, RATIO_DECIMALS = 3 };
	pair_list pairs = {0};
	pair_cells(out->arena, a, b, &pairs);
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
		if (column->title == NULL || (!isfinite(value_of(column, &a->figures)) &&
		                              !isfinite(value_of(column, &b->figures))))
			continue;
		for (size_t i = 0; i < COLUMNS; i++)
			table_text(&table, titles[i]);
		vec_each(const struct pair, pair, &pairs) {
			const struct report_row *row = row_of(pair);
			double x = value_of(column, pair->figures[0]);
			double y = value_of(column, pair->figures[1]);
			table_text(&table, row == NULL
			                           ? SLICE("all")
			                           : arena_printf(out->arena, "%u", row->number));
			table_number(&table, x, decimals);
			table_number(&table, y, decimals);
			table_number(&table, y - x, decimals);
			table_number(&table, ratio_of(x, y), RATIO_DECIMALS);
			table_text(&table, row == NULL ? SLICE("") : remark_of(out->arena, pair));
		}
		strbuf_printf(out, "\n%.*s\n", SLICE_ARG(figure_title(out->arena, column)));
		table_put(&table, out, 2);
	}
}

/* ---- JSON ---- */

static void json_pair(struct json_writer *json, const struct pair *pair)
{
	enum { DECIMALS = 6 };
	json_put(json, "{");
	if (row_of(pair) != NULL) {
		report_json_cell(json, row_of(pair));
		json_put(json, "'state': {");
		for (unsigned i = 0; i < RUNS; i++) {
			if (pair->rows[i] != NULL)
				json_put(json, "?: ?*", J(i == 0 ? "a" : "b"),
				         J(pair->rows[i]->state));
		}
		json_put(json, "}");
	}
	for (const struct figure_column *column = report_columns; column->key != NULL; column++) {
		double a = value_of(column, pair->figures[0]);
		double b = value_of(column, pair->figures[1]);
		if (column->title == NULL || (!isfinite(a) && !isfinite(b)))
			continue;
		json_put(json, "?: {'a': ?*, 'b': ?*, 'difference': ?*, 'ratio': ?*}",
		         J(column->key), json_decimal(a, DECIMALS), json_decimal(b, DECIMALS),
		         json_decimal(b - a, DECIMALS), json_decimal(ratio_of(a, b), DECIMALS));
	}
	json_put(json, "}");
}

void report_compare_json(struct strbuf *out, const struct report *a, const struct report *b)
{
	pair_list pairs = {0};
	pair_cells(out->arena, a, b, &pairs);
	struct json_writer json = {.out = out};
	json_put(&json, "{'nbscorep_report': ?, 'level': ?*, 'runs': [", J(REPORT_JSON_VERSION),
	         J(level_name(a->level)));
	for (unsigned i = 0; i < RUNS; i++) {
		const struct report *report = i == 0 ? a : b;
		json_put(&json, "{'name': ?*", J(report->run->name));
		report_json_nodes(&json, report);
		report_json_result(&json, report);
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
