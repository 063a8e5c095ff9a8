/* Prints diagnostics as JSON. */
#ifndef NBSCOREP_DIAG_DIAG_REPORT_JSON_H
#define NBSCOREP_DIAG_DIAG_REPORT_JSON_H

#include "diag/diag_report.h"

/* The JSON document: {"diagnostics": [...], "errors": N, "warnings": N}. */
void diag_report_json_begin(struct json_writer *json);

void diag_report_json_diag(struct json_writer *json, struct slice name, const struct diag *diag);

void diag_report_json_end(struct json_writer *json, size_t errors, size_t warnings);

#endif
