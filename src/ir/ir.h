/* The intermediate representation of a notebook: a tree of blocks. builder.c builds it, the passes
 * (passes.h) rewrite it, dump.h prints it. It is const in the emitters. nbscorep-ir(5) describes its
 * form as JSON and YAML; IR_VERSION counts the changes of that form. */
#pragma once

#include "base/name_set.h"
#include "diag/diag.h"
#include "ir/inclusion.h"
#include "lex/lex.h"
#include "settings/settings.h"

struct value;

enum { IR_VERSION = 2 };

/* The name under which a script imports the runtime package. */
#define PACKAGE_ALIAS "scorep_notebook"

/* What lowered magics and the notebook's names require of a program. */
enum {
	EFFECT_NONE = 0,
	EFFECT_COMMAND = 1, /* a magic passes its text to a shell */
	EFFECT_FIGURES = 2, /* figures are saved at the end of each cell */
	EFFECT_JUMPER = 4,  /* magics of the JUmPER extension */
	/* What the script takes from the runtime package before its first cell. */
	NEED_DISPLAY = 8,
	NEED_GET_IPYTHON = 16,
	NEED_IPYTHON_DISPLAY = 32,  /* IPython.display, also where IPython is not installed */
	NEED_EVENT_LOOP = 64,       /* top-level await */
	NEED_OLD_BINDINGS = 128,    /* names of the bindings 0.x */
	NEED_KEPT_NAMES = 256,      /* the notebook may delete all names */
	NEED_OUTPUTS = 512,         /* Out, _7: displayed values are kept by number */
	NEED_FOLDERS = 1024,        /* _dh: the folders of %cd */
	NEED_PARAMETERS = 2048,     /* it reads values of its parameters when it starts, */
	NEED_NEW_PARAMETERS = 4096, /* and of other names */
	EFFECT_MPI = 8192,          /* mpi4py is imported: its processes communicate */
	EFFECT_VAMPIR = 16384,      /* `run` opens the trace */
};

enum block_kind {
#define BLOCK(id, name, doc) BLOCK_##id,
#include "ir/ir.def"
};

/* Returns the name of KIND in the dump. */
const char *block_kind_name(enum block_kind kind);

/* A change of the cell's text: TEXT replaces bytes [OFFSET, OFFSET+LEN). Edits of a block are
 * sorted and do not overlap. TEXT has as many line ends as the bytes that it replaces, so that line
 * numbers stay the same. */
struct edit {
	uint32_t offset, len;
	uint32_t order; /* number of edits added to the block before it */
	struct slice text;
	bool is_echo; /* it only shows a value */
};

/* The `with` statement around a code block. */
enum frame {
	FRAME_NONE,
	FRAME_DISABLE, /* with scorep.instrumenter.disable(...) */
	FRAME_REGION,  /* with scorep.user.region(...) */
	FRAME_CELL,    /* with scorep_notebook.cell(...): a measured cell without a region */
};

/* An environment variable of the run script. */
struct setting {
	struct slice name, value;
	struct location name_where, value_where;
	unsigned cell;
	bool literal; /* was in single quotes: $NAME is not expanded */
};

/* An argument of the bindings. EXPANDS: the run script expands $NAME in it. */
struct argument {
	struct slice text;
	struct location where;
	bool expands;
	bool in_cell; /* a cell of arguments contains it */
};

typedef VECTOR(struct setting) setting_list;
typedef VECTOR(struct argument) argument_list;

/* A cell of arguments for the bindings. */
struct args {
	argument_list list;
	struct location where; /* of the cell's magic */
};

/* A given value of a parameter. */
struct parameter {
	struct slice name;
	const struct value *value;
	struct location where; /* all 0: the command line */
	bool shared;           /* from a file that also applies to other notebooks */
	bool given;            /* on the command line, or in a parameter file named there */
};

typedef VECTOR(struct parameter) parameter_list;

/* A name that the cell tagged "parameters" sets. */
struct parameter_name {
	struct slice name;
	struct slice value;   /* source of its default, or empty */
	struct slice type;    /* annotated, or that of a literal default; else empty */
	struct slice comment; /* after it, without the type, or empty */
	struct location where;
};

typedef VECTOR(struct block) block_list;

/* The file that a magic of a cell includes. It runs after the line of the magic, as part of the
 * cell. */
struct include {
	uint32_t magic;    /* index of the magic in the cell */
	uint32_t end_line; /* lines of the cell's code up to and including the magic */
	uint32_t indent;   /* blanks before the magic */
	struct slice name; /* as written in the magic */
	bool entered;      /* the blocks run in a context that sets __file__ and the module path */
	block_list blocks;
};

/* Where the blocks of an included file come from. */
struct origin {
	struct slice notebook; /* the included file's name, without folders */
	bool is_text;          /* a text, which has no own frame or name */
	bool silent;           /* its last expression is not shown */
};

