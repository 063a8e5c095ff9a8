/* The list of commands that a run starts, for `build -v` and --dry-run. */
#ifndef NBSCOREP_DRIVER_STARTED_COMMANDS_H
#define NBSCOREP_DRIVER_STARTED_COMMANDS_H

#include "driver/outputs.h"

/* Adds a line for each command that a run of C's programs starts, with the place that it comes from:
 * modules, setup, launcher, Python, the commands of cells, teardown. The text is safe for a terminal. What
 * Python code or a template of the user starts is not known. */
void started_commands_list(struct strbuf *out, struct compilation *c,
                           const struct build_settings *settings, const text_list *arguments,
                           const struct outputs *outputs);

#endif
