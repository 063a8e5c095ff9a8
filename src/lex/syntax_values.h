/* Finds the statements of a cell whose values IPython shows. */
#ifndef NBSCOREP_LEX_SYNTAX_VALUES_H
#define NBSCOREP_LEX_SYNTAX_VALUES_H

#include "lex/syntax.h"

/* Is the cell's last statement an expression whose value Jupyter would show? Then its tokens are
 * [*FIRST_TOKEN, *LAST_TOKEN], both significant; *IS_TUPLE says that a comma or an unpacking star
 * stands outside of its brackets, so that it must be put in parentheses to become an argument.
 * False where the last line with code holds a magic, or the cell is broken. */
bool syntax_last_expression(const struct lexed_cell *cell, uint32_t *first_token,
                            uint32_t *last_token, bool *is_tuple);

/* The same, whether or not a ";" stands behind it, which is told. */
bool syntax_last_value(const struct lexed_cell *cell, uint32_t *first_token, uint32_t *last_token,
                       bool *is_tuple, bool *semicolon);

/* All of them outside of functions and classes, in order, are appended to OUT. Returns whether a ";"
 * stands behind the cell's last statement. */
bool syntax_values(struct arena *arena, const struct lexed_cell *cell, syntax_value_list *out);

/* The same of those inside the last statement of the top level, which may be compound; none where the
 * cell's last line is a magic. */
bool syntax_last_values(struct arena *arena, const struct lexed_cell *cell, syntax_value_list *out);

/* True if the cell's last statement assigns to one name, *NAME, with "=", "+=" or an annotation, and no
 * ";" follows its *LAST_TOKEN. */
bool syntax_last_target(const struct lexed_cell *cell, uint32_t *name, uint32_t *last_token);

#endif
