/* Compares two runs. */
#pragma once

#include "report/report.h"

/* Two runs, cell by cell: the one of B that has the same number, and ran before as often. */
void report_compare_text(struct strbuf *out, const struct report *a, const struct report *b);

void report_compare_json(struct strbuf *out, const struct report *a, const struct report *b);
