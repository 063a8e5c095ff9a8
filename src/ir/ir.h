/* The intermediate representation: what a notebook means, as blocks. It is made by builder.c, then
 * rewritten by the passes (pass.h), printed by dump.h, and const to the emitters. Its form as JSON
 * and YAML is described in nbscorep-ir(5); IR_VERSION counts its changes. */
#ifndef NBSCOREP_IR_IR_H
#define NBSCOREP_IR_IR_H

#include <stdint.h>

#include "base/arena.h"
#include "base/name_set.h"
#include "base/slice.h"
#include "base/vector.h"
#include "diag/diag.h"
#include "ir/inclusion.h"
#include "settings/build_settings.h"

struct lexed_cell;
struct magic;
struct notebook;
struct value;

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
	bool fixed; /* it must not be indented: it begins inside a string, or is a lone backslash */
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

/* How deep code nests, as struct syntax_depth has it. */
struct code_depth {
	unsigned blocks, indents;
};

struct code_depth code_depth_of(struct arena *arena, const struct lexed_cell *cell);
struct code_depth code_depth_sum(struct code_depth a, struct code_depth b);
struct code_depth code_depth_max(struct code_depth a, struct code_depth b);

/* DEPTH inside of COUNT more `with` blocks. */
struct code_depth code_depth_deeper(struct code_depth depth, size_t count);

/* Does Python compile what nests so deep? */
bool code_depth_fits(struct code_depth depth);

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
	struct location where; /* of one that is written: its cell, line and column */
	bool expands;
	struct slice
	        source; /* of one that is written: the cell's source, and the bytes that it is */
	size_t offset, len;
};

/* The place of ARGUMENT with all that a message shows. Takes time for all lines before it. */
struct location argument_place(const struct argument *argument);

/* A value that somebody gives for a parameter. */
struct parameter {
	struct slice name;
	const struct value *value;
	struct location where; /* all 0: the command line */
	bool shared;           /* it stands in a file that is for other notebooks, too */
	bool given;            /* by the command line, or a file that it names for this */
};

typedef VECTOR(struct parameter) parameter_list;

/* A name that the cell tagged "parameters" sets. */
struct parameter_name {
	struct slice name;
	struct slice value;   /* source of its default, or empty */
	struct slice type;    /* written, or of a default that is a literal; else empty */
	struct slice comment; /* behind it, without the type, or empty */
	struct location where;
};

typedef VECTOR(struct block) block_list;

/* What a magic of a cell takes in: it runs behind the line of the magic, as a part of the cell. */
struct include {
	uint32_t magic;    /* index of the magic in the cell */
	uint32_t end_line; /* lines of the cell's code up to the magic, which is among them */
	uint32_t indent;   /* blanks in front of the magic */
	struct slice name; /* as the magic has it */
	bool entered; /* the blocks run in a context that sets __file__ and the search for modules */
	block_list blocks;
};

struct block {
	enum block_kind kind;
	unsigned cell;         /* its cell; of a SECTION or MULTICELL the one that opens it */
	unsigned last_cell;    /* the cell that closes it; else the same as cell */
	struct slice id;       /* the cell's nbformat id, or empty */
	struct location where; /* where the kind was decided */
	unsigned count;        /* of a code cell: what Jupyter would show as In [count] */
	bool aborted;          /* SECTION, MULTICELL: closed by an abort magic */
	struct slice name;     /* SECTION: name of the program */
	block_list blocks;     /* SECTION, MULTICELL */
	struct slice source;   /* the cell's source as it stands in the notebook */

	/* EXECUTE, PLAIN, FOREIGN */
	const struct lexed_cell *lexed; /* for the passes */
	struct code code;
	VECTOR(struct edit) edits;
	bool needs_sort;    /* the edits are not in order */
	bool has_statement; /* false: comments only, so that a frame needs a `pass` */
	bool is_async;      /* top-level await: the text becomes the body of an async function */
	VECTOR(struct slice) globals; /* is_async: names that the cell shares with the others */

	struct slice echo; /* the call that shows its value, "f("; empty: the usual one */

