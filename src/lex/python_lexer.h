/* Splits Python into tokens and logical lines: the state of lexing one cell's text, which the parts of
 * the lexer share. Files outside this folder must not include it. */
#pragma once

#include "lex/lex.h"

/* A problem of a cell; only the first one is reported, because the others follow from it. */
struct lex_problem {
	const char *message; /* NULL: none; it may contain one "%.*s" for the text at fault */
	uint32_t offset, len;
};

/* The state of a logical line's search for "x = %magic" and "x = !command". */
enum assign_state { ASSIGN_NONE, ASSIGN_HERE, ASSIGN_BLANKS, ASSIGN_DONE };

/* The logical line being lexed. */
struct logical_state {
	struct logical_line line;
	uint32_t first;       /* its first significant token, valid if significant > 0 */
	uint32_t significant; /* number of tokens except blanks, comments, continuations, line
	                       * ends */
	long depth;           /* open brackets before it: 0 or less */
	long parens;          /* open brackets in it, never below 0: as IPython counts them */
	enum assign_state assign;
	uint32_t assign_token; /* the first "=" outside of brackets */
	bool continued;        /* a continuation precedes its first token */
	struct lex_problem problem;
};

struct indent {
	uint32_t column,
	        narrow; /* with tabs to multiples of 8; with tabs of 1: CPython compares both */
};

struct lexer {
	struct arena *arena;
	struct diags *diags; /* NULL: a probe, which reports nothing and finds no magics */
	struct lexed_cell *cell;
	struct slice text;
	uint32_t at;
	uint32_t line; /* the physical line of AT */
	long depth;    /* open brackets; below 0 if more were closed, as tokenize counts */
	VECTOR(uint32_t) brackets; /* offsets of the open ones */
	VECTOR(struct indent) indents;
	uint32_t unclosed[2];  /* per quote: no string that begins before this offset is closed */
	size_t fstring_budget; /* bytes that failed attempts to read f-strings may still cost */
	VECTOR(char) field_brackets; /* scratch of strings.c */
	struct logical_state now;
	struct lex_problem problem; /* the cell's first */
	size_t automagic;           /* offset of the cell's magic without "%", or SIZE_MAX */
	bool seen_text;             /* a token other than blank lines came before */
	bool help_is_dead;          /* a malformed "x?" stops IPython from finding any later one */
};

/* Lexes CELL->text to its end: fills tokens, logical, magics and the flags of CELL->lines, which are
 * there unless DIAGS is NULL. Returns the number of open brackets. */
long lexer_run(struct arena *arena, struct diags *diags, struct lexed_cell *cell);

/* Appends the next LEN bytes as a token. */
void lexer_push(struct lexer *lexer, enum token_kind kind, size_t len);

/* Records a problem of the current logical line; only its first one counts. */
void lexer_problem(struct lexer *lexer, const char *message, size_t offset, size_t len);

/* True if CLOSE closes the bracket OPEN. */
bool lexer_brackets_match(char open, char close);

/* True if TEXT, lexed as Python on its own, is one logical line whose last token is "?". With OPEN,
 * its brackets need not be closed. */
bool lexer_ends_in_question(struct lexer *lexer, struct slice text, bool open);
