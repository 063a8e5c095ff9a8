/* Lowers cell magics. */
#ifndef NBSCOREP_IR_LOWER_LOWER_CELL_H
#define NBSCOREP_IR_LOWER_LOWER_CELL_H

#include "ir/lower/lower.h"

/* True if the cell magic leaves its cell to Python, or to the magics below it. */
bool lower_runs_around(const struct magic *magic);

/* Lowers the cell magics of BLOCK. */
void lower_cell_magics(struct pass_context *context, struct program *program, struct block *block);

#endif
