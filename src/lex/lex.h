/* The lexer: the text of a code cell -> cell magics, Python tokens, logical lines, line magics.
 * Python 3.8 to 3.14 (the Python Language Reference, chapter 2; f-strings after PEP 701, t-strings
 * after PEP 750); magics as IPython's inputtransformer2 finds them. It never fails: what cannot be
 * lexed becomes a diagnostic, and the text is taken as it is. */
#ifndef NBSCOREP_LEX_LEX_H
#define NBSCOREP_LEX_LEX_H

#include <stdint.h>

#include "base/arena.h"
#include "base/name_filter.h"
#include "base/slice.h"
#include "base/vector.h"
#include "diag/diag.h"

struct cell;
struct magic_row;

enum token_kind {
#define TOKEN(id, name) TOKEN_##id,
#include "lex/token.def"
#undef TOKEN
	TOKEN_KIND_COUNT
};

struct token {
	enum token_kind kind;
	uint32_t offset, len; /* bytes of lexed_cell.text */
};

/* A line of the text as Python counts them: it ends with LF, CR LF or CR. */
struct physical_line {
	uint32_t offset, len,
	        end_len;         /* len without the line end; end_len 0 on a last line without */
	uint32_t indent;         /* bytes of leading space, tab and form feed */
	bool inside_token;       /* it begins inside a string: it must not be indented */
	bool after_continuation; /* the line before ends in a backslash */
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
	uint32_t offset, len; /* the magic in the text: from its escape to its end, no line end.
	                            For help at the end of a line: from the line's first token */
	struct slice name; /* of MAGIC_LINE and MAGIC_CELL, without %: the run of non-blanks behind
	                            the escape. Empty in "% x"; "%x" in a "%%x" that is no cell magic,
	                            where IPython looks for a line magic called %x */
	struct slice args; /* the rest of the line, trimmed at its end, leading blanks cut;
	                            continued lines are joined as IPython joins them. Of MAGIC_HELP
	                            the name asked for */
	uint32_t
	        args_offset; /* of args in the text, where it was not joined; else of its first line */
	bool assigned;       /* x = %magic or x = !command */
	struct slice target;         /* left of the "=" of an assigned one, trimmed */
	unsigned help_level;         /* of MAGIC_HELP: 1 or 2 */
	const struct magic_row *row; /* of magics.def; NULL where the name is unknown, and for kinds
	                                without a name the row of the escape ("!", "!!", "?") */
};

enum line_kind {
	LINE_BLANK, /* nothing, or a comment */
	LINE_CODE,
	LINE_MAGIC, /* a magic stands in it; magic is its index */
};

/* A logical line. Blank and comment lines between statements are lines of their own. */
struct logical_line {
	enum line_kind kind;
	uint32_t first_token, token_count;
	uint32_t first_line, line_count; /* physical lines */
	uint32_t column;                 /* of its indentation, tabs to the next multiple of 8 */
	uint32_t magic;
};

/* A part of a logical line: a simple statement, or the header of a compound one up to its ":". */
struct syntax_statement {
	uint32_t logical;                 /* index of its logical line */
	uint32_t first_token, last_token; /* significant tokens, without the ";" or with the ":" */
	bool header;                      /* "if x:", "def f():", "else:", "case 1:" ... */
	bool in_suite;                    /* it stands behind a header on the same line */
	bool semicolon;                   /* a ";" follows */
	bool alone; /* nothing else stands on its logical line, no ";" either */
};

struct lexed_cell {
	struct name_filter
	        names;     /* that stand in the text: keywords, too, and words in f-strings' fields;
	                             "_" where one begins so */
	unsigned number;   /* 0: it is the text of a file */
	struct slice file; /* of its places (struct location); for who lexes it to set */
	struct slice source; /* as in the notebook: what locations refer to */
	struct slice
	        text; /* what was lexed: source without the %% lines, cleaned up as IPython does
	                        (a cell that is indented as a whole, prompts) */
	VECTOR(struct magic) cell_magics; /* outermost first; offsets are of source, not of text */
	uint32_t text_line;               /* 0-based line of source on which text begins */
	VECTOR(uint32_t)
	removed; /* per physical line of text: bytes that clean-up cut off its front */
	VECTOR(uint32_t)
	line_source; /* per physical line of text: offset in source of what is left */
	VECTOR(struct token) tokens;
	VECTOR(struct physical_line) lines;
	VECTOR(struct logical_line) logical;
	VECTOR(struct magic) magics;
	VECTOR(struct syntax_statement) statements; /* of lines that are no magics */
	struct line_mark *mark;                     /* of the line whose place was asked for last */
	uint32_t last_line; /* the logical line that is the last with code; UINT32_MAX: none */
	bool is_flat;       /* no line is indented, and no statement begins like a header */
	bool is_python;     /* false: the body of a cell magic that takes something else */
	bool broken;        /* something could not be lexed */
};

/* Lexes a code cell. Nothing is kept of CELL but its source, which must outlive OUT. */
void lex_cell(struct arena *arena, const struct cell *cell, struct diags *diags,
              struct lexed_cell *out);

/* The place of bytes [OFFSET, OFFSET+LEN) of cell->text, in the notebook's cell. */
struct location lexed_location(const struct lexed_cell *cell, uint32_t offset, uint32_t len);

/* The place of one of cell->cell_magics. */
struct location lexed_head_location(const struct lexed_cell *cell, const struct magic *head);

/* The text of a token. */
static inline struct slice token_text(const struct lexed_cell *cell, const struct token *token)
{
	return slice_sub(cell->text, token->offset, token->offset + token->len);
}

#endif
