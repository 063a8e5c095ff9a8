/* Finds the end of f-strings and t-strings (PEP 701). */
#ifndef NBSCOREP_LEX_FSTRING_H
#define NBSCOREP_LEX_FSTRING_H

#include "lex/strings.h"

/* The offset behind the f-string whose contents begin at FROM, read as PEP 701 says; 0 when that
 * reading fails, then *REACHED is how far it looked. */
size_t fstring_find_end(struct lexer *lexer, size_t from, const struct string_start *start,
                        size_t *reached);

#endif
