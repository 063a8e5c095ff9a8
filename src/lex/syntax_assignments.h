/* Finds the names that a cell sets at its top level. */
#ifndef NBSCOREP_LEX_SYNTAX_ASSIGNMENTS_H
#define NBSCOREP_LEX_SYNTAX_ASSIGNMENTS_H

#include "lex/syntax.h"

/* Appends these names to OUT, in order; a name can occur more than once. */
void syntax_assignments(struct arena *arena, const struct lexed_cell *cell,
                        syntax_assignment_list *out);

#endif
