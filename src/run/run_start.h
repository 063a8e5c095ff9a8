/* The second half of `nbscorep run`: starts the run script that was built and reports how it ended. */
#ifndef NBSCOREP_RUN_RUN_START_H
#define NBSCOREP_RUN_RUN_START_H

#include "run/run.h"

/* Starts what was built and waits for it. Returns the status to exit with: the program's, or 128 +
 * the signal that ended it, or one of nbscorep's own with a message. */
int run_start(struct run *run);

/* Sets the variables of the run script for options of `run` and `submit` that concern one run. */
void run_settings_environment(const struct run_settings *settings,
                              const struct build_settings *build, struct environment *out);

/* The words that start the run script with the user's arguments; NULL ends them. */
char **run_script_command(struct run *run);

/* The environment of the run script: the caller's, changed as the options of `run` require. */
void run_script_environment(struct run *run, struct environment *out);

#endif
