/* Replaces a cell with a syntax error by code that raises the error. */
#ifndef NBSCOREP_IR_BUILD_BROKEN_CELL_H
#define NBSCOREP_IR_BUILD_BROKEN_CELL_H

#include "ir/build/builder.h"

/* CELL as one that only raises BROKEN: its lines are comments, the statement stands in the first one.
 * What stands above its code stays. */
const struct cell *build_broken_cell(struct arena *arena, const struct cell *cell,
                                     const struct broken_cell *broken, struct slice notebook_name);

#endif
