/* Recognises a cell that is one line magic without its %. */
#ifndef NBSCOREP_IR_BUILD_BARE_MAGIC_H
#define NBSCOREP_IR_BUILD_BARE_MAGIC_H

#include "ir/build/builder.h"

/* Returns CELL, or a copy that runs the magic if CELL is only its name and no earlier cell of
 * NOTEBOOK assigns that name. The copy checks the name at run time if an earlier cell may define
 * it. KNOWN belongs to NOTEBOOK; the earlier cells are added to it. */
const struct cell *build_bare_magic(struct arena *arena, const struct notebook *notebook,
                                    const struct cell *cell, struct bare_magics *known);

#endif
