/* The figures that tables of a report show of a cell, a node or a run. MB is 2^20 bytes, GB 2^30,
 * as JUmPER has them. */
#ifndef NBSCOREP_REPORT_REPORT_COLUMNS_H
#define NBSCOREP_REPORT_REPORT_COLUMNS_H

#include "report/report.h"
#include "report/table.h"

struct report_column {
	struct slice title;
	const char *key; /* in the JSON of a comparison */
	int decimals;
	bool of_gpu; /* shown where there are GPUs */
	double (*value)(const struct figures *figures);
};

const struct report_column *report_columns(size_t *count);

/* True if REPORT has figures of GPUs. */
bool report_has_gpus(const struct report *report);

/* Adds the titles, or the values in FIGURES, of all columns to a row of TABLE. Returns how many. */
size_t report_put_titles(struct table *table, bool gpus);
void report_put_figures(struct table *table, const struct figures *figures, bool gpus);

#endif
