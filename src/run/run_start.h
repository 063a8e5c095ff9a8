/* The second half of `nbscorep run`: starts what was built and reports how it ended. */
#ifndef NBSCOREP_RUN_RUN_START_H
#define NBSCOREP_RUN_RUN_START_H

#include "run/run.h"

/* Starts what was built and waits for it. Returns the status to exit with: the program's, or 128 +
 * the signal that ended it, or one of nbscorep's own with a message. */
int run_start(struct run *run);

/* The words that start the run script with the user's arguments; NULL ends them. */
char **run_script_command(struct run *run);

#endif
