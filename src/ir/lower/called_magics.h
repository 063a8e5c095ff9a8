/* Finds calls of magics in Python code, such as get_ipython().run_line_magic(). */
#ifndef NBSCOREP_IR_LOWER_CALLED_MAGICS_H
#define NBSCOREP_IR_LOWER_CALLED_MAGICS_H

#include "ir/pass.h"

/* Adds to PROGRAM the effects of magics that strings of CELL name, as in
 * get_ipython().run_line_magic("matplotlib", "inline"). */
void need_called_magics(struct program *program, const struct lexed_cell *cell);

#endif
