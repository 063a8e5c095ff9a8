/* `nbscorep __complete WORD...`, which the completion scripts of the shells call (templates/completion.*). */
#pragma once

#include "base/base.h"

/* Prints the words that the last of COUNT words after "nbscorep" may become, a line each, with a tab and a
 * description; or the line ":folders" or ":files SUFFIX". As in bash, "=" may be a word. Returns the exit status. */
int completion_print(struct arena *arena, size_t count, char *const *words);
