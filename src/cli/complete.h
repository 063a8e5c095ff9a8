/* `nbscorep __complete WORD...`, which the completion scripts of the shells call (templates/completion.*). */
#ifndef NBSCOREP_CLI_COMPLETE_H
#define NBSCOREP_CLI_COMPLETE_H

#include "base/strbuf.h"

/* Appends the words that the last of COUNT words after "nbscorep" may become, a line each, with a tab and a
 * description; or the line ":folders" or ":files SUFFIX". As in bash, "=" may be a word. */
void complete(struct strbuf *out, size_t count, char *const *words);

#endif
