/* Recognises `if __name__ == "__main__":`. */
#ifndef NBSCOREP_LEX_SYNTAX_GUARD_H
#define NBSCOREP_LEX_SYNTAX_GUARD_H

#include "lex/statements.h"
#include "lex/syntax.h"

/* True if STATEMENT is the header `if __name__ == "__main__":`. */
bool statement_is_main_guard(const struct lexed_cell *cell,
                             const struct syntax_statement *statement);

#endif
