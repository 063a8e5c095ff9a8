/* Finds the files that import statements may mean. */
#ifndef NBSCOREP_LEX_SYNTAX_IMPORTS_H
#define NBSCOREP_LEX_SYNTAX_IMPORTS_H

#include "lex/syntax.h"

/* Those of the cell, anywhere in it, and the packages that they lie in: each path once, appended to
 * OUT. Of a path with more than 64 parts, the first 64. */
void syntax_imports(struct arena *arena, const struct lexed_cell *cell, syntax_import_list *out);

#endif
