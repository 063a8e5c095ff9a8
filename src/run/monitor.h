/* Samples a program: a command, a process that runs, or that of a notebook. */
#pragma once

#include "run/progress.h"
#include "sample/sampler.h"
#include "settings/settings.h"

#define MONITOR_INTERVAL "1"

/* Reads the interval TEXT of OPTION: seconds, or with the unit ms or s, or NULL: MONITOR_INTERVAL; in nanoseconds. Returns
 * EXIT_DONE, or EXIT_USAGE with a message where it is none, or less than a millisecond. */
int monitor_read_interval(struct arena *arena, const char *option, const char *text, int64_t *out);

/* One sampler and its file, for each way to sample. */
struct monitor {
	struct arena *arena;
	struct sampler_order order;
	const char *path; /* of the file of samples; independent of the current folder */
	const struct progress *progress; /* with the cells of a notebook's program, or NULL */
	struct sampler *sampler;         /* NULL: it did not begin, or has ended */
	struct launch_watch watch;       /* for launch() */
};

/* Initialises MONITOR for a program that PARENT has started, perhaps with other ranks: the levels are those that are
 * sampled by default, the Slurm job's only in a job. Returns false for a rank that the first one of its node samples. */
bool monitor_init(struct monitor *monitor, struct arena *arena, pid_t parent);

/* The file of samples for the user's OUTPUT: with several nodes, the node is before the ending. If that is NULL, for
 * NAME: NAME.samples, or in a Slurm job NAME.JOB.samples; for a rank, NAME.JOB.STEP.NODE.samples, with those of these
 * that are known. */
const char *monitor_path(struct arena *arena, struct slice name, const char *output);

/* Opens PATH for this program alone, and renames the samples of an earlier run to PATH.1 or the like. With FORCE
 * the file is emptied instead, also one that holds something else than samples. Returns EXIT_DONE, or EXIT_SYSTEM
 * after a message. */
int monitor_open(struct monitor *monitor, bool force);

/* Before the program starts: makes all ready, and fills in WATCH. Returns 0, or -1 with errno. */
int monitor_begin(struct monitor *monitor);

/* The program has ended with STATUS of waitpid(). If it was this process's child, and all is well with it, samples
 * the other ranks of the node until they end, or a signal, under a guard, asks this one to. Returns EXIT_DONE, or
 * EXIT_SYSTEM after a message. */
int monitor_end(struct monitor *monitor, int status);

/* Prints what `report` does, unless QUIET. NOTEBOOK: an executed notebook that gets the figures of its cells, or
 * NULL. */
void monitor_report(const struct monitor *monitor, const char *notebook, bool quiet);

/* Closes what is open, and removes the file if it is empty. A guard's function: DATA is the struct monitor. */
void monitor_close(void *data);
