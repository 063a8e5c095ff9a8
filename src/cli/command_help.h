/* The text of --help. */
#ifndef NBSCOREP_CLI_COMMAND_HELP_H
#define NBSCOREP_CLI_COMMAND_HELP_H

#include "settings/settings.h"

/* Appends the help of COMMAND to OUT (COMMAND_COUNT: of nbscorep itself). */
void help_text(struct strbuf *out, enum command_id command);

#endif
