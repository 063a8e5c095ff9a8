/* Checks headers, suites and indentation. */
#ifndef NBSCOREP_LEX_SYNTAX_LAYOUT_H
#define NBSCOREP_LEX_SYNTAX_LAYOUT_H

#include "lex/syntax.h"

/* True if a header lacks its ":" or its indented block, or a line is indented without a header;
 * sets *OUT to the first such fault. For cells that are not broken. */
bool syntax_layout_fault(const struct lexed_cell *cell, struct syntax_fault *out);

#endif
