/* Lists the cells of a program for its progress and its summary. */
#ifndef NBSCOREP_EMIT_TOLD_CELLS_H
#define NBSCOREP_EMIT_TOLD_CELLS_H

#include "emit/emit.h"

/* Appends the cells of PROGRAM that run to OUT, in their order. Their memory belongs to ARENA. */
void emit_list_cells(struct arena *arena, const struct program *program, cell_list *out);

#endif
