/* The blocks of a cell: their layout and depth, and whether one needs an event loop. */
#ifndef NBSCOREP_LEX_SYNTAX_BLOCKS_H
#define NBSCOREP_LEX_SYNTAX_BLOCKS_H

#include "lex/syntax.h"

/* A fault in the layout of a cell's lines, and its token. */
struct syntax_fault {
	const char *message;
	uint32_t token;
};

/* True if a header lacks its ":" or its indented block, or a line is indented without a header;
 * sets *OUT to the first such fault. For cells that are not broken. */
bool syntax_layout_fault(const struct lexed_cell *cell, struct syntax_fault *out);

/* The nesting depth of code. */
struct code_depth {
	unsigned blocks;  /* statically nested blocks of the code itself, without functions */
	unsigned indents; /* levels of indentation below the outermost one */
};

/* The nesting depth of the cell. A "with" around the cell adds one to each value. */
struct code_depth code_depth_of(struct arena *arena, const struct lexed_cell *cell);
struct code_depth code_depth_sum(struct code_depth a, struct code_depth b);
struct code_depth code_depth_max(struct code_depth a, struct code_depth b);

/* Returns DEPTH inside COUNT more `with` blocks. */
struct code_depth code_depth_deeper(struct code_depth depth, size_t count);

/* True if CPython compiles code of this depth. */
bool code_depth_fits(struct code_depth depth);

/* True if the cell needs an event loop: it has await, async for, async with or an asynchronous
 * comprehension outside of functions. */
bool syntax_has_top_level_await(struct arena *arena, const struct lexed_cell *cell);

#endif
