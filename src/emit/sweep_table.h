/* Emits the parts of a run script for a sweep (templates/sweep.sh), and the sweep's table. */
#ifndef NBSCOREP_EMIT_SWEEP_TABLE_H
#define NBSCOREP_EMIT_SWEEP_TABLE_H

#include "base/slice.h"
#include "emit/emit.h"

struct arena;
struct run_script_parts;

/* Returns the text that selects one of PARTS->sets sets of parameters for this run; empty without a
 * sweep. */
struct slice sweep_part(struct arena *arena, const struct run_script_parts *parts);

/* Returns the text that places the experiment directory of the set; empty without a sweep. */
struct slice sweep_directory_part(const struct run_script_parts *parts);

/* Appends the table of a sweep to OUT: comments with the build id, then a line for each set,
 * "N<tab>{...}". */
void emit_sweep_table(struct strbuf *out, const struct sweep *sweep, const struct emit_names *names,
                      struct slice build);

#endif
