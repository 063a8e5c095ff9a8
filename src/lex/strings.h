/* Scans string literals. */
#pragma once

#include "lex/python_lexer.h"

struct string_start {
	uint32_t prefix; /* bytes of prefix */
	uint32_t quotes; /* 1 or 3 */
	char quote;
	bool format;
};

/* True if REST begins with a string literal. */
bool string_starts(struct slice rest, struct string_start *out);

/* Lexes the string literal at LEXER->at, which begins with START. */
void string_lex(struct lexer *lexer, const struct string_start *start);
