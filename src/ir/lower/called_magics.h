/* Finds calls of magics in Python code, such as get_ipython().run_line_magic(). */
#ifndef NBSCOREP_IR_LOWER_CALLED_MAGICS_H
#define NBSCOREP_IR_LOWER_CALLED_MAGICS_H

#include "ir/pass.h"

/* Adds to PROGRAM the helpers of magics that strings of CELL name, as in
 * get_ipython().run_line_magic("cd", ".."), and the names of those without effect in batch. */
void need_called_magics(struct arena *arena, struct program *program,
                        const struct lexed_cell *cell);

#endif
