/* What the page of a report has of a measurement. */
#ifndef NBSCOREP_REPORT_PROFILE_HTML_H
#define NBSCOREP_REPORT_PROFILE_HTML_H

#include "report/diagnosis.h"
#include "report/page.h"

/* So many changes of timelines a page holds: two to three bytes each, and coarser timelines. */
enum { PROFILE_HTML_CHANGES = 600000 };

/* Puts FINDINGS, the tables, call paths with their times, and the timelines of the locations of PROFILE, which is of
 * DIRECTORY; and SAMPLES of the same run, or where that is NULL the cells of the measurement in their place. What does
 * not fit into a page is left out: call paths with the least time, threads behind the first ones. */
void profile_html_data(struct page_writer *page, const struct profile *profile,
                       const finding_list *findings, const struct report *samples,
                       struct slice directory);

#endif
