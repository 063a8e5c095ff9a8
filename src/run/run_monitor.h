/* `run --monitor`: what the program uses, sampled while it runs, with the cells that used it. */
#ifndef NBSCOREP_RUN_RUN_MONITOR_H
#define NBSCOREP_RUN_RUN_MONITOR_H

#include "run/progress.h"
#include "run/run_settings.h"
#include "sample/sampler.h"
#include "settings/build_settings.h"

struct run_monitor {
	struct arena *arena;
	bool wanted;
	struct sampler_order order;
	struct slice folder;       /* of the file of samples; empty: that of the run script */
	const char *path;          /* of the file of samples; independent of the current folder */
	struct sampler *sampler;   /* NULL: it could not begin */
	struct progress *progress; /* which has the cells */
	struct launch_watch watch; /* the progress's, and the sampler's beside it */
	int poll;                  /* readable when one of them is */
	bool force;
};

/* Takes over what the settings ask for. Returns EXIT_DONE, or EXIT_USAGE with a message. */
int run_monitor_init(struct run_monitor *monitor, struct arena *arena,
                     const struct build_settings *build, const struct run_settings *settings);

/* Before the program of RUN_SCRIPT starts, beside which the file of samples is written, or with
 * --temporary in the folder that was the current one at run_monitor_init(); PROGRESS is open, or
 * not used. Afterwards WATCH looks on for both. Returns EXIT_DONE, or the status to
 * exit with after a message. */
int run_monitor_begin(struct run_monitor *monitor, struct slice run_script,
                      struct progress *progress);

/* The program has ended with STATUS of waitpid(), under GUARD. Prints the report, unless QUIET. NOTEBOOK: an
 * executed notebook that gets the figures of its cells, or NULL. */
void run_monitor_finish(struct run_monitor *monitor, int status, const struct launch_guard *guard,
                        const char *notebook, bool quiet);

/* Closes what is open, also where the program did not start. */
void run_monitor_close(struct run_monitor *monitor);

#endif
