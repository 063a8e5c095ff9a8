/* The text of one code cell in the script: indented, edited, otherwise untouched. */
#ifndef NBSCOREP_EMIT_SCRIPT_CELL_H
#define NBSCOREP_EMIT_SCRIPT_CELL_H

#include <stdint.h>

#include "base/strbuf.h"

struct block;

/* The lines of a cell, being written. */
struct cell_writer {
	struct strbuf *out;
	const struct block *block;
	unsigned indent;
	size_t line; /* the next one */
	size_t edit; /* the next edit */
	uint32_t at; /* everything of the text before it is written */
};

/* The number of blanks that the cell's code gets when its frame asks for AT_LEAST. Python moves tabs
 * to multiples of 8, so a cell that is indented with tabs gets a multiple of 8: then all its columns
 * grow by the same amount, with tabs counted as 8 and as 1, and Python sees the same blocks. */
unsigned python_cell_indent(const struct block *block, unsigned at_least);

/* Adds the source lines above the cell's code, its magics, as comments. */
void python_cell_heads(struct strbuf *out, const struct block *block, unsigned indent);

/* Begins to add the cell's code to OUT: each source line as one line, INDENT blanks before it where a
 * line begins. Lines that begin inside a string and blank lines are copied as they are. */
void python_cell_begin(struct cell_writer *writer, struct strbuf *out, const struct block *block,
                       unsigned indent);

/* Adds the lines up to END, which does not count. Ends with a line end unless nothing is added. */
void python_cell_lines(struct cell_writer *writer, size_t end);

/* Adds the cell's code, or other text, as Python strings: one for each line, on a line of its own. */
void python_cell_strings(struct strbuf *out, const struct block *block, unsigned indent);

#endif
