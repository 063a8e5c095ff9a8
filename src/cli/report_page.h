/* The form html of `nbscorep report`, with the templates that it is made of. */
#ifndef NBSCOREP_CLI_REPORT_PAGE_H
#define NBSCOREP_CLI_REPORT_PAGE_H

#include "report/report_formats.h"

/* Appends the page, which templates/report has the parts of. */
void report_page(struct strbuf *out, const struct report *report);

#endif
