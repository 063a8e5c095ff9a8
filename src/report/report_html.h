/* Writes a report as one HTML page. */
#ifndef NBSCOREP_REPORT_REPORT_HTML_H
#define NBSCOREP_REPORT_REPORT_HTML_H

#include "report/report.h"

/* What a page begins with. */
#define REPORT_HTML_MARKER "<!DOCTYPE html>\n<!-- nbscorep report -->\n"

/* What the HTML page is made of: HTML with the marks @style-source@, @script-source@, @style@,
 * @data@ and @script@, in this order. STYLE and
 * SCRIPT take the places of their marks; they do not hold the end of their element. */
struct report_page {
	struct slice html, style, script;
};

/* One page without other files, with timelines, figures and cells of each node. The texts of samples are
 * data in it: no text can end the element that contains it. Malformed UTF-8 becomes U+FFFD. A long run
 * is reduced to the number of samples that a browser can hold, with the highest values between them. */
void report_html(struct strbuf *out, const struct report *report, const struct report_page *page);

#endif
