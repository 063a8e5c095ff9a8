/* Prints a report as text. */
#ifndef NBSCOREP_REPORT_REPORT_TEXT_H
#define NBSCOREP_REPORT_REPORT_TEXT_H

#include "report/report.h"

/* What the text of a report begins with, whatever it is about. */
#define REPORT_TEXT_MARKER "----------------------------------------\nJUmPER Performance "

/* A figure of a cell, a node or a run, as tables and comparisons show it. MB is 2^20 bytes, GB 2^30, as JUmPER has
 * them. */
struct report_column {
	struct slice title;
	const char *key; /* in the JSON of a comparison */
	int decimals;
	bool of_gpu;   /* shown where there are GPUs */
	size_t offset; /* of a double in struct figures */
	double unit;   /* how much of it is 1 in the column */
};

enum { REPORT_COLUMNS = 11 };
extern const struct report_column report_columns[REPORT_COLUMNS];

double report_column_value(const struct report_column *column, const struct figures *figures);

/* True if REPORT has figures of GPUs. */
bool report_has_gpus(const struct report *report);

void report_text(struct strbuf *out, const struct report *report);

/* What the text of one run and that of two have in common. The state of ROW where its cell did not
 * end well, else nothing; "0 node1"; "status 0". */
struct slice report_trouble(const struct report_row *row);

struct slice report_node_name(struct arena *arena, const struct series_head *head);

struct slice report_end_text(struct arena *arena, const struct series_end *end);

#endif
