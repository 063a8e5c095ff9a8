#include "report/figure_table.h"

#include <math.h>

#include "base/quote.h"
#include "base/utf8.h"
#include "report/report_csv.h"

/* ---- tables of text ---- */

enum { GAP = 2 };

void table_text(struct table *table, struct slice text)
{
	struct strbuf shown = {.arena = table->arena};
	terminal_text(&shown, text);
	vec_push(table->arena, &table->fields, strbuf_slice(&shown));
}

void table_number(struct table *table, double value, int decimals)
{
	struct slice text = SLICE("-");
	if (isfinite(value))
		text = arena_decimal(table->arena, value, decimals);
	vec_push(table->arena, &table->fields, text);
}

/* The columns that TEXT takes on a terminal. */
static size_t width_of(struct slice text)
{
	size_t width = 0, len;
	for (; text.len > 0; text = slice_sub(text, len, text.len)) {
		int32_t character = utf8_decode(text, &len);
		width += character == UTF8_INVALID ? 1 : utf8_width(character);
	}
	return width;
}

void table_put(const struct table *table, struct strbuf *out, size_t indent)
{
	size_t *widths = arena_calloc(table->arena, table->columns, sizeof *widths);
	for (size_t i = 0; i < table->fields.count; i++) {
		size_t width = width_of(table->fields.items[i]),
		       *widest = &widths[i % table->columns];
		*widest = width > *widest ? width : *widest;
	}
	for (size_t i = 0; i < table->fields.count; i++) {
		size_t column = i % table->columns;
		strbuf_fill(out, ' ', column == 0 ? indent : GAP);
		struct slice text = table->fields.items[i];
		bool left = (table->left >> column & 1) != 0;
		size_t missing = widths[column] - width_of(text);
		strbuf_fill(out, ' ', left ? 0 : missing);
		strbuf_add(out, text);
		strbuf_fill(out, ' ', left ? missing : 0);
		if (column + 1 == table->columns) {
			while (out->len > 0 && out->ptr[out->len - 1] == ' ')
				out->len--;
			strbuf_addc(out, '\n');
		}
	}
}

/* ---- tables of figures ---- */

const struct figure_form figure_forms[] = {
        [FIGURE_TEXT] = {1, 0, 0, "text", ""},
        [FIGURE_COUNT] = {1, 0, 0, "count", ""},
        [FIGURE_SECONDS] = {1, 3, 9, "seconds", " s"},
        [FIGURE_MICROSECONDS] = {1e-6, 1, 9, "seconds", " us"},
        [FIGURE_PERCENT] = {1, 1, 3, "percent", " %"},
        [FIGURE_RATIO] = {1, 2, 4, "ratio", ""},
        [FIGURE_BYTES] = {1 << 20, 1, 0, "bytes", " MB"},
        [FIGURE_CHANGE] = {1 << 20, 1, 0, "change", " MB"},
        [FIGURE_CORE_SECONDS] = {1, 3, 9, "core-seconds", ""},
        [FIGURE_MILLIWATTS] = {1000, 1, 0, "milliwatts", " W"},
};

static struct slice text_at(const char *row, const struct figure_column *column)
{
	return *(const struct slice *)(const void *)(row + column->offset);
}

static double number_at(const char *row, const struct figure_column *column)
{
	return *(const double *)(const void *)(row + column->offset);
}

double figure_value(const struct figure_column *column, const void *row)
{
	return number_at(row, column) / figure_forms[column->unit].one;
}

struct slice figure_title(struct arena *arena, const struct figure_column *column)
{
	return arena_printf(arena, "%s%s", column->title, figure_forms[column->unit].symbol);
}

static const char *row_at(const struct figure_table *table, size_t index)
{
	return (const char *)table->rows + index * table->row_size;
}

static bool has_field(const char *row, const struct figure_column *column)
{
	return column->unit == FIGURE_TEXT ? text_at(row, column).len > 0
	                                   : isfinite(number_at(row, column));
}

/* A text, or a figure; null: it is not known. */
static struct json_item item_of(const char *row, const struct figure_column *column)
{
	if (column->unit == FIGURE_TEXT)
		return J(text_at(row, column));
	return json_decimal(number_at(row, column), figure_forms[column->unit].exact);
}

struct sorted_row {
	const char *row; /* where it was */
	const struct figure_column *column;
	bool is_down;
};

static int compare_rows(const void *a, const void *b)
{
	const struct sorted_row *left = a, *right = b;
	int order = 0;
	if (left->column->unit == FIGURE_TEXT) {
		order = slice_compare(text_at(left->row, left->column),
		                      text_at(right->row, right->column));
	} else {
		double x = number_at(left->row, left->column);
		double y = number_at(right->row, right->column);
		if (isfinite(x) != isfinite(y))
			return isfinite(x) ? -1 : 1;
		order = isfinite(x) ? (x > y) - (x < y) : 0;
	}
	if (order == 0)
		return left->row < right->row ? -1 : 1;
	return left->is_down ? -order : order;
}

