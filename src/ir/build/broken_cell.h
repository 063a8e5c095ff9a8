/* Replaces a cell with a syntax error by code that raises the error. */
#ifndef NBSCOREP_IR_BUILD_BROKEN_CELL_H
#define NBSCOREP_IR_BUILD_BROKEN_CELL_H

#include "ir/build/builder.h"

/* Returns a copy of CELL that only raises BROKEN. Its lines are comments; the statement is in the
 * first one. Lines above its code are kept. */
const struct cell *build_broken_cell(struct arena *arena, const struct cell *cell,
                                     const struct broken_cell *broken, struct slice notebook_name);

#endif
