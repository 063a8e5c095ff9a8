/* Prints diagnostics as text. */
#ifndef NBSCOREP_DIAG_DIAG_REPORT_TEXT_H
#define NBSCOREP_DIAG_DIAG_REPORT_TEXT_H

#include "diag/diag_report.h"

/* Appends one diagnostic as lines of text. */
void diag_report_text_diag(struct strbuf *out, bool color, struct slice name,
                           const struct diag *diag);

#endif
