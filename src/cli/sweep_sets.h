/* Which sets of a sweep are meant: --only. */
#ifndef NBSCOREP_CLI_SWEEP_SETS_H
#define NBSCOREP_CLI_SWEEP_SETS_H

#include "base/strbuf.h"
#include "base/vector.h"

typedef VECTOR(size_t) set_numbers;

/* The folder with the folders of the sets that RUN_SCRIPT, a path, runs. */
struct slice sweep_results(struct arena *arena, struct slice run_script);

/* Numbers of sets, each once and in order, of those from 1 to COUNT that WANTED names: "2,4-6", and
 * the words failed (has ended, but not well, or was killed) and missing (has not run). NULL: all.
 * RESULTS is the folder in which the run script has noted what came of each. Returns 0, or -1 with
 * a message in ERROR. */
int sweep_choose_sets(struct arena *arena, const char *wanted, size_t count, struct slice results,
                      set_numbers *out, struct strbuf *error);

#endif
