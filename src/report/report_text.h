/* Prints a report as text. */
#pragma once

#include "report/figure_table.h"
#include "report/report.h"

/* What the text of a report begins with, whatever it is about. */
#define REPORT_TEXT_MARKER "----------------------------------------\nJUmPER Performance "

/* The figures of a cell, a node or a run, as tables, comparisons (JSON, too) and the page show them; those without a title
 * are only on the page. Offsets are in struct figures. The last one has no key. */
extern const struct figure_column report_columns[];

void report_text(struct strbuf *out, const struct report *report);

/* What the text of one run and that of two have in common. The state of ROW where its cell did not
 * end well, else nothing; "0 node1"; "status 0". */
struct slice report_trouble(const struct report_row *row);

struct slice report_node_name(struct arena *arena, const struct series_head *head);

struct slice report_end_text(struct arena *arena, const struct series_end *end);
