/* Finds the end of f-strings and t-strings (PEP 701). */
#ifndef NBSCOREP_LEX_FSTRING_H
#define NBSCOREP_LEX_FSTRING_H

#include "lex/strings.h"

/* The offset after the f-string whose contents begin at FROM, according to PEP 701. Returns 0 if
 * this fails; *REACHED is then how far it read. */
size_t fstring_find_end(struct lexer *lexer, size_t from, const struct string_start *start,
                        size_t *reached);

#endif
