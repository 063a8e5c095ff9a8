/* Classes of characters beyond ASCII, by PCRE2's tables of Unicode properties. Only this file uses
 * PCRE2. ASCII code never comes here. Each pattern is compiled on first use, which takes as long as
 * lexing a thousand lines, and kept for all cells and notebooks. Not thread-safe. */
#ifndef NBSCOREP_LEX_PATTERN_H
#define NBSCOREP_LEX_PATTERN_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"

enum pattern_class {
	PATTERN_NAME_START,    /* may begin an identifier (XID_Start) */
	PATTERN_NAME_CONTINUE, /* may continue one (XID_Continue) */
	PATTERN_WORD,          /* \w of Python's re: a letter or a number of any kind */
	PATTERN_DIGIT,         /* \d of Python's re: a decimal digit of any script */
	PATTERN_CLASS_COUNT
};

/* True if CODEPOINT, a scalar value, is in CLASS. If the library lacks the class, every character
 * is a letter and none is a digit. Calls arena_fail() if memory runs out. */
bool pattern_is(struct arena *arena, enum pattern_class class, uint32_t codepoint);

#endif
