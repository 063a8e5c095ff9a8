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

/* Reads "process,user" into bits 1u << LEVEL_...; the program's own level is always one of them. False with the
 * WRONG word. */
bool monitor_read_levels(const char *text, unsigned *out, struct slice *wrong);

/* Opens a file of samples, anew. Returns the descriptor, or -1 after a message, with the exit status in
 * STATUS. FORCE: also in place of a file that holds no samples. */
int monitor_open_output(struct arena *arena, const char *path, bool force, int *status);

#endif
