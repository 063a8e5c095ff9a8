/* Counts how deep the blocks of a cell nest. */
#ifndef NBSCOREP_LEX_SYNTAX_NESTING_H
#define NBSCOREP_LEX_SYNTAX_NESTING_H

#include "lex/syntax.h"

/* How deep the cell nests. A "with" around it costs one more of each. */
struct syntax_depth syntax_nesting(const struct lexed_cell *cell, struct arena *arena);

#endif
