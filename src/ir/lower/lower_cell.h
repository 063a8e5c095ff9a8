/* Lowers cell magics. */
#ifndef NBSCOREP_IR_LOWER_LOWER_CELL_H
#define NBSCOREP_IR_LOWER_LOWER_CELL_H

#include "ir/lower/lower.h"

/* Does the cell magic leave its cell to Python, or to the magics below it? */
bool lower_runs_around(const struct magic *magic);

/* The cell magics of a block. */
void lower_cell_magics(struct pass_context *context, struct program *program, struct block *block);

#endif
