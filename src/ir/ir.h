/* The intermediate representation: what a notebook means, as blocks. It is made by builder.c, then
 * rewritten by the passes (pass.h), printed by dump.h, and const to the emitters. Its form as JSON
 * and YAML is described in nbscorep-ir(5); IR_VERSION counts its changes. */
#ifndef NBSCOREP_IR_IR_H
#define NBSCOREP_IR_IR_H

#include <stdint.h>

#include "base/arena.h"
#include "base/diag.h"
#include "base/slice.h"
#include "base/vector.h"

struct lexed_cell;
struct magic;
struct notebook;

enum { IR_VERSION = 1 };

enum block_kind {
#define BLOCK(id, name, doc) BLOCK_##id,
#include "ir/ir.def"
#undef BLOCK
	BLOCK_KIND_COUNT
};

/* The name of a kind in the dump. */
const char *block_kind_name(enum block_kind kind);

/* A change of the cell's text: bytes [OFFSET, OFFSET+LEN) become TEXT. Edits of a block are sorted
 * and do not overlap, and TEXT has as many line ends as what it replaces, so that line numbers
 * hold. */
struct edit {
	uint32_t offset, len;
	struct slice text;
};

/* A line of a code block's text, as Python counts lines. */
struct code_line {
	uint32_t offset, len, end_len; /* len without the line end */
	uint32_t indent;               /* bytes of leading blanks */
	bool inside_token;             /* it begins inside a string and must not be indented */
};

/* The text of a code block, without the cell magics above it. */
struct code {
	struct slice text;
	uint32_t head_lines; /* lines of the cell's source above the text */
	VECTOR(struct code_line) lines;
};

/* What a code block runs in. */
enum frame {
	FRAME_NONE,
	FRAME_DISABLE, /* with scorep.instrumenter.disable(...) */
	FRAME_REGION,  /* with scorep.user.region(...) */
};

/* An environment variable of the run script. */
struct setting {
	struct slice name, value;
	struct location name_where, value_where;
	unsigned cell;
	bool literal; /* it stood in single quotes: $NAME is not expanded */
};

/* An argument of the bindings. EXPANDS: $NAME in it is expanded by the run script. */
struct argument {
	struct slice text;
	struct location where;
	bool expands;
};

typedef VECTOR(struct block) block_list;

struct block {
	enum block_kind kind;
	unsigned cell;         /* its cell; of a SECTION or MULTICELL the one that opens it */
	unsigned last_cell;    /* the cell that closes it; else the same as cell */
	struct slice id;       /* the cell's nbformat id, or empty */
	struct location where; /* where the kind was decided */
	bool aborted;          /* SECTION, MULTICELL: closed by an abort magic */
	struct slice name;     /* SECTION: name of the program */
	block_list blocks;     /* SECTION, MULTICELL */
	struct slice source;   /* the cell's source as it stands in the notebook */

	/* EXECUTE, PLAIN */
	const struct lexed_cell *lexed; /* for the passes */
	struct code code;
	VECTOR(struct edit) edits;
	bool has_statement; /* false: comments only, so that a frame needs a `pass` */
	bool is_async;      /* top-level await: the text becomes the body of an async function */
	VECTOR(struct slice) globals; /* is_async: names that the cell shares with the others */

	/* FOREIGN: the call of a Python function with one text, the cell's text, and the scopes */
	struct slice function, argument;
	const struct magic *magic; /* the cell magic */
	bool marked;               /* it stands in an instrumented cell or group */

	/* EXECUTE, PLAIN, FOREIGN, MULTICELL */
	enum frame frame;
	struct slice region; /* name in the trace; empty: the frame has none */

	VECTOR(struct setting) settings;   /* ENV */
	VECTOR(struct argument) arguments; /* ARGS */
};

struct program {
	struct slice name; /* of the script, without .py; may hold slashes */
	struct location where;
	bool from_section;
	block_list blocks;
	VECTOR(struct slice) futures; /* names to import from __future__ */
	VECTOR(struct setting) environment;
	VECTOR(struct argument) arguments;
	VECTOR(struct slice) snippets; /* of templates/prelude that it needs, each once */
};

/* A notebook. After building, BLOCKS holds everything; pass_select() moves them to PROGRAMS. */
struct ir {
	struct slice notebook_name; /* of its file, without folders */
	block_list blocks;
	VECTOR(struct program) programs;
};

/* How a notebook is compiled. */
enum instrument { INSTRUMENT_DEFAULT, INSTRUMENT_MARKED, INSTRUMENT_ALL, INSTRUMENT_NONE };

struct ir_options {
	struct slice program_name; /* of a whole notebook's program */
	struct slice script_name;  /* of the script without .py, where it is not the program's */
	bool whole_notebook;       /* ignore the sections, keep aborted groups as plain cells */
	bool no_cell_regions, no_echo, allow_outside;
	enum instrument instrument;
};

/* Lexes the cells and runs the kernel's modes over them. Everything in the result lives in ARENA or
 * in NOTEBOOK. Problems become diagnostics; the IR is usable when none of them is an error. */
void ir_build(struct arena *arena, const struct notebook *notebook,
              const struct ir_options *options, struct diags *diags, struct ir *out);

/* Builder calls, also used by passes. */
void block_add_edit(struct arena *arena, struct block *block, uint32_t offset, uint32_t len,
                    struct slice text);

/* The place in the notebook of bytes [OFFSET, OFFSET+LEN) of a code block's text. */
struct location block_location(const struct block *block, uint32_t offset, uint32_t len);

/* Is it a cell of code that runs: EXECUTE or PLAIN? */
static inline bool block_is_code(const struct block *block)
{
	return block->kind == BLOCK_EXECUTE || block->kind == BLOCK_PLAIN;
}

/* Notes that the program needs a snippet of the prelude. */
void program_add_snippet(struct arena *arena, struct program *program, struct slice name);

/* Calls VISIT for each block of the list, parents before their children. */
void blocks_walk(block_list *blocks, void (*visit)(struct block *block, void *data), void *data);

#endif
