/* Decides whether a cell needs an event loop. */
#ifndef NBSCOREP_LEX_SYNTAX_AWAIT_H
#define NBSCOREP_LEX_SYNTAX_AWAIT_H

#include "lex/syntax.h"

/* True if the cell needs an event loop: it has await, async for, async with or an asynchronous
 * comprehension outside of functions. */
bool syntax_has_top_level_await(const struct lexed_cell *cell, struct arena *arena);

#endif
