/* The summary of a run: its cells, its measurement, the commands that open the results. */
#ifndef NBSCOREP_RUN_SUMMARY_H
#define NBSCOREP_RUN_SUMMARY_H

#include "base/strbuf.h"
#include "run/experiment.h"
#include "run/progress.h"

/* ---- times of ranks ---- */

/* The reports of several ranks on their cells (templates/scorep_notebook/progress.py). */

struct rank_times {
	struct slice
	        name; /* "12"; with host and PID if the launcher does not number its processes */
	const struct progress_cell *cells; /* those of the program, in its order */
};
typedef VECTOR(struct rank_times) rank_list;

/* Reads the files of ranks in FOLDER into OUT, ordered by rank. The program has the cells of PROGRESS;
 * WELL is true if it ended without an error. OUT is empty if FOLDER has no such files, or if PROGRESS
 * has the times of the only rank. Files that cannot be read are left out. */
void rank_times_read(struct arena *arena, const char *folder, const struct progress *progress,
                     bool well, rank_list *out);

/* The times of a cell over all ranks. */
struct rank_spread {
	size_t timed;             /* ranks with a time; 0: no times below */
	int64_t minimum, maximum; /* nanoseconds */
	double mean;
	struct slice slowest;       /* name of the rank with the maximum */
	size_t states[CELL_STATES]; /* ranks with each state */
};

/* Combines the times of RANKS for the cell with INDEX. */
struct rank_spread rank_times_spread(const rank_list *ranks, size_t index);

/* True if CELL of a rank has a time: its begin and its end are known. */
bool rank_times_has(const struct progress_cell *cell);

/* ---- the summary ---- */

struct summary {
	const struct progress *progress;
	rank_list ranks; /* empty: PROGRESS has the times of cells */
	bool measured;
	const struct experiment *experiment; /* NULL: none was found */
	int status;                          /* of nbscorep */
	struct slice notebook;               /* file name */
};

/* Adds a table for people. A line has the state of its cell if it is not "done". */
void summary_text(struct strbuf *out, const struct summary *summary);

/* The beginnings of files of cell times, by which files of nbscorep are recognised. */
#define CELL_TIMES_JSON_MARKER "{\n  \"generator\": \"nbscorep run\""
#define CELL_TIMES_CSV_MARKER "cell,instrumented,state,begin,seconds,first_line\n"
#define CELL_TIMES_RANKS_MARKER "rank,cell,instrumented,state,seconds,first_line\n"

#endif
