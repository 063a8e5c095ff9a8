/* What the page of a report has of a measurement. */
#pragma once

#include "report/page.h"
#include "report/report_profile.h"

/* So many changes of timelines a page holds: two to three bytes each, and coarser timelines. */
enum { PROFILE_HTML_CHANGES = 600000 };

/* Puts what REPORT shows: the findings, the tables, call paths with their times, and the timelines of its locations;
 * and its samples, or where it has none its cells in their place. What does not fit into a page is left out: call paths
 * with the least time, threads after the first ones. */
void profile_html_data(struct page_writer *page, const struct profile_report *report);