/* The call of a Python function that takes the cell's text. */
struct helper_call {
	struct slice function; /* empty: the cell is not passed to a helper */
	struct slice place;    /* in the notebook, for messages, or empty */
	struct slice argument; /* before the text */
};

/* A cell of code or text. Its text is lexed->text. */
struct code {
	const struct lexed_cell *lexed;
	VECTOR(struct edit) edits;
	VECTOR(struct include) includes; /* in the order of its lines; not of FOREIGN */
	VECTOR(struct slice) contexts;   /* besides its frame, outermost first: expressions that
	                                    follow `with` */
	setting_list settings;           /* of its magics */
	VECTOR(struct slice) globals;    /* is_async: names that it shares with other cells */
	struct helper_call helper;       /* always of FOREIGN after the passes */
	struct slice echo;     /* the call that shows its value, "f("; empty: the usual one, of a
	                            helper none */
	struct slice language; /* from its metadata, if it is not Python; else empty */
	unsigned count;        /* the number that Jupyter shows, In [count] */
	unsigned dropped;      /* number of its magics that became comments */
	bool has_statement;    /* false: only comments, so a frame requires a `pass` */
	bool is_async;         /* top-level await: it becomes the body of an async function */
	bool marked;           /* FOREIGN: it is in an instrumented cell or group */
	bool opens_vampir;     /* if the block is instrumented, `run` opens the trace */
	bool may_raise;        /* an exception in it does not end the script */
	bool sets_parameters;  /* its cell is tagged "parameters" */
};

/* A write-mode section, or a multicell group. */
struct group {
	block_list blocks;
	struct location where; /* of the magic that opens it */
	unsigned last_cell;    /* the closing cell */
	bool aborted;          /* closed by an abort magic */
	struct slice name;     /* SECTION: of the program */
};

struct block {
	enum block_kind kind;
	unsigned cell;     /* its cell; of a group, the opening one; of a text, the including one */
	enum frame frame;  /* of code, MULTICELL */
	bool has_region;   /* the frame has a region, see block_region() */
	bool crossed;      /* a region of the notebook's own code begins, ends or is open in it */
	bool was_injected; /* tagged "injected-parameters": papermill wrote its cell */
	struct slice id;   /* the cell's nbformat id, or empty */
	struct slice source;         /* the cell's source, as in the notebook */
	const struct origin *origin; /* NULL: a cell of the notebook itself */
	union {
		struct code *code;     /* EXECUTE, PLAIN, FOREIGN; copies of the block share it */
		struct group *group;   /* SECTION, MULTICELL */
		setting_list settings; /* ENV */
		struct args *args;     /* ARGS */
		parameter_list values; /* PARAMETERS */
		struct {
			struct slice reason; /* why the notebook excludes the cell, or empty */
			bool aborted;        /* its cell opened an aborted group */
		} left_out;                  /* COMMENT */
	};
};

/* Code outside of cells, which is read only for what it requires: a module in the notebook's
 * folders, a script of %run, a file that a cell writes, the code of %time. */
struct other_code {
	struct slice file;     /* "pkg/solver.py", or "pkg/solver/__init__.py", or empty */
	struct location where; /* of the import or magic in the notebook that leads to it */
	const struct lexed_cell *lexed;
};

/* A module that the program's code imports, or may import. */
struct import {
	struct slice path;     /* of struct syntax_import; "a" also for "import a.b" */
	struct slice file;     /* the file that imports it, or empty */
	struct location where; /* in the notebook: of the import, or of what leads to other code */
	bool in_cell;          /* a code cell imports it itself */
};

/* A command that a cell starts at run time. */
struct cell_command {
	struct slice text; /* with $x and {x} not yet replaced */
	struct location where;
};

typedef VECTOR(struct block *) block_refs;

struct program {
	struct slice name; /* of the script, without .py; may contain slashes */
	struct location where;
	bool from_section;
	bool all_ranks;      /* all ranks show and save output, not only rank 0 */
	struct slice script; /* name of the script, without .py and folders; differs from NAME if
	                        that is the name of a module */
	block_list blocks;
	block_refs code;  /* what program_code() returned last */
	unsigned effects; /* EFFECT_... and NEED_... */
	VECTOR(struct other_code) others;
	VECTOR(struct import) imports; /* of its cells, in their order, then of others */
	VECTOR(struct slice) futures;  /* names to import from __future__ */
	setting_list environment;
	argument_list arguments;
	struct {
		unsigned cell;                       /* the cell tagged "parameters", or 0 */
		VECTOR(struct parameter_name) names; /* each once */
	} parameters;
	unsigned jumper_cell;                 /* the cell that loads the JUmPER extension, or 0 */
	struct slice figures;                 /* folder for figures; empty: they are not saved */
	struct name_set packages;             /* that cells install: lines of a requirements file */
	VECTOR(struct cell_command) commands; /* in the order of the cells */
};

