/* What a program reports about its cells: one line for each begin and end
 * (templates/scorep_notebook/progress.py): "begin 7 MOMENT CHILDREN PID RESIDENT PEAK", "end 7 MOMENT done
 * CHILDREN PID RESIDENT PEAK". */
#pragma once

#include "base/base.h"

struct cell_mark {
	bool begins;
	unsigned cell;      /* its number in the notebook */
	int64_t moment;     /* nanoseconds, CLOCK_MONOTONIC */
	int64_t children;   /* bytes: the most that a waited-for child held; 0: not reported */
	int64_t pid;        /* the reporting process; 0: it and the next two are not reported */
	int64_t resident;   /* bytes of its resident memory at MOMENT */
	int64_t peak;       /* bytes: the peak up to MOMENT */
	struct slice state; /* at an end: "done", "failed", "exited", "unknown" */
};

/* Reads a cell's number. Returns false if WORD is not one. */
bool cell_number_read(struct slice word, unsigned *out);

/* Reads LINE, which is untrusted. Returns false if it is not a mark. */
bool cell_mark_read(struct slice line, struct cell_mark *out);
