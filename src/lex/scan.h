/* Scans single tokens: blanks, numbers, operators, names; and asks PCRE2 about characters beyond
 * ASCII. Each pattern is compiled on first use, which takes as long as lexing a thousand lines, and
 * kept for all cells and notebooks. Not thread-safe. */
#ifndef NBSCOREP_LEX_SCAN_H
#define NBSCOREP_LEX_SCAN_H

#include <stdint.h>

#include "base/arena.h"
#include "base/slice.h"

enum scan_class {
	SCAN_NAME_START,    /* may begin an identifier (XID_Start) */
	SCAN_NAME_CONTINUE, /* may continue one (XID_Continue) */
	SCAN_WORD,          /* \w of Python's re: a letter or a number of any kind */
	SCAN_DIGIT,         /* \d of Python's re: a decimal digit of any script */
	SCAN_CLASS_COUNT
};

/* True if CODEPOINT, a scalar value, is in CLASS. If the library lacks the class, every character
 * is a letter and none is a digit. Calls arena_fail() if memory runs out. */
bool scan_is_in_class(struct arena *arena, enum scan_class class, uint32_t codepoint);

/* The length in bytes of one token at the start of REST; 0 if REST begins with another token. */
size_t scan_blanks(struct slice rest);       /* spaces, tabs, form feeds */
size_t scan_line_end(struct slice rest);     /* LF, CR LF or CR */
size_t scan_to_line_end(struct slice rest);  /* bytes before the next line end */
size_t scan_continuation(struct slice rest); /* backslash and line end, or backslash and the end */
size_t scan_number(struct slice rest);
size_t scan_operator(struct slice rest);
size_t scan_name(struct slice rest, struct arena *arena);
size_t scan_unicode_blank(struct slice rest); /* a non-ASCII character that is space to Python */

/* S without the characters at its end that Python counts as space. */
struct slice scan_trim_end(struct slice s);

/* True if all characters of S are space by Python's str.isspace(). True for an empty S. */
bool scan_is_blank(struct slice s);

#endif
