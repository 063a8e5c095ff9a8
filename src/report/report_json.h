/* What the JSON of a report, that of a comparison and that of the page have in common. */
#pragma once

#include "base/json_writer.h"
#include "report/report.h"

/* Raised when a program that reads the output would have to change. */
enum { REPORT_JSON_VERSION = 1 };

/* What a report and a comparison begin with. */
#define REPORT_JSON_MARKER "{\n  \"nbscorep_report\": "

void report_json(struct strbuf *out, const struct report *report);
void report_compare_json(struct strbuf *out, const struct report *a, const struct report *b);

/* The key "gpus". */
void report_json_gpus(struct json_writer *json, const struct series *series);

/* The key "signatures". */
void report_json_signatures(struct json_writer *json, const struct report *report);
