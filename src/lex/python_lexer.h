/* Splits Python into tokens and logical lines. */
#ifndef NBSCOREP_LEX_PYTHON_LEXER_H
#define NBSCOREP_LEX_PYTHON_LEXER_H

#include "lex/lexer.h"

/* Prepares LEXER for CELL->text; CELL->lines must be filled unless LEXER is a probe. */
void lexer_init(struct lexer *lexer, struct arena *arena, struct diags *diags,
                struct lexed_cell *cell);

/* Lexes CELL->text to its end: fills tokens, logical, magics and the flags of lines. */
void lexer_run(struct lexer *lexer);

/* Appends the next LEN bytes as a token. */
void lexer_push(struct lexer *lexer, enum token_kind kind, size_t len);

/* Records a problem of the current logical line; only its first one counts. */
void lexer_problem(struct lexer *lexer, const char *message, size_t offset, size_t len);

/* True if TEXT, lexed as Python on its own, is one logical line whose last token is "?". With OPEN,
 * its brackets need not be closed. */
bool lexer_ends_in_question(struct lexer *lexer, struct slice text, bool open);

#endif
