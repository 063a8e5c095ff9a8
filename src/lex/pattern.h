/* Classes of characters beyond ASCII, by PCRE2's tables of Unicode properties: the only place
 * that knows PCRE2. ASCII code never comes here; the patterns are compiled when first needed, for all
 * cells and notebooks: that takes as long as to lex a thousand lines. Not for several threads. */
#ifndef NBSCOREP_LEX_PATTERN_H
#define NBSCOREP_LEX_PATTERN_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"

enum pattern_class {
	PATTERN_NAME_START,    /* may begin an identifier (XID_Start) */
	PATTERN_NAME_CONTINUE, /* may go on in one (XID_Continue) */
	PATTERN_WORD,          /* \w of Python's re: a letter or a number of any kind */
	PATTERN_DIGIT,         /* \d of Python's re: a decimal digit of any script */
	PATTERN_CLASS_COUNT
};

/* Is CODEPOINT, a scalar value, in CLASS? A class that the library lacks has all letters. ARENA fails
 * where there is no memory. */
bool pattern_is(struct arena *arena, enum pattern_class class, uint32_t codepoint);

#endif
