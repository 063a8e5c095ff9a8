/* Samples as JSON, for the script of the HTML page (templates/report/data.js). */
#ifndef NBSCOREP_REPORT_REPORT_DATA_H
#define NBSCOREP_REPORT_REPORT_DATA_H

#include "report/report.h"

/* About as many values are kept: what a browser holds and draws without delay. */
enum { REPORT_VALUES_MAX = 4000000 };

/* Appends an object: what of the report is to be shown at first, and the series of its nodes.
 * Times are microseconds since the start of the node. Numbers that belong together are a text: the
 * differences from one to the next as varints (sample/varint.h), in base64. */
void report_data(struct strbuf *out, const struct report *report);

#endif
