/* What `run` reports about a run: which cell runs, a table at the end, a file of times. */
#pragma once

#include "run/experiment.h"
#include "run/progress.h"
#include "settings/settings.h"

struct compilation;

struct rank_times {
	struct slice name; /* "12"; with host and PID if the launcher numbers no processes */
	const struct progress_cell *cells; /* those of the program, in its order */
};
typedef VECTOR(struct rank_times) rank_list;

struct run_report {
	struct arena *arena;
	bool lines;             /* the program prints a line for each cell */
	bool table;             /* the table is printed */
	bool tells;             /* the program reports its cells */
	const char *cell_times; /* a path that does not depend on the current folder, or NULL */
	bool force;             /* that file may be anybody's */
	bool quiet;
	struct slice notebook;
	struct progress progress;
	const char *folder; /* where the program reports to this one; NULL: not made */
	/* known after the end: */
	bool measured;
	struct experiment experiment; /* without a path: none was found */
	rank_list ranks;              /* by rank; empty: PROGRESS has the times of cells */
};

/* Takes over what the settings ask for. Returns EXIT_DONE, or EXIT_USAGE with a message. */
int run_report_init(struct run_report *report, struct arena *arena,
                    const struct build_settings *build, const struct run_settings *settings);

/* Keeps what is to be known of C's first program. */
void run_report_take(struct run_report *report, const struct compilation *c);

/* Before the program starts: makes the folder. Returns EXIT_DONE, or EXIT_SYSTEM with a message. */
int run_report_begin(struct run_report *report);

/* It has ended with STATUS, and progress_end() was called. Returns STATUS, or EXIT_SYSTEM instead of 0. */
int run_report_finish(struct run_report *report, int status);

/* Closes what is open, and removes the folder. */
void run_report_close(const struct run_report *report);
