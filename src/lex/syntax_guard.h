/* Recognises `if __name__ == "__main__":` and code outside of it. */
#ifndef NBSCOREP_LEX_SYNTAX_GUARD_H
#define NBSCOREP_LEX_SYNTAX_GUARD_H

#include "lex/statements.h"
#include "lex/syntax.h"

/* True if STATEMENT is the header `if __name__ == "__main__":`. */
bool statement_is_main_guard(const struct lexed_cell *cell,
                             const struct syntax_statement *statement);

/* True if `if __name__ == "__main__":` is outside of functions and classes. */
bool syntax_has_main_guard(const struct lexed_cell *cell);

/* True if one of the NAMES is called, also as an attribute, outside of functions and of the suites
 * of `if __name__ == "__main__":`. */
bool syntax_calls_unguarded(const struct lexed_cell *cell, const struct slice *names, size_t count);

#endif
