/* Finds the names that a cell may set, anywhere in it. */
#ifndef NBSCOREP_LEX_SYNTAX_BINDINGS_H
#define NBSCOREP_LEX_SYNTAX_BINDINGS_H

#include "lex/syntax.h"

/* Appends the tokens of the names that the cell may set to OUT, also in functions: targets,
 * parameters, imported, defined and global names. Excludes keyword arguments, and names beside a
 * comma in a call. Does not find names that "match" and "as (a, b)" set. */
void syntax_bindings(struct arena *arena, const struct lexed_cell *cell, syntax_token_list *out);

#endif
