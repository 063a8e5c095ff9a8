/* The forms of a report: each writes all of it to OUT. */
#ifndef NBSCOREP_MONITOR_REPORT_FORMATS_H
#define NBSCOREP_MONITOR_REPORT_FORMATS_H

#include "monitor/report.h"

/* What each form begins with, whatever it is about. */
#define REPORT_TEXT_MARKER "----------------------------------------\nJUmPER Performance "
#define REPORT_JSON_MARKER "{\n  \"nbscorep_report\": "
#define REPORT_CSV_MARKER "time,memory,io_read_count,"

void report_text(struct strbuf *out, const struct report *report);
void report_json(struct strbuf *out, const struct report *report);
void report_csv(struct strbuf *out, const struct report *report);

/* The table of cells alone, which report_text() has below that of the run. */
void report_cells_text(struct strbuf *out, const struct report *report);

/* Two runs, cell by cell: the one of B that has the same number, and ran before as often. */
void report_compare_text(struct strbuf *out, const struct report *a, const struct report *b);
void report_compare_json(struct strbuf *out, const struct report *a, const struct report *b);

#endif
