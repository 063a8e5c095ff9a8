/* Emits the table of a sweep. */
#ifndef NBSCOREP_EMIT_SWEEP_TABLE_H
#define NBSCOREP_EMIT_SWEEP_TABLE_H

#include "base/slice.h"
#include "emit/emit.h"

/* Appends the table of a sweep to OUT: comments with the build id, then a line for each set,
 * "N<tab>{...}". */
void emit_sweep_table(struct strbuf *out, const struct sweep *sweep, const struct emit_names *names,
                      struct slice build);

#endif
