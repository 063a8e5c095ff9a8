/* Removes what IPython removes from a cell before it looks for magics. */
#ifndef NBSCOREP_LEX_CLEANUP_H
#define NBSCOREP_LEX_CLEANUP_H

#include "lex/lexer.h"

/* Applies IPython's clean-up to LINES of SOURCE from line FIRST on, whose fronts are cut already by
 * CUT bytes each: adds to CUT. Returns the first line that is not blank, or LINES->count. */
size_t cleanup_lines(struct slice source, const physical_lines *lines, uint32_t *cut, size_t first);

#endif
