/* Finds magics where IPython finds them. */
#pragma once

#include "lex/python_lexer.h"

/* Reads a cell magic's head from LINE, which has no line end and begins at OFFSET of the source.
 * Returns false if IPython finds no cell magic there. */
bool magic_head(struct slice line, uint32_t offset, struct arena *arena, struct magic *out);

/* If a magic begins at LEXER->at, makes it a token and returns true. */
bool magic_lex(struct lexer *lexer);

/* Call at the end of a logical line: makes it a help request if it is one. */
void magic_help_end(struct lexer *lexer);
