/* Which cell runs. The program tells it through a pipe (templates/runtime/progress.py), a line for each
 * begin and end; it is shown while it runs, and known afterwards. */
#ifndef NBSCOREP_RUN_PROGRESS_H
#define NBSCOREP_RUN_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/cell_mark.h"
#include "base/vector.h"
#include "process/launch.h"
#include "run/status_line.h"

/* The pipe's number in the program; not one that people use. */
#define PROGRESS_DESCRIPTOR 18

enum cell_state {
#define CELL_STATE(id, name) CELL_##id,
#include "run/cell_state.def"
#undef CELL_STATE
	CELL_STATES /* their number */
};

struct progress_cell {
	unsigned number;
	bool instrumented;
	struct slice title;  /* fit for a terminal */
	struct slice source; /* as it stands in the notebook */
	enum cell_state state;
	int64_t begin, end; /* nanoseconds from the program's start; 0 where the state has none */
};

struct progress {
	VECTOR(struct progress_cell) cells; /* by number */
	bool shows;                         /* on a status line */
	struct launch_watch watch;
	void (*heard)(void *data, const struct cell_mark *mark); /* for each mark; NULL: nothing */
	void *hearer;                                            /* its DATA */
	int reads, writes;                                       /* -1: not open */
	int64_t start, end;                                      /* nanoseconds, CLOCK_MONOTONIC */
	size_t current; /* index of the cell that runs; the number of cells: none */
	char line[STATUS_LINE_MAX];
	size_t filled; /* bytes of a line that has not ended */
	struct status_line status;
};

/* Opens the pipe and fills in WATCH. CELLS and SHOWS are set; PROGRESS stays where it is. Returns 0, or -1
 * with errno. */
int progress_open(struct progress *progress);

/* Opens the FIFO PATH, which is made, in place of a pipe: for ranks that a launcher starts. */
int progress_open_fifo(struct progress *progress, const char *path);

/* PROGRESS gets the states and times of its CELLS from TEXT, the file of a rank that ended well or not.
 * Moments are those of its node, from no known start. */
void progress_replay(struct progress *progress, struct slice text, bool well);

/* TEXT, the runtime of a program that tells, with the argument that says whom; arena memory. */
struct slice progress_runtime(struct arena *arena, const struct progress *progress,
                              struct slice text);

/* The program starts now. */
void progress_begin(struct progress *progress);

/* It has ended, well or not: every cell gets its last state, and nothing is shown any more. */
void progress_end(struct progress *progress, bool well);

/* Closes the pipe, if it is open. */
void progress_close(const struct progress *progress);

/* "done", "not reached". */
const char *cell_state_name(enum cell_state state);

/* Does a cell of this state have times? */
bool cell_state_is_timed(enum cell_state state);

#endif
