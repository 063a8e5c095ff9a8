/* Writes a report as one HTML page. */
#ifndef NBSCOREP_REPORT_REPORT_HTML_H
#define NBSCOREP_REPORT_REPORT_HTML_H

#include "report/report_formats.h"

/* One page that needs nothing besides itself, with timelines, figures and cells of each node. The
 * texts of samples are data in it: none of them can end the element that holds them. Malformed
 * UTF-8 becomes U+FFFD. Of a long run only as many samples are kept as a browser can hold, with
 * the highest values in between. */
void report_html(struct strbuf *out, const struct report *report, const struct report_page *page);

#endif
