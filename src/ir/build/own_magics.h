/* Finds the magics that a notebook registers itself. */
#ifndef NBSCOREP_IR_BUILD_OWN_MAGICS_H
#define NBSCOREP_IR_BUILD_OWN_MAGICS_H

#include "ir/build/builder.h"

/* The names under which CELL registers magics of its own are added to NAMES, also some that are none.
 * ALIASES: %alias_magic is not left out. */
void own_magics_find(const struct lexed_cell *cell, bool aliases, struct name_set *names);

#endif
