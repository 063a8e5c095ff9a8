/* What is said of a run when it has ended: its cells, what was measured, what to open it with. */
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

/* For people: a table. Lines with what came of a cell where that is not "done". */
void summary_text(struct strbuf *out, const struct summary *summary);

/* How the forms of cell times begin, so that a file of ours can be told. */
#define CELL_TIMES_JSON_MARKER SLICE("{\n  \"generator\": \"nbscorep run\"")
#define CELL_TIMES_CSV_MARKER SLICE("cell,instrumented,state,begin,seconds,first_line\n")
#define CELL_TIMES_RANKS_MARKER SLICE("rank,cell,instrumented,state,seconds,first_line\n")

#endif
