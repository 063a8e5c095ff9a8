/* What the ways to sample have in common: a command, a process that runs, a notebook. */
#ifndef NBSCOREP_CLI_MONITOR_H
#define NBSCOREP_CLI_MONITOR_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/slice.h"

struct options;

/* Reads an interval: seconds, or with the unit ms or s; in nanoseconds. False where it is none, or
 * less than a millisecond. */
bool monitor_read_interval(const char *text, int64_t *out);

/* Reads "process,user" into bits 1u << LEVEL_...; the program's own level is always one of them.
 * False with the WRONG word. */
bool monitor_read_levels(const char *text, unsigned *out, struct slice *wrong);

/* The levels that are sampled unless the user says which: the Slurm job's in a job only. */
unsigned monitor_standard_levels(void);

/* The rank of this process among those of its node, as a launcher says it, or -1: there is none. */
int monitor_local_rank(void);

/* The file of samples of what is called NAME: NAME.samples, or in a Slurm job NAME.JOB.samples;
 * where a launcher may have started it on several nodes the number of the node, or its name,
 * stands in front of the ending. */
const char *monitor_path(struct arena *arena, struct slice name);

/* Opens a file of samples for this program alone; what it holds stays in it for now. Returns the
 * descriptor, or -1 after a message, with the exit status in STATUS. FORCE: also one that holds
 * something else than samples. */
int monitor_open_output(struct arena *arena, const char *path, bool force, int *status);

/* The program has been started: FD gets its samples, and loses those of an earlier one. */
void monitor_empty_output(int fd);

/* Closes FD, the file PATH; it goes where nothing came into it, as the program did not start. */
void monitor_close_output(int fd, const char *path);

/* Prints the report of the file of samples PATH on standard error: what `report` prints. */
void monitor_print_report(struct arena *arena, const char *path);

#endif
