/* What a run script does for a sweep (templates/sweep.sh). */
#ifndef NBSCOREP_EMIT_SWEEP_H
#define NBSCOREP_EMIT_SWEEP_H

#include "base/slice.h"

struct arena;
struct run_script_parts;

/* The text that takes one of PARTS->sets sets of parameters for this run; empty where there is no
 * sweep. */
struct slice sweep_part(struct arena *arena, const struct run_script_parts *parts);

/* And the text that places the experiment directory of the set. */
struct slice sweep_directory_part(const struct run_script_parts *parts);

#endif
