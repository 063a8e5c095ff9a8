/* Converts the cells of a notebook. */
#ifndef NBSCOREP_NOTEBOOK_CELLS_H
#define NBSCOREP_NOTEBOOK_CELLS_H

#include "notebook/convert.h"

/* Reads all cells of ROOT. Returns 0, or -1 after adding an error. */
int convert_cells(struct conversion *c, const json_t *root);

#endif
