/* The lexer: the text of a code cell -> cell magics, Python tokens, logical lines, line magics.
 * Python 3.8 to 3.14 (the Python Language Reference, chapter 2; f-strings after PEP 701, t-strings
 * after PEP 750); magics as IPython's inputtransformer2 finds them. It never fails: text that
 * cannot be lexed becomes a diagnostic, and is kept unchanged. */
#pragma once

#include "base/name_filter.h"
#include "diag/diag.h"

struct cell;

enum token_kind {
#define TOKEN(id, name) TOKEN_##id,
#include "lex/token.def"
};

enum { TOKEN_LEN_BITS = 27, LEXED_BYTES_MAX = (1 << TOKEN_LEN_BITS) - 1 };

/* A quarter of a big notebook's memory is tokens, so they are packed. */
struct token {
	uint32_t offset; /* bytes of lexed_cell.text */
	uint32_t len : TOKEN_LEN_BITS;
	enum token_kind kind : 32 - TOKEN_LEN_BITS;
};

/* False for blanks, comments, line ends and continuations. */
static inline bool token_is_significant(enum token_kind kind)
{
	return kind != TOKEN_BLANK && kind != TOKEN_COMMENT && kind != TOKEN_NEWLINE &&
	       kind != TOKEN_NL && kind != TOKEN_CONTINUATION;
}

/* A line of the text as Python counts them: it ends with LF, CR LF or CR. */
struct physical_line {
	uint32_t offset, len; /* LEN without the line end */
	uint32_t source;      /* offset of the line in the cell's source, */
	uint32_t removed;     /* and bytes that clean-up removed from its start */
	uint32_t indent;      /* bytes of leading space, tab and form feed */
	uint8_t end_len;      /* 0 on a last line without a line end */
	bool inside_token;    /* it begins inside a string, so it must not be indented */
	bool lone_backslash;  /* it is only a backslash in column 0, which must not be indented */
};

/* The treatment of a magic in a batch job. The builder and the passes dispatch on it. */
enum magic_action {
#define ACTION(id, text) ACTION_##id,
#include "lex/magic_actions.def"
	ACTION_COUNT
};

enum magic_form { FORM_LINE = 1, FORM_CELL = 2, FORM_BOTH = 3, FORM_ESCAPE = 4 };

/* One row of magics.def per name. */
struct magic_row {
	struct slice name;
	enum magic_form form;
	enum magic_action action;
	bool body_is_python; /* of a cell magic: its body is lexed as code */
	const char *doc;
};

enum magic_kind {
	MAGIC_LINE,       /* %name args */
	MAGIC_CELL,       /* %%name args, body */
	MAGIC_SHELL,      /* !command */
	MAGIC_SHELL_LIST, /* !!command */
	MAGIC_HELP,       /* ?x, ??x, x?, x?? */
	MAGIC_AUTOCALL,   /* ,f a b   ;f a b   /f a b */
};

struct magic {
	enum magic_kind kind;
	uint32_t offset, len; /* the magic in the text: from its escape to its end, without the line
	                       * end. Help at the end of a line: from the line's first token */
	struct slice name; /* of MAGIC_LINE and MAGIC_CELL, without %: the run of non-blanks after
	                    * the escape. Empty in "% x"; "%x" in a "%%x" that is not a cell magic,
	                    * where IPython looks for a line magic called %x */
	struct slice args; /* the rest of the line, without blanks at both ends; continued lines are
	                    * joined as IPython joins them. For MAGIC_HELP, the requested name */
	uint32_t args_offset; /* of ARGS in the text; if lines were joined, of the first line */
	bool assigned;        /* x = %magic or x = !command */
	struct slice target;  /* left of the "=" of an assigned magic, trimmed */
	unsigned help_level;  /* of MAGIC_HELP: 1 or 2 */
	const struct magic_row *row; /* of magics.def; NULL if the name is unknown. Kinds without a
	                              * name have the row of their escape ("!", "!!", "?") */
};