/* A notebook. BLOCKS contains all blocks as built; pass_select() copies the compiled ones to
 * PROGRAMS. */
struct ir {
	struct slice notebook_name; /* its file name, without folders */
	block_list blocks;
	struct {
		size_t count;
		struct location first;
	} installs; /* commands that install packages, which the programs do not contain */
	VECTOR(struct program) programs;
};

/* A cell that is not valid Python, with its SyntaxError. */
struct broken_cell {
	struct location where; /* cell is 0: the cell is valid */
	struct slice type, message;
};

/* How a notebook is compiled. */
struct ir_options {
	struct build_settings build;
	struct slice program_name; /* of a whole notebook's program */
	struct slice script_name;  /* of the script without .py, if it differs from the program's */
	size_t ranks;              /* number of measured ranks; 0: none, or unknown */
	bool install_packages;     /* %pip and similar magics run at run time */
	struct slice filter;       /* path of the filter file at run time; empty: the notebook's */
	setting_list settings;     /* of the configuration; the notebook's are appended */
	argument_list arguments;   /* of the configuration; the notebook's replace them */
	struct broken_cell *broken; /* by cell number, errors that cells raise; NULL: none */
	bool keeps_broken_bodies;   /* of magics like %%time; false: they are left out */
	parameter_list parameters;  /* what configuration and command line give, each name once */
	parameter_list swept; /* values that parameters get at run time: of the sets of a sweep */
	struct include_reader includes; /* zeroed: no file is included */
};

/* Adds an edit to BLOCK, see struct edit: TEXT replaces PART of the block's text, which may be empty. Edits may be
 * added in any order. */
void block_add_edit(struct arena *arena, struct block *block, struct slice part, struct slice text);

/* Returns the place in the notebook of PART of a code block's text. */
struct location block_location(const struct block *block, struct slice part);

/* Returns the place of a token of the block's code. */
struct location block_token_location(const struct block *block, uint32_t token);

/* Returns the place of the block's whole cell. */
struct location block_cell_location(const struct block *block);

/* Returns the name of the block's cell in messages and traces: "cell 7", "other.ipynb cell 3". */
struct slice block_title(struct arena *arena, const struct block *block);

/* Returns the name of the block's region in the trace: "cells 2-4" for a group, else its title; empty if
 * its frame has no region. */
struct slice block_region(struct arena *arena, const struct block *block);

/* True if it is a code cell that runs: EXECUTE or PLAIN. */
static inline bool block_is_code(const struct block *block)
{
	return block->kind == BLOCK_EXECUTE || block->kind == BLOCK_PLAIN;
}

/* True if it runs, as code or as the text of a helper, so that it has CODE. */
static inline bool block_runs(const struct block *block)
{
	return block_is_code(block) || block->kind == BLOCK_FOREIGN;
}

/* True if its code or other text is passed to a helper as a string. */
static inline bool block_is_called(const struct block *block)
{
	return block_runs(block) && block->code->helper.function.len > 0;
}

/* True for blocks that contain others: SECTION and MULTICELL. */
static inline bool block_is_group(const struct block *block)
{
	return block->kind == BLOCK_SECTION || block->kind == BLOCK_MULTICELL;
}

/* True if the instrumenter is on in the block. */
static inline bool block_is_instrumented(const struct block *block)
{
	return block->kind == BLOCK_EXECUTE ||
	       (block->kind == BLOCK_FOREIGN && block->code->marked);
}

/* Turns the instrumenter on or off in the block. */
static inline void block_set_instrumented(struct block *block, bool on)
{
	if (block->kind == BLOCK_FOREIGN)
		block->code->marked = on;
	else if (block_is_code(block))
		block->kind = on ? BLOCK_EXECUTE : BLOCK_PLAIN;
}

/* Returns the setting of the variable NAME that takes effect in the run script, or NULL. */
const struct setting *program_setting(const struct program *program, struct slice name);

/* Returns the beginning of the call that shows a value of BLOCK, "f(" or "f(7, ". */
struct slice program_echo(struct arena *arena, const struct program *program,
                          const struct block *block);

/* Returns the blocks of LIST and all in them: parents before their children and included blocks. The
 * pointers are valid until a list of blocks grows. */
block_refs blocks_flatten(struct arena *arena, const block_list *list);

/* Returns those of PROGRAM that are code cells that run, EXECUTE and PLAIN, in the same order. The next call writes to the
 * same memory. */
block_refs program_code(struct arena *arena, struct program *program);

/* True if the code of BLOCKS may set NAME, see syntax_bindings(). */
bool blocks_set_name(struct arena *arena, const block_refs *blocks, struct slice name);
