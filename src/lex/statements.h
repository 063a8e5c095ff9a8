/* Internal to src/lex: shared by the files of syntax.h. */
#ifndef NBSCOREP_LEX_STATEMENTS_H
#define NBSCOREP_LEX_STATEMENTS_H

#include "lex/syntax.h"

/* Fills cell->statements; call it after tokens and logical lines are filled. */
void statements_find(struct arena *arena, struct lexed_cell *cell);

/* The text of token INDEX. */
struct slice statement_token(const struct lexed_cell *cell, uint32_t index);

/* True if token INDEX is a name and not a keyword. */
bool statement_is_name(const struct lexed_cell *cell, uint32_t index);

/* True if an operand ends at token INDEX, a name or literal, so that no operand can follow it. */
bool statement_is_operand(const struct lexed_cell *cell, uint32_t index);

/* True if token INDEX is "=", "+=" or the like, but not a comparison or ":=". */
bool statement_is_assignment(const struct lexed_cell *cell, uint32_t index);

/* True if token INDEX always begins a header. "match" and "case" may be names. */
bool statement_is_header_keyword(const struct lexed_cell *cell, uint32_t index);

/* The significant token after INDEX in STATEMENT, or last_token + 1. */
uint32_t statement_step(const struct lexed_cell *cell, const struct syntax_statement *statement,
                        uint32_t index);

/* Counts brackets and lambdas, to detect tokens outside of them. */
struct statement_depth {
	unsigned brackets;
	unsigned lambdas; /* without their ":" yet, outside of brackets */
};

/* Updates DEPTH with token INDEX. Returns true if the token is outside of brackets and of a
 * lambda's parameters; false for the brackets themselves, "lambda" and its ":". */
bool statement_outside(const struct lexed_cell *cell, uint32_t index,
                       struct statement_depth *depth);

/* The keyword of a header: the word after "async", else the first word. */
struct slice statement_keyword(const struct lexed_cell *cell,
                               const struct syntax_statement *statement);

/* Whether the statements visited so far lead into the body of a function (or class). */
struct statement_scope {
	bool classes; /* bodies of classes count, too */
	bool guards;  /* as do suites of `if __name__ == "__main__":` */
	bool open;
	uint32_t column, logical;
};

/* True if STATEMENT is in such a body. Its header is not. Call it for each statement, in order. */
bool statement_inside(const struct lexed_cell *cell, const struct syntax_statement *statement,
                      struct statement_scope *scope);

/* True if WORD is a keyword of Python 3.8 to 3.14 that no variable can be called. False for soft
 * keywords (match, case, type, _). */
bool syntax_is_keyword(struct slice word);

/* The index of the first token from INDEX on, before END, that is not a blank, comment, line end or
 * continuation; END if none is left. */
uint32_t syntax_next(const struct lexed_cell *cell, uint32_t index, uint32_t end);

/* The index of the previous such token on the logical line of INDEX; INDEX itself if it is the
 * first. */
uint32_t syntax_previous(const struct lexed_cell *cell, uint32_t index);

/* True if token INDEX is the operator or name TEXT. False for strings, and after the last token. */
bool syntax_is(const struct lexed_cell *cell, uint32_t index, struct slice text);

/* True if a "." precedes token INDEX. */
bool syntax_is_attribute(const struct lexed_cell *cell, uint32_t index);

/* Sets *OUT to the next statement. Returns false after the last one. */
bool syntax_next_statement(const struct lexed_cell *cell, struct syntax_cursor *cursor,
                           struct syntax_statement *out);

/* The statement that contains token INDEX, or NULL. Takes O(log n) for n statements. */
const struct syntax_statement *syntax_statement_at(const struct lexed_cell *cell, uint32_t index);

/* Sets IN_SCOPE of each of cell->magics that is in the body of a function or class. */
void syntax_find_scoped_magics(const struct lexed_cell *cell, bool *in_scope);

#endif
