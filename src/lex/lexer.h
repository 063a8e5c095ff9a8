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

/* --- python_lexer.c --- */

/* Makes LEXER ready for CELL->text; CELL->lines must be filled unless LEXER is a probe. */
void lexer_init(struct lexer *lexer, struct arena *arena, struct diags *diags,
                struct lexed_cell *cell);

/* Lexes CELL->text to its end: fills tokens, logical, magics and the flags of lines. */
void lexer_run(struct lexer *lexer);

/* Appends the next LEN bytes as a token. */
void lexer_push(struct lexer *lexer, enum token_kind kind, size_t len);

/* Notes a problem of the current logical line; only its first one counts. */
void lexer_problem(struct lexer *lexer, const char *message, size_t offset, size_t len);

/* Would TEXT, lexed as Python on its own, be one logical line whose last token is "?" ? OPEN: its
 * brackets need not be closed. */
bool lexer_ends_in_question(struct lexer *lexer, struct slice text, bool open);

/* --- scan.c: lengths of single tokens; 0 where none stands at the front of REST --- */

size_t scan_blanks(struct slice rest);       /* spaces, tabs, form feeds */
size_t scan_line_end(struct slice rest);     /* LF, CR LF or CR */
size_t scan_to_line_end(struct slice rest);  /* bytes before the next line end */
size_t scan_continuation(struct slice rest); /* backslash and line end, or backslash and the end */
size_t lex_number(struct slice rest);
size_t scan_operator(struct slice rest);
size_t scan_name(struct slice rest, struct arena *arena);
size_t scan_unicode_blank(struct slice rest); /* a character that Python calls space, not ASCII */

/* S without what Python calls space at its end. */
struct slice scan_trim_end(struct slice s);

/* Are all characters of S space to Python's str.isspace()? True for an empty S. */
bool scan_is_blank(struct slice s);

/* --- strings.c --- */

struct string_start {
	uint32_t prefix; /* bytes of prefix */
	uint32_t quotes; /* 1 or 3 */
	char quote;
	bool format;
};

/* Does a string literal begin at the front of REST? */
bool string_starts(struct slice rest, struct string_start *out);

enum string_end {
	STRING_CLOSED,
	STRING_UNCLOSED, /* it reaches the end of its line, or of the text, without its quote */
	STRING_CONTINUED_OPEN, /* the same, after at least one backslash and line end */
};

/* The end of the literal whose contents begin at FROM, read as one without fields: *END is behind
 * its closing quote, or else at the line end or the end of the text that stopped it. */
enum string_end string_find_end(struct slice text, size_t from, const struct string_start *start,
                                size_t *end);

/* Lexes the string literal at LEXER->at, which begins with START. */
void string_lex(struct lexer *lexer, const struct string_start *start);

/* --- fstring.c --- */

/* The offset behind the f-string whose contents begin at FROM, read as PEP 701 says; 0 when that
 * reading fails, then *REACHED is how far it looked. */
size_t fstring_find_end(struct lexer *lexer, size_t from, const struct string_start *start,
                        size_t *reached);

/* --- lines.c --- */

typedef VECTOR(struct physical_line) physical_lines;

/* Splits TEXT into physical lines. */
void lines_split(struct arena *arena, struct slice text, physical_lines *out);

/* --- cleanup.c --- */

/* Applies IPython's clean-up to LINES of SOURCE from line FIRST on, whose fronts are cut already by
 * CUT bytes each: adds to CUT. Returns the first line that is not blank, or LINES->count. */
size_t cleanup_lines(struct slice source, const physical_lines *lines, uint32_t *cut, size_t first);

/* --- magic_lexer.c --- */

/* Reads a cell magic's head from LINE (without line end, which begins at OFFSET of the source).
 * False where IPython sees none there. */
bool magic_head(struct slice line, uint32_t offset, struct arena *arena, struct magic *out);

/* If a magic begins at LEXER->at, takes it as a token and returns true. */
bool magic_lex(struct lexer *lexer);

/* At the end of a logical line: makes a help request of it if it is one. */
void magic_help_end(struct lexer *lexer);

/* --- automagic.c --- */

/* Where the magic begins when TEXT is a cell of one line that is one without its "%", or SIZE_MAX. */
size_t automagic_find(struct slice text);

#endif
