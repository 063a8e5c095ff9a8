/* What `run` reports about a run: which cell runs, a table at the end, a file of times. */
#ifndef NBSCOREP_RUN_RUN_REPORT_H
#define NBSCOREP_RUN_RUN_REPORT_H

#include "run/experiment.h"
#include "run/progress.h"
#include "run/run_settings.h"
#include "settings/build_settings.h"

struct compilation;

/* How a program reports which cell runs. */
enum run_channel {
	RUN_CHANNEL_NONE,
	RUN_CHANNEL_PIPE,
	RUN_CHANNEL_FOLDER, /* with a file of each rank, and a FIFO that the first one writes */
};

struct run_report {
	struct arena *arena;
	bool wanted;
	unsigned told;          /* what the program reports, enum runtime_progress */
	bool table;             /* the table is printed */
	const char *cell_times; /* a path that does not depend on the current folder, or NULL */
	bool force;             /* that file may be anybody's */
	bool measured;
	struct slice notebook;
	struct progress progress;
	const char *folder; /* of files of ranks, temporary; or NULL */
	struct experiment_search search;
};

/* Takes over what the settings ask for. Returns EXIT_DONE, or EXIT_USAGE with a message. */
int run_report_init(struct run_report *report, struct arena *arena,
                    const struct build_settings *build, const struct run_settings *settings);

/* Makes the program report its cells, also without a table: the monitor uses the reports. */
void run_report_tells(struct run_report *report);

/* Keeps what is to be known of C's first program. */
void run_report_take(struct run_report *report, const struct compilation *c);

/* Before the program starts in ENVIRONMENT and the current folder. Opens CHANNEL, if anything is to be
 * reported. Returns EXIT_DONE, or EXIT_SYSTEM with a message. */
int run_report_begin(struct run_report *report, const struct environment *environment,
                     bool measured, enum run_channel channel);

/* It has ended with STATUS, and progress_end() was called. Returns STATUS, or EXIT_SYSTEM instead of 0. */
int run_report_finish(struct run_report *report, int status);

/* Closes what is open, and removes the folder. */
void run_report_close(const struct run_report *report);

#endif
