/* Which plots a figure has. */
#ifndef NBSCOREP_REPORT_PLOTS_H
#define NBSCOREP_REPORT_PLOTS_H

#include <stdbool.h>

#include "base/slice.h"

enum plot_kind {
	PLOT_CPU,
	PLOT_MEMORY,
	PLOT_STORAGE,
	PLOT_CALLS,
	PLOT_GPU,
	PLOT_GPU_BAND,
	PLOT_GPU_MEMORY
};

/* Of 1u << PLOT_CPU and so on. */
typedef unsigned plot_set;

/* The plots of a figure by default. */
#define PLOTS_STANDARD                                                                             \
	(1u << PLOT_CPU | 1u << PLOT_MEMORY | 1u << PLOT_STORAGE | 1u << PLOT_GPU |                \
	 1u << PLOT_GPU_MEMORY)

/* Reads names of plots.def with commas between them. Returns false with *WRONG, the first that is
 * none, or is empty. */
bool plots_read(struct slice text, plot_set *out, struct slice *wrong);

#endif
