/* The cells of a program as its progress and its summary list them. */
#ifndef NBSCOREP_EMIT_TOLD_CELLS_H
#define NBSCOREP_EMIT_TOLD_CELLS_H

#include "emit/emit.h"

/* The cells of PROGRAM that run, in their order; arena memory. */
void emit_list_cells(struct arena *arena, const struct program *program, cell_list *out);

#endif
