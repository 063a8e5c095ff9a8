/* Finds magics where IPython finds them. */
#ifndef NBSCOREP_LEX_MAGIC_LEXER_H
#define NBSCOREP_LEX_MAGIC_LEXER_H

#include "lex/lexer.h"

/* Reads a cell magic's head from LINE (without line end, which begins at OFFSET of the source).
 * False where IPython sees none there. */
bool magic_head(struct slice line, uint32_t offset, struct arena *arena, struct magic *out);

/* If a magic begins at LEXER->at, takes it as a token and returns true. */
bool magic_lex(struct lexer *lexer);

/* At the end of a logical line: makes a help request of it if it is one. */
void magic_help_end(struct lexer *lexer);

#endif
