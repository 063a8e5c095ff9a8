/* Finds what modules need from the script that imports them. */
#ifndef NBSCOREP_IR_ANALYSIS_MODULE_NEEDS_H
#define NBSCOREP_IR_ANALYSIS_MODULE_NEEDS_H

#include "ir/pass.h"

/* Adds to PROGRAM the properties that the modules imported by CELL require. */
void need_for_modules(struct arena *arena, struct program *program, const struct lexed_cell *cell);

#endif
