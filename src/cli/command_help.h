/* The text of --help. */
#ifndef NBSCOREP_CLI_COMMAND_HELP_H
#define NBSCOREP_CLI_COMMAND_HELP_H

#include "base/strbuf.h"
#include "cli/options.h"

/* The help text of a command (COMMAND_COUNT: of nbscorep itself). */
void help_text(struct strbuf *out, enum command_id command);

#endif
