/* The builder's state, and the functions that add the cell to the open list. */
#pragma once

#include "ir/build/builder.h"
#include "ir/build/magic_meaning.h"
#include "lex/lex.h"
#include "notebook/notebook.h"

/* The kernel's modes. Write mode has its own multicell flag. */
enum mode {
	MODE_DEFAULT,
	MODE_MULTICELL,
	MODE_WRITE,
	MODE_WRITE_MULTICELL,
	MODE_INCLUDED, /* IPython's %run does not have the kernel's magics */
	MODE_COUNT
};

struct builder {
	struct arena *arena;
	struct diags *diags;
	const struct ir_options *options;
	const struct notebook *notebook;
	enum mode mode;
	bool opens_vampir;    /* for cells that are instrumented */
	struct slice file;    /* of places; empty: the notebook itself */
	block_list *lists[3]; /* the list of the notebook, of the open section, of the open group */
	struct group *open[3]; /* the group of each list; NULL for the notebook */
	unsigned depth;        /* index of the list that takes the next block */
	const struct cell *cell;
	const struct lexed_cell *lexed;
	const struct magic
	        *head; /* the magic that sets the step: cell, or JUmPER's line magic; or NULL */
	unsigned executions; /* code cells so far */
	struct bare_magics bare_magics;
};

/* Returns the place of the cell's magic HEAD, or of its first line if HEAD is NULL. */
struct location builder_head_location(const struct builder *b);

/* Adds a block of KIND for the cell. The pointer is valid until the list grows. */
struct block *builder_add_block(struct builder *b, enum block_kind kind);

/* Adds the cell as code (instrumented in multicell mode, else plain), as a string for a helper, or,
 * with a warning, as a comment. */
void builder_add_code(struct builder *b);

/* Fills an ENV block from the rest of the head line and the lines below %%scorep_env. */
void build_env(const struct builder *b, struct block *block);

/* Fills an ARGS block from the rest of the head line and the lines below
 * %%scorep_python_binding_arguments. */
void build_args(const struct builder *b, struct block *block);

/* Returns the setting NAME=WRITTEN, without places, and without the quotes around WRITTEN: the kernel's
 * run script passed them to bash, which removed them. */
struct setting setting_of(struct slice name, struct slice written);
