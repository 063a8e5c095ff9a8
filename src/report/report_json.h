/* What the JSON of a report, that of a comparison and that of the page have in common. */
#ifndef NBSCOREP_REPORT_REPORT_JSON_H
#define NBSCOREP_REPORT_REPORT_JSON_H

#include "base/json_writer.h"
#include "report/report.h"

/* Raised when a program that reads the output would have to change. */
enum { REPORT_JSON_VERSION = 1 };

void report_json(struct strbuf *out, const struct report *report);

#endif
