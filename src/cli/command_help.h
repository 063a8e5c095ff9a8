/* The text of --help, and how texts are filled. */
#ifndef NBSCOREP_CLI_COMMAND_HELP_H
#define NBSCOREP_CLI_COMMAND_HELP_H

#include "settings/settings.h"

/* The help of COMMAND (COMMAND_COUNT: of nbscorep itself). */
struct slice help_text(struct arena *arena, enum command_id command);

/* Appends the words of TEXT in lines of at most 80 characters, and a line end. Each line but the first begins with
 * INDENT; the caller has written it, or as many characters, before. */
void help_fill(struct strbuf *out, const char *indent, const char *text);

#endif