	/* FOREIGN, and EXECUTE or PLAIN where a helper runs the code (FUNCTION is not empty): the
	 * call of a Python function with a place in the notebook for messages (may be empty), one
	 * text, the cell's text, and the scopes */
	struct slice function, place, argument;
	bool opens_vampir;     /* the trace is to be opened, if the block is instrumented */
	bool marked;           /* FOREIGN: it is in an instrumented cell or group */
	bool may_raise;        /* an exception in it does not end the script */
	struct slice language; /* what its metadata says that it is instead of Python, or empty */
	bool shows_value;      /* what the function gives is displayed */
	bool measured;         /* the function runs the user's code, which is measured */
	bool sets_parameters;  /* its cell is tagged "parameters" */
	bool was_injected;     /* its cell is tagged "injected-parameters": papermill wrote it */

	/* EXECUTE, PLAIN, FOREIGN: what it runs in besides its frame, outermost first: expressions
	 * that follow `with` */
	VECTOR(struct slice) contexts;

	/* EXECUTE, PLAIN, FOREIGN, MULTICELL */
	struct code_depth depth, full_depth; /* of its own code; with what it takes in, unframed */
	enum frame frame;
	struct slice region; /* name in the trace; empty: the frame has none */

	VECTOR(struct setting) settings;   /* ENV */
	VECTOR(struct argument) arguments; /* ARGS */

	parameter_list values; /* PARAMETERS */

	/* EXECUTE, PLAIN: what the cell takes in, in the order of its lines */
	VECTOR(struct include) includes;

	/* Of a block that was taken in. CELL is a cell of the included notebook; of a text, it is
	 * the cell that takes it in */
	struct slice notebook; /* the included file's name, without folders */
	struct slice label;    /* says where it is included: "cell-7-other-3" */
	bool is_text;          /* a text, which has no frame or name of its own */
	bool silent;           /* its last expression is not shown */
};

/* Code that is no cell's, of which only what it needs is of interest: a module that is not installed but
 * found by the notebook's folder, a script of %run, a file that a cell writes, the code of %time. */
struct other_code {
	struct slice file;     /* "pkg/solver.py", or "pkg/solver/__init__.py"; empty: none */
	struct location where; /* of what leads to it in the notebook: the import, the magic */
	const struct lexed_cell *lexed;
};

/* A command that a cell starts when the script runs. */
struct cell_command {
	struct slice text; /* before $x and {x} are replaced */
	struct location where;
};

struct program {
	struct slice name; /* of the script, without .py; may hold slashes */
	struct location where;
	bool from_section;
	struct slice namesake; /* the module that the script has the name of, or empty */
	block_list blocks;
	VECTOR(struct other_code) others;
	VECTOR(struct slice) futures; /* names to import from __future__ */
	VECTOR(struct setting) environment;
	VECTOR(struct argument) arguments;
	bool keeps_values;    /* Out, _7: what is shown is kept by number */
	bool may_spawn;       /* processes that begin with an import of __main__ */
	bool asks_between;    /* a line in front of each cell asks whether the script is to end */
	bool uses_mpi;        /* imports mpi4py: its processes talk to each other */
	bool all_ranks;       /* what rank 0 shows and saves, the others do, too */
	bool opens_vampir;    /* `run` opens the trace */
	bool tells_cells;     /* lines around each cell tell JUmPER's magics of it */
	unsigned jumper_cell; /* that loads the JUmPER extension, or 0 */
	bool has_figures;     /* figures are saved at the end of each cell */
	struct slice figures; /* folder for them; empty: they are not saved */
	unsigned parameters_cell;                 /* that is tagged "parameters", or 0 */
	VECTOR(struct parameter_name) parameters; /* each name once */
	bool takes_parameters;    /* the script looks for values when it starts: for those names */
	bool takes_any_parameter; /* and for others */
	VECTOR(struct slice) idle_magics; /* named to get_ipython(), and nothing in batch */
	struct name_set packages;      /* that cells would install: lines of a requirements file */
	VECTOR(struct slice) snippets; /* of templates/prelude that it needs, each once */
	VECTOR(struct cell_command) commands; /* in the order of the cells */
};

/* Commands that install packages, which the programs leave out. */
struct left_out_installs {
	size_t count;
	struct location first;
};

