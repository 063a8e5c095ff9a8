/* The options of `build`, which run and submit take as well. */
#ifndef NBSCOREP_CLI_COMMAND_BUILD_H
#define NBSCOREP_CLI_COMMAND_BUILD_H

#include "cli/cli.h"

/* Refuses options that do not go together. Returns EXIT_DONE, or EXIT_USAGE with a message. */
int build_check_options(struct invocation *invocation);

/* Checks the options that `run` and `submit` have in common; COMMAND is one of these. Likewise. */
int build_check_run(struct arena *arena, const struct options *options, const char *command);

#endif
