/* Prints diagnostics as SARIF 2.1.0. */
#ifndef NBSCOREP_DIAG_DIAG_REPORT_SARIF_H
#define NBSCOREP_DIAG_DIAG_REPORT_SARIF_H

#include "diag/diag_report.h"

/* The SARIF log: one run, every kind a rule. FILE_LINE: where the place is in the file, or 0.
 * FINGERPRINT tells the result from others, also in a later version of the file. */
void diag_report_sarif_begin(struct json_writer *json, const char *version);

void diag_report_sarif_diag(struct json_writer *json, struct slice name, unsigned file_line,
                            const struct diag *diag, struct slice fingerprint);

void diag_report_sarif_end(struct json_writer *json);

#endif
