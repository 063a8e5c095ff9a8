/* Classes of characters beyond ASCII, by PCRE2's tables of Unicode properties: the only place
 * that knows PCRE2. ASCII code never comes here; the patterns are compiled when first needed. */
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

struct patterns {
	struct arena *arena; /* all of PCRE2's memory comes from it */
	void *context;
	void *code[PATTERN_CLASS_COUNT];
	void *match[PATTERN_CLASS_COUNT];
};

/* Nothing is compiled yet. There is nothing to release but the arena. */
void patterns_init(struct patterns *patterns, struct arena *arena);

/* Is CODEPOINT, a scalar value, in CLASS? A class that the library lacks has all letters. */
bool pattern_is(struct patterns *patterns, enum pattern_class class, uint32_t codepoint);

#endif
