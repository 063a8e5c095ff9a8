/* The text of --help, and how options and texts are shown. */
#pragma once

#include "settings/settings.h"

/* The help of COMMAND (COMMAND_COUNT: of nbscorep itself). */
struct slice help_text(struct arena *arena, enum command_id command);

/* An option as help and manual show it: "-o, --output=FILE", "--dry-run", "-MD". In ARENA. */
struct slice help_option(struct arena *arena, const struct option_row *row);

/* Appends the words of TEXT in lines of at most 80 characters, and a line end. Each line but the first begins with
 * INDENT; the caller has written it, or as many characters, before. */
void help_fill(struct strbuf *out, const char *indent, const char *text);
