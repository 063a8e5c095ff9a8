/* Tracks which cell runs. The program reports it through a FIFO (templates/scorep_notebook/progress.py), with a
 * line for each begin and end of a cell. It is shown during the run, and known after it. */
#pragma once

#include "base/cell_mark.h"
#include "process/launch.h"
#include "run/status_line.h"
#include "sample/sampler.h"

enum cell_state {
#define CELL_STATE(id, name) CELL_##id,
#include "run/cell_state.def"
	CELL_STATES /* their number */
};

struct progress_cell {
	unsigned number;
	bool instrumented;
	struct slice title;  /* safe for a terminal */
	struct slice source; /* as in the notebook */
	enum cell_state state;
	int64_t begin, end; /* nanoseconds from the program's start; 0 if the state has no times */
};

struct progress {
	VECTOR(struct progress_cell) cells; /* by number */
	bool shows;                         /* on a status line */
	struct launch_watch watch;
	struct sampler *sampler; /* which gets each mark, or NULL */
	int reads;               /* the FIFO, which the caller closes; -1: not open */
	int64_t start, end;      /* nanoseconds, CLOCK_MONOTONIC */
	size_t current;          /* index of the cell that runs; the number of cells: none */
	char line[STATUS_LINE_MAX];
	size_t filled; /* bytes of a line that has not ended */
	struct status_line status;
};

/* Makes the FIFO PATH, opens it and fills in WATCH. The caller sets CELLS and SHOWS before, and must not
 * move PROGRESS. Returns 0, or -1 and sets errno. */
int progress_open(struct progress *progress, const char *path);

/* Sets the states and times of PROGRESS's cells from TEXT, the file of a rank. WELL is true if the rank
 * ended without an error. Times are from the clock of its node, whose start is not known. */
void progress_replay(struct progress *progress, struct slice text, bool well);

/* Call it when the program starts. */
void progress_begin(struct progress *progress);

/* Call it when the program has ended. WELL is true if it ended without an error. Every cell gets its
 * final state, and the status line is removed. */
void progress_end(struct progress *progress, bool well);

/* "done", "not reached". */
extern const char *const cell_state_names[];

/* True if a cell in this state has times. */
bool cell_state_is_timed(enum cell_state state);