bool figure_table_sort(struct figure_table *table, struct slice key, bool is_down,
                       struct arena *arena)
{
	const struct figure_column *column = table->columns;
	while (column->key != NULL && !slice_eq(slice_from(column->key), key))
		column++;
	if (column->key == NULL || table->row_count == 0)
		return column->key != NULL;
	struct sorted_row *rows = arena_calloc(arena, table->row_count, sizeof *rows);
	char *copy = arena_calloc(arena, table->row_count, table->row_size);
	for (size_t i = 0; i < table->row_count; i++)
		rows[i] = (struct sorted_row){row_at(table, i), column, is_down};
	qsort(rows, table->row_count, sizeof *rows, compare_rows);
	for (size_t i = 0; i < table->row_count; i++)
		memcpy(copy + i * table->row_size, rows[i].row, table->row_size);
	table->rows = copy;
	return true;
}

typedef VECTOR(struct figure_column) column_list;

/* The columns for people of which anything is known; the page has those without a title in text, too. */
static column_list find_shown(struct arena *arena, const struct figure_table *table, bool is_page)
{
	column_list shown = {0};
	for (const struct figure_column *column = table->columns; column->key != NULL; column++) {
		bool has_title = column->title != NULL || (is_page && column->page_title != NULL);
		bool is_known = false;
		for (size_t i = 0; has_title && !is_known && i < table->row_count; i++)
			is_known = has_field(row_at(table, i), column);
		if (is_known)
			vec_push(arena, &shown, *column);
	}
	return shown;
}

void figure_table_text(struct strbuf *out, const struct figure_table *table)
{
	const column_list shown = find_shown(out->arena, table, false);
	struct table text = {.arena = out->arena, .columns = shown.count};
	for (size_t k = 0; k < shown.count; k++) {
		const struct figure_column *column = &shown.items[k];
		if (column->unit == FIGURE_TEXT)
			text.left |= 1u << k;
		table_text(&text, figure_title(out->arena, column));
	}
	for (size_t i = 0; i < table->row_count; i++) {
		const char *row = row_at(table, i);
		vec_each(const struct figure_column, column, &shown) {
			if (column->unit == FIGURE_TEXT)
				table_text(&text, text_at(row, column));
			else
				table_number(&text, figure_value(column, row),
				             figure_forms[column->unit].decimals);
		}
	}
	if (text.columns > 0)
		strbuf_printf(out, "%s\n", table->title);
	table_put(&text, out, 2);
}

void figure_table_json(struct json_writer *json, const struct figure_table *table)
{
	json_put(json, "?: [", J(table->key));
	for (size_t i = 0; i < table->row_count; i++) {
		json_put(json, "{");
		for (const struct figure_column *column = table->columns; column->key != NULL;
		     column++)
			json_put(json, "?: ?*", J(column->key), item_of(row_at(table, i), column));
		json_put(json, "}");
	}
	json_put(json, "]");
}

void figure_table_page(struct json_writer *json, const struct figure_table *table, size_t most)
{
	const column_list shown = find_shown(json->out->arena, table, true);
	json_put(json, "?: {'title': ?, 'columns': [", J(table->key), J(table->title));
	vec_each(const struct figure_column, column, &shown) {
		json_put(json, "{'key': ?, 'title': ?, 'unit': ?, 'more': ?*}", J(column->key),
		         J(column->page_title != NULL ? column->page_title : column->title),
		         J(figure_forms[column->unit].name),
		         json_if(column->title == NULL, json_bool(true)));
	}
	json_put(json, "], 'rows': [");
	for (size_t i = 0; i < table->row_count && i < most; i++) {
		json_put(json, "[");
		for (size_t k = 0; k < shown.count; k++)
			json_put(json, "?", item_of(row_at(table, i), &shown.items[k]));
		json_put(json, "]");
	}
	json_put(json, "]}");
}

void figure_table_csv(struct strbuf *out, const struct figure_table *table)
{
	for (const struct figure_column *column = table->columns; column->key != NULL; column++)
		strbuf_printf(out, "%s%s", column > table->columns ? "," : "", column->key);
	strbuf_addc(out, '\n');
	for (size_t i = 0; i < table->row_count; i++) {
		const char *row = row_at(table, i);
		for (const struct figure_column *column = table->columns; column->key != NULL;
		     column++) {
			strbuf_puts(out, column > table->columns ? "," : "");
			if (column->unit == FIGURE_TEXT)
				strbuf_add(out,
				           report_csv_quoted(out->arena, text_at(row, column)));
			else if (has_field(row, column))
				strbuf_add(out, arena_decimal(out->arena, number_at(row, column),
				                              figure_forms[column->unit].exact));
		}
		strbuf_addc(out, '\n');
	}
}
