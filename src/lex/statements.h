/* Internal to src/lex: what the files of syntax.h share. */
#ifndef NBSCOREP_LEX_STATEMENTS_H
#define NBSCOREP_LEX_STATEMENTS_H

#include "lex/syntax.h"

/* Fills cell->statements, when tokens and logical lines are there. */
void statements_find(struct arena *arena, struct lexed_cell *cell);

/* The text of token INDEX. */
struct slice statement_token(const struct lexed_cell *cell, uint32_t index);

/* Is token INDEX a name that is no keyword? */
bool statement_is_name(const struct lexed_cell *cell, uint32_t index);

/* Does an operand end at a name or literal: could no operand follow token INDEX? */
bool statement_is_operand(const struct lexed_cell *cell, uint32_t index);

/* Is token INDEX "=", "+=" or the like? No comparison is, and no ":=". */
bool statement_is_assignment(const struct lexed_cell *cell, uint32_t index);

/* Does a header begin with token INDEX, whatever follows? "match" and "case" may be names. */
bool statement_is_header_keyword(const struct lexed_cell *cell, uint32_t index);

/* The significant token behind INDEX in STATEMENT, or last_token + 1. */
uint32_t statement_step(const struct lexed_cell *cell, const struct syntax_statement *statement,
                        uint32_t index);

/* Counts brackets and lambdas, so that a caller sees what stands outside of them. */
struct statement_depth {
	unsigned brackets;
	unsigned lambdas; /* whose ":" is still to come, outside of brackets */
};

/* Tells DEPTH of token INDEX. True where the token stands outside of brackets and of a lambda's
 * parameters; neither the brackets themselves nor "lambda" and its ":" do. */
bool statement_outside(const struct lexed_cell *cell, uint32_t index,
                       struct statement_depth *depth);

/* Which keyword makes a header: the word behind "async", else the first. */
struct slice statement_keyword(const struct lexed_cell *cell,
                               const struct syntax_statement *statement);

/* Whether the statements gone through so far lead into a function's (or class's) body. */
struct statement_scope {
	bool classes; /* bodies of classes count too */
	bool guards;  /* and suites of `if __name__ == "__main__":` */
	bool open;
	uint32_t column, logical;
};

/* Does STATEMENT stand in such a body? Its header does not. Call it for each, in order. */
bool statement_inside(const struct lexed_cell *cell, const struct syntax_statement *statement,
                      struct statement_scope *scope);

/* Is WORD a keyword of Python 3.8 to 3.14 that no variable can be called? Soft keywords (match,
 * case, type, _) are none. */
bool syntax_is_keyword(struct slice word);

/* The index of the first token at or behind INDEX, before END, that is neither blank, comment,
 * line end nor continuation; END when there is none. */
uint32_t syntax_next(const struct lexed_cell *cell, uint32_t index, uint32_t end);

/* The index of the token in front of INDEX on its logical line, of the same kinds; INDEX itself
 * when there is none. */
uint32_t syntax_previous(const struct lexed_cell *cell, uint32_t index);

/* Is token INDEX the operator or name TEXT? A string is neither, nor is what is behind the last one. */
bool syntax_is(const struct lexed_cell *cell, uint32_t index, struct slice text);

/* Does a "." stand in front of token INDEX? */
bool syntax_is_attribute(const struct lexed_cell *cell, uint32_t index);

/* The next statement; false behind the last. */
bool syntax_next_statement(const struct lexed_cell *cell, struct syntax_cursor *cursor,
                           struct syntax_statement *out);

/* The statement that token INDEX stands in, or NULL. In time of the logarithm of their number. */
const struct syntax_statement *syntax_statement_at(const struct lexed_cell *cell, uint32_t index);

/* Sets IN_SCOPE of each of cell->magics that stands in the body of a function or class. */
void syntax_find_scoped_magics(const struct lexed_cell *cell, bool *in_scope);

#endif
