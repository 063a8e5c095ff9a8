/* Scans single tokens: blanks, numbers, operators, names. */
#ifndef NBSCOREP_LEX_SCAN_H
#define NBSCOREP_LEX_SCAN_H

#include "lex/lexer.h"

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
