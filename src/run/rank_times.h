/* What each of several ranks reported of its cells (templates/runtime/progress.py). */
#ifndef NBSCOREP_RUN_RANK_TIMES_H
#define NBSCOREP_RUN_RANK_TIMES_H

#include "run/progress.h"

struct rank_times {
	struct slice name; /* "12"; what the launcher does not number has a host and PID, too */
	const struct progress_cell *cells; /* those of the program, in its order */
};
typedef VECTOR(struct rank_times) rank_list;

/* Reads the files of ranks in FOLDER into OUT, by rank. The program has the cells of PROGRESS and ended
 * well or not. OUT is empty if there are no files, or if PROGRESS has the times of the only rank. Files
 * that cannot be read are left out. */
void rank_times_read(struct arena *arena, const char *folder, const struct progress *progress,
                     bool well, rank_list *out);

/* A cell over all ranks. */
struct rank_spread {
	size_t timed;             /* ranks with a time; 0: the rest is empty */
	int64_t minimum, maximum; /* nanoseconds */
	double mean;
	struct slice slowest;       /* name of the rank with the maximum */
	size_t states[CELL_STATES]; /* ranks with each state */
};

/* Puts together what RANKS took for the cell with INDEX. */
struct rank_spread rank_times_spread(const rank_list *ranks, size_t index);

/* True if CELL of a rank has a time: its begin and its end are known. */
bool rank_times_has(const struct progress_cell *cell);

#endif
