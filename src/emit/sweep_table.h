/* What a run script does for a sweep (templates/sweep.sh). */
#ifndef NBSCOREP_EMIT_SWEEP_TABLE_H
#define NBSCOREP_EMIT_SWEEP_TABLE_H

#include "base/slice.h"
#include "emit/emit.h"

struct arena;
struct run_script_parts;

/* The text that takes one of PARTS->sets sets of parameters for this run; empty where there is no
 * sweep. */
struct slice sweep_part(struct arena *arena, const struct run_script_parts *parts);

/* And the text that places the experiment directory of the set. */
struct slice sweep_directory_part(const struct run_script_parts *parts);

/* The table of a sweep: a line for each of its sets, "N<tab>{...}", behind comments with the build
 * id. */
void emit_sweep_table(struct strbuf *out, const struct sweep *sweep, const struct emit_names *names,
                      struct slice build);

#endif
