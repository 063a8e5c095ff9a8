/* The figures of cells in an executed notebook. */
#pragma once

#include "report/report.h"

/* Adds the figures of each cell of REPORT to the cell's "nbscorep" in the metadata of the executed notebook at PATH:
 * core_seconds, cpu_percent (the mean; 100: all processors were busy), memory_peak and memory_change in bytes, counters and gauges
 * (nbscorep-samples(5)). The file is replaced as a whole. Returns 0, or -1 and sets errno; to EINVAL if the file is not
 * an executed notebook of nbscorep. */
int report_add_to_notebook(const struct report *report, const char *path);
