/* Splits a cell into physical lines. */
#ifndef NBSCOREP_LEX_LINES_H
#define NBSCOREP_LEX_LINES_H

#include "lex/lexer.h"

/* Splits TEXT into physical lines. */
void lines_split(struct arena *arena, struct slice text, physical_lines *out);

#endif
