/* The first half of `nbscorep run`: builds the program that is to run. */
#ifndef NBSCOREP_RUN_RUN_BUILD_H
#define NBSCOREP_RUN_RUN_BUILD_H

#include "run/run.h"

/* Builds the notebook's program that is to run; DATA is the struct run. A session_action: problems
 * become diagnostics. Afterwards RUN is built, or its choice unclear, or neither where that
 * failed. */
void run_build(struct compilation *c, const struct build_settings *settings, void *data);

#endif
