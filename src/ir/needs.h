/* What the code of a cell needs of the prelude, beside its own magics. */
#ifndef NBSCOREP_IR_NEEDS_H
#define NBSCOREP_IR_NEEDS_H

#include "ir/pass.h"

/* Where the string AT of CELL names a magic, as in get_ipython().run_line_magic("cd", ".."): the
 * helper of that magic; PROGRAM also learns of those that do nothing in batch. */
void need_called_magic(struct arena *arena, struct program *program, const struct lexed_cell *cell,
                       uint32_t at);

/* What the modules that CELL imports expect of the script. */
void need_for_modules(struct arena *arena, struct program *program, const struct lexed_cell *cell);

#endif
