/* What modules beside the notebook need from the script that imports them. */
#ifndef NBSCOREP_IR_ANALYSIS_MODULE_NEEDS_H
#define NBSCOREP_IR_ANALYSIS_MODULE_NEEDS_H

#include "ir/pass.h"

/* What the modules that CELL imports expect of the script. */
void need_for_modules(struct arena *arena, struct program *program, const struct lexed_cell *cell);

#endif
