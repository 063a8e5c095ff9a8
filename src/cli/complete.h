/* `nbscorep __complete WORD...`, which the completion scripts of the shells call (templates/completion.*). */
#ifndef NBSCOREP_CLI_COMPLETE_H
#define NBSCOREP_CLI_COMPLETE_H

#include "base/strbuf.h"

/* Appends what may stand for the last of COUNT words after "nbscorep", of which it is the beginning: a line each, with
 * a tab and a description; or the line ":folders" or ":files SUFFIX". As in bash, "=" may be a word. */
void complete(struct strbuf *out, size_t count, char *const *words);

#endif
