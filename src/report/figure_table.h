/* Tables of figures, of a measurement or of samples. Each is described once, by its columns, and every form of a report shows
 * it: text, JSON, CSV and the page. And tables of text, which have columns as wide as their content. */
#pragma once

#include "base/json_writer.h"

enum figure_unit {
	FIGURE_TEXT, /* a struct slice; all others are a double, NaN where it is not known */
	FIGURE_COUNT,
	FIGURE_SECONDS,
	FIGURE_MICROSECONDS, /* of seconds; text shows microseconds */
	FIGURE_PERCENT,
	FIGURE_RATIO,
	FIGURE_BYTES,  /* text shows MB, 2^20 bytes */
	FIGURE_CHANGE, /* of bytes */
	FIGURE_CORE_SECONDS,
	FIGURE_MILLIWATTS, /* text shows W */
};

struct figure_column {
	const char *key;   /* in JSON and CSV */
	const char *title; /* in text, with the unit, and on the page; NULL: not in text */
	enum figure_unit unit;
	size_t offset;          /* in a row */
	const char *page_title; /* on the page; NULL: TITLE */
};

/* A column of struct ROW: of its FIELD; KEY has the field's name. */
#define FIGURE_AT(row, field, key, title, unit, page_title)                                        \
	{                                                                                          \
		key, title, FIGURE_##unit, offsetof(struct row, field), page_title                 \
	}
#define FIGURE(row, key, title, unit) FIGURE_AT(row, key, #key, title, unit, NULL)

struct figure_table {
	const char *key, *title;
	const struct figure_column *columns; /* the last one has no key */
	const void *rows;
	size_t row_size, row_count;
};

/* The last three members of a table whose rows are those of a vector. */
#define FIGURE_ROWS(vector) (vector).items, sizeof *(vector).items, (vector).count

/* How a unit is shown: text divides a number by ONE, and SYMBOL follows the title there. JSON and CSV have EXACT decimals,
 * all digits that are known: times are whole nanoseconds. The page chooses how to show a figure by the NAME of its unit. */
struct figure_form {
	double one;
	int decimals, exact;
	const char *name, *symbol;
};

/* By unit. */
extern const struct figure_form figure_forms[];

/* The number in ROW as text shows it, and the title: "peak MB". */
double figure_value(const struct figure_column *column, const void *row);
struct slice figure_title(struct arena *arena, const struct figure_column *column);

/* Sorts the rows by the column KEY, upwards or downwards; what is not known comes last. False if TABLE has no such
 * column. */
bool figure_table_sort(struct figure_table *table, struct slice key, bool is_down,
                       struct arena *arena);

/* Appends a table for people; columns of which nothing is known are left out. Nothing is appended without rows. */
void figure_table_text(struct strbuf *out, const struct figure_table *table);

/* Puts a key with an array of objects; what is not known is left out. */
void figure_table_json(struct json_writer *json, const struct figure_table *table);

/* Puts a key with an object for the page: the title, the columns ("more": those without a title in text), and the first MOST
 * rows as arrays, in which null is what is not known. */
void figure_table_page(struct json_writer *json, const struct figure_table *table, size_t most);

/* Appends a line with the keys, then one per row; fields that are not known are empty. */
void figure_table_csv(struct strbuf *out, const struct figure_table *table);

struct table {
	struct arena *arena;
	size_t columns;
	unsigned left;               /* bit mask of the columns that are aligned left */
	VECTOR(struct slice) fields; /* row by row */
};

/* The next field. TEXT stays the caller's; what would act on a terminal is not shown as it is. */
void table_text(struct table *table, struct slice text);

/* The next field: VALUE with DECIMALS decimals, or "-" if it is not finite. */
void table_number(struct table *table, double value, int decimals);

/* Adds the table to OUT, with INDENT blanks before each line. */
void table_put(const struct table *table, struct strbuf *out, size_t indent);
