/* Scans single tokens: blanks, numbers, operators, names. */
#ifndef NBSCOREP_LEX_SCAN_H
#define NBSCOREP_LEX_SCAN_H

#include "lex/lexer.h"

/* Lengths of single tokens in bytes; 0 if there is none at the start of REST. */
size_t scan_blanks(struct slice rest);       /* spaces, tabs, form feeds */
size_t scan_line_end(struct slice rest);     /* LF, CR LF or CR */
size_t scan_to_line_end(struct slice rest);  /* bytes before the next line end */
size_t scan_continuation(struct slice rest); /* backslash and line end, or backslash and the end */
size_t scan_number(struct slice rest);
size_t scan_operator(struct slice rest);
size_t scan_name(struct slice rest, struct arena *arena);
size_t scan_unicode_blank(struct slice rest); /* a character that Python calls space, not ASCII */

/* S without what Python calls space at its end. */
struct slice scan_trim_end(struct slice s);

/* Are all characters of S space to Python's str.isspace()? True for an empty S. */
bool scan_is_blank(struct slice s);

#endif
