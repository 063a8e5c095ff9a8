/* Prints diagnostics as SARIF 2.1.0. */
#ifndef NBSCOREP_DIAG_DIAG_REPORT_SARIF_H
#define NBSCOREP_DIAG_DIAG_REPORT_SARIF_H

#include "diag/diag_report.h"

/* The SARIF log: one run, with a rule for every kind. FILE_LINE is the line of the place in the
 * file, or 0. FINGERPRINT identifies the result, also in later versions of the file. */
void diag_report_sarif_begin(struct json_writer *json, const char *version);

void diag_report_sarif_diag(struct json_writer *json, struct slice name, unsigned file_line,
                            const struct diag *diag, struct slice fingerprint);

void diag_report_sarif_end(struct json_writer *json);

#endif
