/* What the code of a cell needs of the prelude, beside its own magics. */
#ifndef NBSCOREP_IR_NEEDS_H
#define NBSCOREP_IR_NEEDS_H

#include "ir/pass.h"

/* Where strings of CELL name magics, as in get_ipython().run_line_magic("cd", ".."): the helpers of
 * these magics; PROGRAM also learns of those that do nothing in batch. */
void need_called_magics(struct arena *arena, struct program *program,
                        const struct lexed_cell *cell);

/* What the modules that CELL imports expect of the script. */
void need_for_modules(struct arena *arena, struct program *program, const struct lexed_cell *cell);

#endif
