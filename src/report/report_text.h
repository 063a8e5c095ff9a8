/* Prints a report as text. */
#ifndef NBSCOREP_REPORT_REPORT_TEXT_H
#define NBSCOREP_REPORT_REPORT_TEXT_H

#include "report/report_formats.h"

void report_text(struct strbuf *out, const struct report *report);

/* The table of cells alone, which report_text() has below that of the run. */
void report_cells_text(struct strbuf *out, const struct report *report);

/* What the text of one run and that of two have in common. The state of ROW where its cell did not
 * end well, else nothing; "0 node1"; "status 0". */
struct slice report_trouble(const struct report_row *row);

struct slice report_node_name(struct arena *arena, const struct series_head *head);

struct slice report_end_text(struct arena *arena, const struct series_end *end);

#endif
