/* What the page of a report has of samples. */
#pragma once

#include "report/page.h"
#include "report/report.h"

/* Puts what is shown at first, the series of each node and its cells. A long run is reduced to the number of samples that
 * a browser can hold, with the highest values between them. */
void report_html_data(struct page_writer *writer, const struct report *report);

/* Puts "metrics": what all of them are called, and their units. */
void report_html_metrics(struct json_writer *json);
