/* Writes a measurement's call paths as a profile of CUBE 4, which Cube's and Score-P's tools read. */
#pragma once

#include "trace/measurement.h"

enum cubex_metric { CUBEX_VISITS, CUBEX_TIME, CUBEX_MIN_TIME, CUBEX_MAX_TIME, CUBEX_METRICS };

/* What is written, and read of Score-P's profiles; the texts are Score-P's. */
struct cubex_metric_row {
	const char *type, *display, *name, *dtype, *unit, *description;
};
extern const struct cubex_metric_row cubex_metrics[CUBEX_METRICS];

enum { CUBEX_TAR_BLOCK = 512 };

/* The content of the file, in ARENA. */
struct slice cubex_write(struct arena *arena, const struct measurement *measurement);