enum line_kind {
	LINE_BLANK, /* empty, or a comment */
	LINE_CODE,
	LINE_MAGIC, /* contains a magic; MAGIC is its index */
};

/* A logical line. Blank lines and comment lines between statements are logical lines, too. */
struct logical_line {
	enum line_kind kind : 8;
	bool in_scope : 1; /* it is in the body of a function or class */
	uint32_t first_token, token_count;
	uint32_t first_line, line_count; /* physical lines */
	uint32_t column;                 /* of its indentation; tabs go to multiples of 8 */
	uint32_t magic;
};

/* A part of a logical line: a simple statement, or the header of a compound one up to its ":". */
struct syntax_statement {
	uint32_t logical;                 /* index of its logical line */
	uint32_t first_token, last_token; /* significant tokens, without the ";" or with the ":" */
	bool header : 1;                  /* "if x:", "def f():", "else:", "case 1:" ... */
	bool in_suite : 1;                /* it follows a header on the same line */
	bool semicolon : 1;               /* a ";" follows */
	bool alone : 1;                   /* its logical line has no other statement and no ";" */
	bool in_function : 1; /* it is in the body of a function; the header of that is not */
	bool in_scope : 1;    /* the same of a function or class */
	/* The index of the header of the outermost function that it begins or is in, or NO_STATEMENT. */
	uint32_t function;
};

enum { NO_STATEMENT = UINT32_MAX };

struct lexed_cell {
	struct name_filter
	        names;       /* in the text: also keywords, words in f-strings' fields, and "_" if a
	                    * name begins so */
	unsigned number;     /* 0: the text of a file */
	struct slice file;   /* the file of its places (struct location); set by the caller */
	struct slice source; /* as in the notebook; locations refer to it */
	struct slice
	        text; /* the lexed text: source without the %% lines, cleaned up as IPython does
	               * (indentation of the whole cell, prompts) */
	VECTOR(struct magic) cell_magics; /* outermost first; offsets are of SOURCE, not of TEXT */
	uint32_t text_line;               /* 0-based line of SOURCE on which TEXT begins */
	VECTOR(struct token) tokens;
	VECTOR(struct physical_line) lines;
	VECTOR(struct logical_line) logical;
	VECTOR(struct magic) magics;
	VECTOR(struct syntax_statement) statements; /* of lines that are not magics */
	struct line_mark *mark;                     /* of the line whose place was looked up last */
	uint32_t code_lines; /* logical lines other than blank lines and comments; a magic counts */
	uint32_t last_line;  /* the last of them; UINT32_MAX: none */
	bool is_python;      /* false: the body of a cell magic that expects another language */
	bool broken;         /* a part could not be lexed */
};

/* Lexes a code cell. OUT refers only to CELL's source, which must outlive OUT. */
void lex_cell(struct arena *arena, const struct cell *cell, struct diags *diags,
              struct lexed_cell *out);

/* Lexes TEXT as a code cell of its own, without diagnostics; OUT->broken shows an error. */
void lex_text(struct arena *arena, struct slice text, struct lexed_cell *out);

/* The place of bytes [OFFSET, OFFSET+LEN) of cell->text, in the notebook's cell. */
struct location lexed_location(const struct lexed_cell *cell, uint32_t offset, uint32_t len);

/* The place of one of cell->cell_magics or cell->magics. */
struct location lexed_magic_location(const struct lexed_cell *cell, const struct magic *magic);

/* All rows. */
extern const struct magic_row magic_rows[];
extern const size_t magic_row_count;

/* The row for NAME in FORM (FORM_LINE, FORM_CELL or FORM_ESCAPE), or NULL. */
const struct magic_row *magic_find(struct slice name, enum magic_form form);

/* One line that describes the action, for `nbscorep magics`. */
const char *magic_action_text(enum magic_action action);

/* The text of a token. */
static inline struct slice token_text(const struct lexed_cell *cell, const struct token *token)
{
	return slice_sub(cell->text, token->offset, token->offset + token->len);
}
