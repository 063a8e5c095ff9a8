/* Finds the files that import statements may refer to. */
#ifndef NBSCOREP_LEX_SYNTAX_IMPORTS_H
#define NBSCOREP_LEX_SYNTAX_IMPORTS_H

#include "lex/syntax.h"

/* Appends the imports of the cell, anywhere in it, and the packages that contain them to OUT, each
 * path once. Only the first 64 parts of a path count. */
void syntax_imports(struct arena *arena, const struct lexed_cell *cell, syntax_import_list *out);

#endif
