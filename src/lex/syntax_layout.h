/* Checks headers, suites and indentation. */
#ifndef NBSCOREP_LEX_SYNTAX_LAYOUT_H
#define NBSCOREP_LEX_SYNTAX_LAYOUT_H

#include "lex/syntax.h"

/* Does a header lack its ":" or its indented block, or is a line indented without a header? Then the
 * first such fault goes to OUT. Meant for cells that are not broken. */
bool syntax_layout_fault(const struct lexed_cell *cell, struct syntax_fault *out);

#endif
