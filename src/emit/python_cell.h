/* The text of one code cell in the script: indented, edited, otherwise untouched. */
#ifndef NBSCOREP_EMIT_PYTHON_CELL_H
#define NBSCOREP_EMIT_PYTHON_CELL_H

#include "base/strbuf.h"

struct block;

/* The number of blanks that the cell's code gets when its frame asks for AT_LEAST. Python moves tabs
 * to multiples of 8, so a cell that is indented with tabs gets a multiple of 8: then all its columns
 * grow by the same amount, with tabs counted as 8 and as 1, and Python sees the same blocks. */
unsigned python_cell_indent(const struct block *block, unsigned at_least);

/* Adds the lines of the cell: those above its code (magics) as comments, then each source line as
 * one line, INDENT blanks before it where a line begins. Lines that begin inside a string and blank
 * lines are copied as they are. Ends with a line end unless the cell is empty. */
void python_cell_emit(struct strbuf *out, const struct block *block, unsigned indent);

#endif
