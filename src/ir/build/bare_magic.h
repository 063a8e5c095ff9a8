/* Recognises a cell that is one line magic without its %. */
#ifndef NBSCOREP_IR_BUILD_BARE_MAGIC_H
#define NBSCOREP_IR_BUILD_BARE_MAGIC_H

#include "ir/build/builder.h"

/* CELL, or a copy that runs the magic where it is nothing but the name of one, and no cell of NOTEBOOK
 * before it gives that name to something else; the copy asks for that where it cannot be told. KNOWN is of
 * that notebook, and learns of these cells. */
const struct cell *build_bare_magic(struct arena *arena, const struct notebook *notebook,
                                    const struct cell *cell, struct bare_magics *known);

#endif
