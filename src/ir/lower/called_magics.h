/* Finds calls of magics in Python code, such as get_ipython().run_line_magic(). */
#ifndef NBSCOREP_IR_LOWER_CALLED_MAGICS_H
#define NBSCOREP_IR_LOWER_CALLED_MAGICS_H

#include "ir/pass.h"

/* Where strings of CELL name magics, as in get_ipython().run_line_magic("cd", ".."): the helpers of
 * these magics; PROGRAM also learns of those that do nothing in batch. */
void need_called_magics(struct arena *arena, struct program *program,
                        const struct lexed_cell *cell);

#endif
