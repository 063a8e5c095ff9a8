/* The builder's inside: the kernel's modes as a state machine, and the contents of env and args
 * cells. Only files of src/ir include this. */
#ifndef NBSCOREP_IR_BUILDER_H
#define NBSCOREP_IR_BUILDER_H

#include "base/name_set.h"
#include "ir/ir.h"
#include "lex/lex.h"

/* The blocks of an included file, appended to OUT; no magic of Score-P's kernel has a meaning in
 * it. OWN_MAGICS: of the notebooks so far. */
void build_included(struct arena *arena, const struct included_file *file,
                    const struct ir_options *options, struct name_set *own_magics,
                    struct diags *diags, block_list *out);

/* Fills an ENV block from the rest of the head line and the lines below %%scorep_env. */
void build_env(struct arena *arena, struct diags *diags, struct block *block,
               const struct magic *head);

/* Fills an ARGS block from the rest of the head line and the lines below
 * %%scorep_python_binding_arguments. */
void build_args(struct arena *arena, struct diags *diags, struct block *block,
                const struct magic *head);

/* The program name that `%%start_writefile [name]` gives: default "jupyter_to_script", without ".py".
 * An empty slice after an error. */
struct slice build_section_name(struct arena *arena, struct diags *diags, const struct magic *magic,
                                struct location where, const struct ir_options *options);

enum { BARE_MAGIC_COUNT = 12 };

/* What the first COUNT cells of a notebook tell of names that are magics; zeroed: nothing yet. */
struct bare_magics {
	size_t count;
	bool stands[BARE_MAGIC_COUNT];   /* the name may be something else's */
	bool assigned[BARE_MAGIC_COUNT]; /* it is */
	bool any_unseen;                 /* any may: something brings names that are not seen */
};

/* CELL, or a copy that runs the magic where it is nothing but the name of one, and no cell of NOTEBOOK
 * before it gives that name to something else; the copy asks for that where it cannot be told. KNOWN is of
 * that notebook, and learns of these cells. */
const struct cell *build_bare_magic(struct arena *arena, const struct notebook *notebook,
                                    const struct cell *cell, struct bare_magics *known);

/* CELL as one that only raises BROKEN: its lines are comments, the statement stands in the first one.
 * What stands above its code stays. */
const struct cell *build_broken_cell(struct arena *arena, const struct cell *cell,
                                     const struct broken_cell *broken, struct slice notebook_name);

/* Warns that the magic NAME is not known and left out, with the name that was meant if one is near. */
void report_unknown_magic(struct diags *diags, struct location where, enum magic_kind kind,
                          struct slice name);

/* The names under which CELL registers magics of its own are added to NAMES, also some that are none.
 * ALIASES: %alias_magic is not left out. */
void own_magics_find(const struct lexed_cell *cell, bool aliases, struct name_set *names);

/* Warns that MAGIC, which nbscorep itself does not lower, is handed to IPython at run time. */
void report_handed_over(struct diags *diags, struct location where, const struct magic *magic);

/* Does MAGIC, with its arguments, mean nothing in batch? */
bool magic_means_nothing(const struct magic *magic);

/* Does its line hold Python that runs: %time, %timeit, %prun? *CODE: without options. */
bool magic_runs_code(const struct magic *magic, struct slice *code);

/* What MAGIC, a %config, assigns to ast_node_interactivity of the shell, from the "=" on; else empty. */
struct slice magic_interactivity(const struct magic *magic);

#endif
