/* Counts how deep the blocks of a cell nest. */
#ifndef NBSCOREP_LEX_SYNTAX_NESTING_H
#define NBSCOREP_LEX_SYNTAX_NESTING_H

#include "lex/syntax.h"

/* The nesting depth of the cell. A "with" around the cell adds one to each value. */
struct syntax_depth syntax_nesting(const struct lexed_cell *cell, struct arena *arena);

#endif
