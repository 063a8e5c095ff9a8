/* Finds the statements of a cell whose values IPython shows. */
#ifndef NBSCOREP_LEX_SYNTAX_VALUES_H
#define NBSCOREP_LEX_SYNTAX_VALUES_H

#include "lex/syntax.h"

/* True if the cell's last statement is an expression whose value Jupyter would show. Its tokens are
 * [*FIRST_TOKEN, *LAST_TOKEN], both significant. *IS_TUPLE is true if a comma or an unpacking star
 * is outside of its brackets, so that it needs parentheses as an argument. False if the last line
 * with code contains a magic, or the cell is broken. */
bool syntax_last_expression(const struct lexed_cell *cell, uint32_t *first_token,
                            uint32_t *last_token, bool *is_tuple);

/* The same, also if a ";" follows; sets *SEMICOLON. */
bool syntax_last_value(const struct lexed_cell *cell, uint32_t *first_token, uint32_t *last_token,
                       bool *is_tuple, bool *semicolon);

/* Appends all such expressions outside of functions and classes to OUT, in order. Returns true if a
 * ";" follows the cell's last statement. */
bool syntax_values(struct arena *arena, const struct lexed_cell *cell, syntax_value_list *out);

/* The same for the expressions inside the last statement of the top level, which may be compound.
 * Finds none if the cell's last line is a magic. */
bool syntax_last_values(struct arena *arena, const struct lexed_cell *cell, syntax_value_list *out);

/* True if the cell's last statement assigns to one name, *NAME, with "=", "+=" or an annotation,
 * and no ";" follows its *LAST_TOKEN. */
bool syntax_last_target(const struct lexed_cell *cell, uint32_t *name, uint32_t *last_token);

#endif
