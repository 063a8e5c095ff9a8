/* What a program tells of its cells, a line for each begin and end (templates/runtime/progress.py):
 * "begin 7 MOMENT CHILDREN PID RESIDENT PEAK", "end 7 MOMENT done CHILDREN PID RESIDENT PEAK". */
#ifndef NBSCOREP_BASE_CELL_MARK_H
#define NBSCOREP_BASE_CELL_MARK_H

#include <stdbool.h>
#include <stdint.h>

#include "base/slice.h"

struct cell_mark {
	bool begins;
	unsigned cell;      /* its number in the notebook */
	int64_t moment;     /* nanoseconds, CLOCK_MONOTONIC */
	int64_t children;   /* bytes: the most that a child that was waited for held; 0: not told */
	int64_t pid;        /* the process that reports; 0: not reported, nor is what follows */
	int64_t resident;   /* bytes of its resident memory at MOMENT */
	int64_t peak;       /* and the most until then */
	struct slice state; /* of an end: "done", "failed", "exited", "unknown" */
};

/* Reads a cell's number; false where WORD is none. */
bool cell_number_read(struct slice word, unsigned *out);

/* Reads LINE, which anybody could have written; false where it is no mark. */
bool cell_mark_read(struct slice line, struct cell_mark *out);

#endif
