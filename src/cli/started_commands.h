/* The list of commands that a run starts, for `build -v` and --dry-run. */
#ifndef NBSCOREP_CLI_STARTED_COMMANDS_H
#define NBSCOREP_CLI_STARTED_COMMANDS_H

#include "cli/outputs.h"

/* Adds a line for each command that a run of C's programs starts, with the place that it comes from:
 * modules, setup, launcher, Python, the commands of cells, teardown. The text is safe for a terminal. What
 * Python code or a template of the user starts is not known. */
void started_commands_list(struct strbuf *out, struct compilation *c, const struct options *options,
                           const struct outputs *outputs);

#endif
