/* What the SVG of a report draws. */
#ifndef NBSCOREP_REPORT_SVG_VALUES_H
#define NBSCOREP_REPORT_SVG_VALUES_H

#include "report/report.h"

/* Fills in METRIC (of processor time and memory what that is at the level of the report) in each
 * of COUNT equal parts of the report's stretch, of all nodes together: of a counter its growth per
 * second, of a gauge the highest. NaN where nothing was measured. The result is how many nodes
 * have the metric. */
size_t svg_values(const struct report *report, enum metric metric, double *values, size_t count);

#endif
