/* Scans string literals. */
#ifndef NBSCOREP_LEX_STRINGS_H
#define NBSCOREP_LEX_STRINGS_H

#include "lex/python_lexer.h"

struct string_start {
	uint32_t prefix; /* bytes of prefix */
	uint32_t quotes; /* 1 or 3 */
	char quote;
	bool format;
};

enum string_end {
	STRING_CLOSED,
	STRING_UNCLOSED,       /* its line, or the text, ends before its closing quote */
	STRING_CONTINUED_OPEN, /* the same, after at least one backslash and line end */
};

/* True if REST begins with a string literal. */
bool string_starts(struct slice rest, struct string_start *out);

/* Lexes the string literal at LEXER->at, which begins with START. */
void string_lex(struct lexer *lexer, const struct string_start *start);

/* Finds the end of the literal whose contents begin at FROM, without regard to fields. *END is
 * after its closing quote, or at the end of the line or text that stopped it. */
enum string_end string_find_end(struct slice text, size_t from, const struct string_start *start,
                                size_t *end);

#endif
