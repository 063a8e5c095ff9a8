/* Finds the magics that a notebook registers itself. */
#ifndef NBSCOREP_IR_BUILD_OWN_MAGICS_H
#define NBSCOREP_IR_BUILD_OWN_MAGICS_H

#include "ir/build/builder.h"

/* Adds the names under which CELL registers its own magics to NAMES. May add other names, too.
 * ALIASES: includes those of %alias_magic. */
void own_magics_find(const struct lexed_cell *cell, bool aliases, struct name_set *names);

#endif
