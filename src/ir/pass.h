/* The passes, in their order. Each does one rewrite, lives in the file of its name, and leaves an
 * IR that ir_check() accepts. */
#ifndef NBSCOREP_IR_PASS_H
#define NBSCOREP_IR_PASS_H

#include "ir/ir.h"

struct pass_context {
	struct arena *arena;
	struct diags *diags;
	const struct ir_options *options;
	struct ir *ir;
};

/* Sections become programs, or the whole notebook one; aborted parts are left out. */
void pass_select(struct pass_context *context);

/* The cells tagged "parameters", and the values that are given for what they set. */
void pass_parameters(struct pass_context *context);

/* What %run of a notebook and %load name is taken in. */
void pass_include(struct pass_context *context);

/* --instrument: which code cells are instrumented. */
void pass_instrument(struct pass_context *context);

/* Line magics and shell escapes become Python, or comments. */
void pass_magics(struct pass_context *context);

/* Finds code that runs besides the cells' own: modules beside the notebook, scripts of %run. */
void pass_others(struct pass_context *context);

/* Names that Jupyter provides, what modules expect of it, and what it alone can do. */
void pass_jupyter(struct pass_context *context);

/* Which programs use magics of the JUmPER extension, and where they load it. */
void pass_jumper(struct pass_context *context);

/* Whether the script saves figures, and where. */
void pass_figures(struct pass_context *context);

/* Environment and binding arguments of each program, checked against what Score-P accepts. */
void pass_settings(struct pass_context *context);

/* `from __future__` imports move to the top. */
void pass_future(struct pass_context *context);

/* `global` outside of functions and classes goes. */
void pass_global(struct pass_context *context);

/* Takes a statement out of BLOCK, from its first to its last token; the number of lines stays.
 * ALONE: it has its lines for itself, so that a comment shows it. */
void block_remove_statement(struct arena *arena, struct block *block, uint32_t first_token,
                            uint32_t last_token, bool alone);

/* Cells with top-level await become async functions. */
void pass_await(struct pass_context *context);

/* Would pass_await() make a function of the cell, for what stands in the cell itself? */
bool await_may_wrap(struct arena *arena, const struct block *block);

/* A cell's last expression is displayed. */
void pass_echo(struct pass_context *context);

/* Frames and region names. */
void pass_namesake(struct pass_context *context);
void pass_frames(struct pass_context *context);

/* Warnings only: a script that would hide a module which the notebook imports, Score-P variables
 * that code sets too late. */
void pass_lints(struct pass_context *context);

/* Warnings only: names that are used before they are set. */
void pass_names(struct pass_context *context);

/* Runs all of them in order, with ir_check() after each in debug builds. */
void ir_run_passes(struct pass_context *context);

/* Checks the invariants that ir.h states; AFTER names the pass in the message. Prints block and
 * position to standard error and aborts on the first violation; it never repairs. */
void ir_check(const struct ir *ir, const char *after);

#endif
