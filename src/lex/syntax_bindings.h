/* Finds the names that a cell may set, anywhere in it. */
#ifndef NBSCOREP_LEX_SYNTAX_BINDINGS_H
#define NBSCOREP_LEX_SYNTAX_BINDINGS_H

#include "lex/syntax.h"

/* The names that the cell may set, in functions, too: targets, parameters, what is imported, defined
 * or called global. Their tokens are appended to OUT. A keyword argument is none, and a name of a
 * call beside a comma; those that match and an "as (a, b)" set are not found. */
void syntax_bindings(struct arena *arena, const struct lexed_cell *cell, syntax_token_list *out);

#endif
