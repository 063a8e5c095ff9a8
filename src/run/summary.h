/* The summary of a run: its cells, its measurement, the commands that open the results. */
#ifndef NBSCOREP_RUN_SUMMARY_H
#define NBSCOREP_RUN_SUMMARY_H

#include "base/strbuf.h"
#include "run/experiment.h"
#include "run/rank_times.h"

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
