/* The sets of a sweep: which ones --only chooses, and how `nbscorep run --sweep` runs them, several at a time. */
#pragma once

#include "base/base.h"

struct run;
struct sweep;

typedef VECTOR(size_t) set_numbers;
typedef VECTOR(struct slice) set_texts; /* of each set its parameters, in JSON */

/* Adds those of the first COUNT sets of SWEEP to OUT. */
void sweep_write_sets(struct arena *arena, const struct sweep *sweep, size_t count, set_texts *out);

/* The folder with the folders of the sets that RUN_SCRIPT, a path, runs. */
struct slice sweep_results(struct arena *arena, struct slice run_script);

/* Numbers of those of SETS, each once and in order, that WANTED names: "2,4-6", and the words failed
 * (has ended, but not well, or was killed) and missing (has not run with these parameters); one that
 * runs now is neither. NULL: all. RESULTS is the folder in which the run script has noted what came
 * of each. Returns EXIT_DONE, after a message if no set is named, or EXIT_USAGE with a message. */
int sweep_choose_sets(struct arena *arena, const char *wanted, const set_texts *sets,
                      struct slice results, set_numbers *out);

/* Runs the sets of RUN's sweep that --only chooses. Returns the status to exit with: 0 when all went well,
 * 1 when one did not, 128 + a signal that asked for the end. */
int run_sweep(struct run *run);
