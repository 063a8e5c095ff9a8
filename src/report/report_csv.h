/* Prints samples as CSV, in JUmPER's columns. */
#pragma once

#include "report/report.h"

/* What the titles begin with. */
#define REPORT_CSV_MARKER "time,memory,io_read_count,"

/* Appends a line for each sample. */
void report_csv(struct strbuf *out, const struct report *report);

/* TEXT as a field: in quotation marks, as UTF-8 that does nothing to a terminal. */
struct slice report_csv_quoted(struct arena *arena, struct slice text);