/* A notebook. BLOCKS holds everything as it was built; pass_select() copies what is compiled to PROGRAMS. */
struct ir {
	struct slice notebook_name; /* of its file, without folders */
	block_list blocks;
	struct name_set own_magics; /* that its cells register */
	struct left_out_installs installs;
	VECTOR(struct program) programs;
};

/* How a notebook is compiled. */
/* A cell that is no Python: what its SyntaxError says. */
struct broken_cell {
	struct location where; /* its cell and file are 0: the cell is fine */
	struct slice type, message;
};

struct ir_options {
	struct slice program_name; /* of a whole notebook's program */
	struct slice script_name;  /* of the script without .py, where it is not the program's */
	bool whole_notebook;       /* ignore the sections, keep aborted groups as plain cells */
	bool no_cell_regions, no_echo, allow_outside;
	size_t ranks;   /* that are measured; 0: none, or not known how many */
	bool all_ranks; /* what rank 0 shows and saves, the others do, too */
	enum instrument instrument;
	enum unknown_magics unknown_magics;
	bool install_packages; /* %pip and its like run when the script does */
	struct slice figures;  /* folder for figures; empty: NAME_figures; "none": nowhere */
	struct slice filter;   /* filter file, as the run finds it; empty: the notebook's */
	const struct setting *settings; /* of the configuration, which the notebook's follow */
	size_t setting_count;
	const struct argument *arguments; /* of the configuration, which the notebook's replace */
	size_t argument_count;
	const char *const *skip_tags; /* cells with one of these tags are left out */
	size_t skip_tag_count;
	const struct broken_cell
	        *broken;          /* by number of cell, each raises its error; NULL: none may */
	bool keeps_broken_bodies; /* of magics like %%time; without it they are left out */
	const struct broken_cell *included_broken; /* of files; the first of a cell counts */
	size_t included_broken_count;
	const struct parameter *parameters; /* each name once */
	size_t parameter_count;
	const struct parameter *swept; /* values that parameters get when the script runs */
	size_t swept_count;
	bool allow_new_parameters;
	struct include_reader includes; /* all zero: nothing is taken in */
};

/* Builder calls, also used by passes. */
void block_add_edit(struct arena *arena, struct block *block, uint32_t offset, uint32_t len,
                    struct slice text);

/* The place in the notebook of bytes [OFFSET, OFFSET+LEN) of a code block's text. */
struct location block_location(const struct block *block, uint32_t offset, uint32_t len);

/* The place of the block's cell as a whole. */
struct location block_cell_location(const struct block *block);

/* What people call the block's cell, also in a trace: "cell 7", "other.ipynb cell 3". */
struct slice block_title(struct arena *arena, const struct block *block);

/* What the files of the cell's figures are called: "cell-7", "cell-7-other-3". */
struct slice block_label(struct arena *arena, const struct block *block);

/* Is its code, or other text, handed to a helper as text? */
static inline bool block_is_called(const struct block *block)
{
	return block->function.len > 0;
}

/* Is it a cell of code that runs: EXECUTE or PLAIN? */
static inline bool block_is_code(const struct block *block)
{
	return block->kind == BLOCK_EXECUTE || block->kind == BLOCK_PLAIN;
}

/* Puts the edits of all blocks into the order of their offsets; those at the same one stay as they
 * were added. */
void program_sort_edits(struct arena *arena, struct program *program);

/* The variable NAME that the run script exports, as it is in force, or NULL. */
const struct setting *program_setting(const struct program *program, struct slice name);

/* Adds a command that a cell of the program starts. */
void program_add_command(struct arena *arena, struct program *program, struct slice text,
                         struct location where);

/* Notes that the program needs a snippet of the prelude. */
void program_add_snippet(struct arena *arena, struct program *program, struct slice name);

/* The beginning of the call that shows a value of BLOCK, "f(" or "f(7, "; PROGRAM gets what that
 * needs. */
struct slice program_echo(struct arena *arena, struct program *program, const struct block *block);

/* Calls VISIT for each block of the list, parents before their children and what they include. */
void blocks_walk(block_list *blocks, void (*visit)(struct block *block, void *data), void *data);

#endif
