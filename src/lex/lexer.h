/* Internal to src/lex: the state of lexing one cell's text, and the pieces of the lexer that work
 * on it. Nobody outside this folder includes it. */
#ifndef NBSCOREP_LEX_LEXER_H
#define NBSCOREP_LEX_LEXER_H

#include "lex/lex.h"
#include "lex/pattern.h"

/* What is wrong with a cell; the first problem of a cell is reported, the others follow from it. */
struct lex_problem {
	const char *message; /* NULL: none; it may hold one "%s" for the text at fault */
	uint32_t offset, len;
};

/* Where a logical line's search for "x = %magic" and "x = !command" stands. */
enum assign_state { ASSIGN_NONE, ASSIGN_HERE, ASSIGN_BLANKS, ASSIGN_DONE };

/* The logical line being lexed. */
struct logical_state {
	struct logical_line line;
	uint32_t first;       /* its first significant token, valid where significant > 0 */
	uint32_t significant; /* its tokens but blanks, comments, continuations and line ends */
	long depth;           /* brackets open before it: 0 or less */
	long parens;          /* brackets open in it, never below 0: as IPython counts them */
	enum assign_state assign;
	uint32_t assign_token; /* the first "=" outside of brackets */
	bool continued;        /* a continuation stands before its first token */
	struct lex_problem problem;
};

struct indent {
	uint32_t column,
	        narrow; /* with tabs to multiples of 8, with tabs of 1: as CPython compares */
};

struct lexer {
	struct arena *arena;
	struct diags *diags; /* NULL: a probe, which says nothing and finds no magics */
	struct lexed_cell *cell;
	struct slice text;
	uint32_t at;
	uint32_t line; /* the physical line that AT lies in */
	long depth;    /* open brackets; below 0 when more were closed, as tokenize counts */
	VECTOR(uint32_t) brackets; /* offsets of the open ones */
	VECTOR(struct indent) indents;
	uint32_t unclosed[2];  /* per quote: no string that begins before this offset is closed */
	size_t fstring_budget; /* bytes that failing readings of f-strings may still cost */
	VECTOR(char) field_brackets; /* scratch of fstring.c */
	struct logical_state now;
	struct lex_problem problem; /* the cell's first */
	size_t automagic;           /* offset of the cell's magic without "%", or SIZE_MAX */
	bool seen_text;             /* something other than blank lines came before */
	bool help_is_dead;          /* a malformed "x?" stops IPython from finding any later one */
};

typedef VECTOR(struct physical_line) physical_lines;

#endif
