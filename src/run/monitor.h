/* What the ways to sample have in common: a command, a process that runs, a notebook. */
#ifndef NBSCOREP_RUN_MONITOR_H
#define NBSCOREP_RUN_MONITOR_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/slice.h"
#include "run/progress.h"
#include "sample/sampler.h"
#include "settings/settings.h"

/* Reads the interval TEXT of OPTION: seconds, or with the unit ms or s; in nanoseconds. Returns
 * EXIT_DONE, or EXIT_USAGE with a message where it is none, or less than a millisecond. */
int monitor_read_interval(struct arena *arena, const char *option, const char *text, int64_t *out);

/* The levels that are sampled by default: the Slurm job's only in a job. */
unsigned monitor_standard_levels(void);

/* What a launcher's environment variables give about this process. */
struct monitor_rank {
	int local;              /* the number among the ranks of its node; -1: it is none */
	const char *variable;   /* that gives it, or NULL */
	bool has_several_nodes; /* known from the launcher; false: it may have */
	int64_t node;           /* the number of the node in Slurm's job or step; -1: not known */
};

struct monitor_rank monitor_rank(void);

/* The file of samples for the name NAME: NAME.samples, or in a Slurm job NAME.JOB.samples. For a rank,
 * NAME.JOB.STEP.NODE.samples, with those of these that are known. */
const char *monitor_path(struct arena *arena, struct slice name);

/* The file of samples for the user's PATH. With several nodes, the node is before the ending. */
const char *monitor_node_path(struct arena *arena, const char *path);

/* The program has ended with STATUS (of waitpid()). Where all is well with it, samples the other
 * ranks of the node until they end, or a signal asks this one to. */
void monitor_await_ranks(struct sampler *sampler, int status);

/* Opens a file of samples for this program alone, and renames the samples of an earlier run to PATH.1 or the like.
 * Returns the descriptor, or -1 after a message. FORCE: the file is emptied instead, also one that holds something
 * else than samples. */
int monitor_open_output(struct arena *arena, const char *path, bool force);

/* Closes *FD, the file PATH, and sets it to -1, which is ignored. Removes the file if it is
 * empty. Returns 0, or -1 with errno: some file systems report only now that they could not store
 * data. */
int monitor_close_output(int *fd, const char *path);

/* ---- a run ---- */

/* `run --monitor`: what the program uses, sampled while it runs, with the cells that used it. */

struct run_monitor {
	struct arena *arena;
	bool wanted;
	struct sampler_order order;
	struct slice folder;       /* of the file of samples; empty: that of the run script */
	const char *path;          /* of the file of samples; independent of the current folder */
	struct sampler *sampler;   /* NULL: it could not begin */
	struct progress *progress; /* which has the cells */
	struct launch_watch watch;
	bool force;
};

/* Takes over what the settings ask for. Returns EXIT_DONE, or EXIT_USAGE with a message. */
int run_monitor_init(struct run_monitor *monitor, struct arena *arena,
                     const struct build_settings *build, const struct run_settings *settings);

/* Before the program starts. The file of samples is written beside PROGRAM, a path without an ending, or with
 * --temporary in the folder that was the current one at run_monitor_init(); PROGRESS is open, and its marks go to
 * the samples. Returns EXIT_DONE, or the status to exit with after a message. */
int run_monitor_begin(struct run_monitor *monitor, struct slice program, struct progress *progress);

/* The program has ended with STATUS of waitpid(), under a guard. Prints the report, unless QUIET. NOTEBOOK: an
 * executed notebook that gets the figures of its cells, or NULL. */
void run_monitor_finish(struct run_monitor *monitor, int status, const char *notebook, bool quiet);

/* Closes what is open, also where the program did not start. */
void run_monitor_close(struct run_monitor *monitor);

#endif
