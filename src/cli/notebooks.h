/* From options to a session over the operands, which are notebooks. */
#ifndef NBSCOREP_CLI_NOTEBOOKS_H
#define NBSCOREP_CLI_NOTEBOOKS_H

#include "cli/cli.h"
#include "driver/session.h"

/* Refuses options that do not go together. Returns EXIT_DONE, or EXIT_USAGE with a message. */
int build_check_options(struct invocation *invocation);

/* Checks the options that `run` and `submit` have in common; COMMAND is one of these. Likewise. */
int build_check_run(struct arena *arena, const struct options *options, const char *command);

/* Makes OUT from the options of INVOCATION. JSON and SARIF of `check` go to standard output, all other diagnostics to
 * standard error. Returns EXIT_DONE, or EXIT_USAGE with a message. */
int notebooks_order(struct invocation *invocation, struct session_order *out);

/* Runs the session. Returns the exit status. */
int notebooks_run(struct invocation *invocation, session_action *action, void *data);

/* The list of diagnostics for -Whelp. */
struct slice notebooks_switches(struct arena *arena);

#endif
