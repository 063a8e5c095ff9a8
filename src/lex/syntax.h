/* Questions about the Python of a lexed cell, answered from its tokens and logical lines without a
 * parser: tokens and statements here; names and values in syntax_names.h and syntax_values.h. The
 * results are correct for valid code. For a broken cell they are arbitrary, but no function fails.
 * All take time linear in the cell's size. */
#pragma once

#include "lex/lex.h"

typedef VECTOR(struct slice) syntax_slices;

typedef VECTOR(uint32_t) syntax_token_list;

typedef VECTOR(struct syntax_statement) syntax_statement_list;

/* Fills cell->statements and IN_SCOPE of lines; call it after tokens and logical lines are filled. */
void statements_find(struct arena *arena, struct lexed_cell *cell);

/* The text of token INDEX; empty after the last token. */
struct slice statement_token(const struct lexed_cell *cell, uint32_t index);

/* The text from token FIRST to LAST. */
struct slice statement_text(const struct lexed_cell *cell, uint32_t first, uint32_t last);

/* True if token INDEX is a name and not a keyword. */
bool statement_is_name(const struct lexed_cell *cell, uint32_t index);

/* True if an operand ends at token INDEX, a name or literal, so that no operand can follow it. */
bool statement_is_operand(const struct lexed_cell *cell, uint32_t index);

/* True if token INDEX is "=", "+=" or the like, but not a comparison or ":=". */
bool statement_is_assignment(const struct lexed_cell *cell, uint32_t index);

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

/* The bracket that closes the one at token OPEN, before END; END if OPEN is not a bracket, or is not
 * closed. */
uint32_t syntax_closing(const struct lexed_cell *cell, uint32_t open, uint32_t end);

/* The keyword of a header: the word after "async", else the first word. */
struct slice statement_keyword(const struct lexed_cell *cell,
                               const struct syntax_statement *statement);

/* True if WORD is a keyword of Python 3.8 to 3.14 that no variable can be called. False for soft
 * keywords (match, case, type, _). */
bool syntax_is_keyword(struct slice word);

/* True if NAME is an identifier and not such a keyword; ASCII only. */
bool syntax_is_identifier(struct slice name);

/* The index of the first token from INDEX on, before END, that is not a blank, comment, line end or
 * continuation; END if none is left. */
uint32_t syntax_next(const struct lexed_cell *cell, uint32_t index, uint32_t end);

/* The index of the next such token after INDEX, or the number of tokens. */
uint32_t syntax_after(const struct lexed_cell *cell, uint32_t index);

/* True if NAME is a name in the cell. */
bool syntax_has(const struct lexed_cell *cell, struct slice name);

/* The index of the previous such token on the logical line of INDEX; INDEX itself if it is the
 * first. */
uint32_t syntax_previous(const struct lexed_cell *cell, uint32_t index);

/* True if token INDEX is the operator or name TEXT. False for strings, and after the last token. */
bool syntax_is(const struct lexed_cell *cell, uint32_t index, struct slice text);

/* True if a "." precedes token INDEX. */
bool syntax_is_attribute(const struct lexed_cell *cell, uint32_t index);

/* The statement that contains token INDEX, or NULL. Takes O(log n) for n statements. */
const struct syntax_statement *syntax_statement_at(const struct lexed_cell *cell, uint32_t index);

/* Removes the next field of an f-string, "{expression}", and the text before it, from the start of
 * *REST. IPython's shell commands have such fields, too. *FIELD is the text between its braces,
 * including nested fields. Doubled braces are text. An unclosed field ends with REST; braces in
 * strings inside a field count as its own. Returns false if no field is left. */
bool syntax_next_field(struct slice *rest, struct slice *field);

/* Appends the statements outside of functions and classes that begin with WORD to OUT. */
void syntax_outer_statements(struct arena *arena, const struct lexed_cell *cell, struct slice word,
                             syntax_statement_list *out);

/* A fault in the layout of a cell's lines, and its token. */
struct syntax_fault {
	const char *message;
	uint32_t token;
};

/* True if a header lacks its ":" or its indented block, or a line is indented without a header;
 * sets *OUT to the first such fault. For cells that are not broken. */
bool syntax_layout_fault(const struct lexed_cell *cell, struct syntax_fault *out);

/* True if the cell needs an event loop: it has await, async for, async with or an asynchronous
 * comprehension outside of functions. */
bool syntax_has_top_level_await(struct arena *arena, const struct lexed_cell *cell);
