/* Prints a report, or two runs beside each other, as text. */
#pragma once

#include "report/figure_table.h"
#include "report/report.h"

/* What the text of a report begins with, whatever it is about. */
#define REPORT_TEXT_MARKER "----------------------------------------\nJUmPER Performance "

/* The figures of a cell, a node or a run, as tables, comparisons (JSON, too) and the page show them; those without a title
 * are only on the page. Offsets are in struct figures. The last one has no key. */
extern const struct figure_column report_columns[];

void report_text(struct strbuf *out, const struct report *report);

/* Runs that are compared; the values of a column in a comparison: of each run, B - A, and B / A. */
enum { REPORT_RUNS = 2, REPORT_CHANGE = REPORT_RUNS, REPORT_RATIO, REPORT_VALUES };

/* A cell, or the whole of both runs. */
struct report_pair {
	const struct report_row *row; /* NULL: the whole */
	const struct report_row
	        *rows[REPORT_RUNS]; /* NULL: the run has no such cell; both: the whole */
	const struct figures *figures[REPORT_RUNS]; /* NULL: the run has none of them */
};

typedef VECTOR(struct report_pair) report_pair_list;

/* The cells of A, those that B has besides, the whole. */
report_pair_list report_pairs(struct arena *arena, const struct report *a, const struct report *b);

/* Sets the VALUES of COLUMN. Returns false if neither run has one, or COLUMN is only on the page. */
bool report_pair_values(const struct figure_column *column, const struct report_pair *pair,
                        double values[REPORT_VALUES]);

/* Two runs, cell by cell: the one of B that has the same number, and ran before as often. */
void report_compare_text(struct strbuf *out, const struct report *a, const struct report *b);
