/* Scans single tokens: blanks, numbers, operators, names; and asks PCRE2 about characters beyond
 * ASCII, and for what is rare. Each pattern is compiled on first use, which takes as long as lexing a
 * thousand lines, and kept for all cells and notebooks. Not thread-safe. */
#pragma once

#include "base/base.h"

enum scan_pattern {
	SCAN_NAME_START,     /* a character that may begin an identifier (XID_Start) */
	SCAN_NAME_CONTINUE,  /* one that may continue it (XID_Continue) */
	SCAN_HEAD_HELP,      /* at the start: "%%name?" */
	SCAN_HELP_NAME,      /* up to the end: a dotted name that IPython gives help for */
	SCAN_FIRST_PROMPT,   /* at the start: ">>> " */
	SCAN_PROMPT,         /* the same, or "... " */
	SCAN_IPYTHON_PROMPT, /* at the start: "In [7]: ", "[ins] In [7]: ", "   ...: " */
	SCAN_PATTERN_COUNT
};

/* True if TEXT contains PATTERN; sets *FROM and *TO to the first place, in bytes. If the library lacks Unicode, every
 * character beyond ASCII is a letter. False for malformed UTF-8. Calls arena_fail() if memory runs out. */
bool scan_find(struct arena *arena, enum scan_pattern pattern, struct slice text, size_t *from,
               size_t *to);

/* The length in bytes of one token at the start of REST; 0 if REST begins with another token. */
size_t scan_blanks(struct slice rest);       /* spaces, tabs, form feeds */
size_t scan_line_end(struct slice rest);     /* LF, CR LF or CR */
size_t scan_to_line_end(struct slice rest);  /* bytes before the next line end */
size_t scan_line_ends(struct slice text);    /* the number of line ends in TEXT */
size_t scan_continuation(struct slice rest); /* backslash and line end, or backslash and the end */
size_t scan_number(struct slice rest);
size_t scan_operator(struct slice rest);
size_t scan_name(struct slice rest, struct arena *arena);
size_t scan_unicode_blank(struct slice rest); /* a non-ASCII character that is space to Python */

/* S without the characters at its end that Python counts as space. */
struct slice scan_trim_end(struct slice s);

/* True if all characters of S are space by Python's str.isspace(). True for an empty S. */
bool scan_is_blank(struct slice s);
