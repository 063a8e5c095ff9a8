/* The formats behind base/diag_report.h; no other file includes this. */
#ifndef NBSCOREP_BASE_DIAG_REPORT_INSIDE_H
#define NBSCOREP_BASE_DIAG_REPORT_INSIDE_H

#include "base/diag_report.h"

/* Appends one diagnostic as lines of text. */
void diag_report_text_diag(struct strbuf *out, bool color, struct slice name,
                           const struct diag *diag);

/* The JSON document: {"diagnostics": [...], "errors": N, "warnings": N}. */
void diag_report_json_begin(struct json_writer *json);
void diag_report_json_diag(struct json_writer *json, struct slice name, const struct diag *diag);
void diag_report_json_end(struct json_writer *json, size_t errors, size_t warnings);

/* The SARIF log: one run, every kind a rule. FILE_LINE: where the place is in the file, or 0.
 * FINGERPRINT tells the result from others, also in a later version of the file. */
void diag_report_sarif_begin(struct json_writer *json, const char *version);
void diag_report_sarif_diag(struct json_writer *json, struct slice name, unsigned file_line,
                            const struct diag *diag, struct slice fingerprint);
void diag_report_sarif_end(struct json_writer *json);

#endif
