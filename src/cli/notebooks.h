/* From options to a session over the operands, which are notebooks. */
#pragma once

#include "cli/cli.h"
#include "driver/session.h"

/* Checks the options that `run` and `submit` have in common. Returns EXIT_DONE, or EXIT_USAGE with a message. */
int build_check_run(struct arena *arena, enum command_id command, const struct options *options);

/* Completes OPTIONS of COMMAND for session_run(): what the build is for, and whether diagnostics are coloured.
 * Refuses those that do not go together. Returns EXIT_DONE, or EXIT_USAGE with a message. */
int notebooks_check(struct arena *arena, enum command_id command, struct options *options);

/* The same, and runs the session. Returns the exit status. */
int notebooks_run(struct arena *arena, enum command_id command, struct options *options,
                  session_action *action, void *data);
