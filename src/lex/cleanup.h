/* Removes the same parts from a cell that IPython removes before it looks for magics. */
#ifndef NBSCOREP_LEX_CLEANUP_H
#define NBSCOREP_LEX_CLEANUP_H

#include "lex/lexer.h"

/* Applies IPython's clean-up to LINES of SOURCE from line FIRST on. CUT has, per line, the bytes
 * already removed from its start; the function adds to it. Returns the first line that is not
 * blank, or LINES->count. */
size_t cleanup_lines(struct slice source, const physical_lines *lines, uint32_t *cut, size_t first);

#endif
