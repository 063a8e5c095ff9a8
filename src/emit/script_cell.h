/* Emits the text of one code cell: indented, edited, otherwise unchanged. */
#ifndef NBSCOREP_EMIT_SCRIPT_CELL_H
#define NBSCOREP_EMIT_SCRIPT_CELL_H

#include <stdbool.h>
#include <stdint.h>

#include "base/strbuf.h"

struct block;

/* The state of writing a cell's lines. */
struct cell_writer {
	struct strbuf *out;
	const struct block *block;
	unsigned indent;
	size_t line; /* the next line */
	size_t edit; /* the next edit */
	uint32_t at; /* the text before this offset is written */
	bool plain;  /* without edits that only show values */
};

/* Returns the number of blanks before the cell's code if its frame requires AT_LEAST. Python
 * expands tabs to multiples of 8, so a cell that is indented with tabs gets a multiple of 8. Then
 * all columns grow by the same amount, with tabs counted as 8 and as 1, and Python sees the same
 * blocks. */
unsigned python_cell_indent(const struct block *block, unsigned at_least);

/* Appends the source lines above the cell's code, its magics, to OUT as comments. */
void python_cell_heads(struct strbuf *out, const struct block *block, unsigned indent);

/* Prepares WRITER to append the cell's code to OUT: each source line becomes one line with INDENT
 * blanks before it. Lines that must not be indented and blank lines are copied unchanged. */
void python_cell_begin(struct cell_writer *writer, struct strbuf *out, const struct block *block,
                       unsigned indent);

/* Appends the lines before END. The output ends with a line end unless nothing is appended. */
void python_cell_lines(struct cell_writer *writer, size_t end);

/* Appends the cell's code, or other text, to OUT as Python strings: one string on one line for each
 * line. */
void python_cell_strings(struct strbuf *out, const struct block *block, unsigned indent);

#endif
