/* What the magics of a notebook mean in batch, where that is not in magics.def. */
#pragma once

#include "base/name_set.h"
#include "lex/lex.h"

struct notebook;

/* True if MAGIC, with its arguments, has no effect in batch. */
bool magic_means_nothing(const struct magic *magic);

/* True if its line contains Python that runs, as that of %time and of profilers. *CODE: without options. */
bool magic_runs_code(const struct magic *magic, struct slice *code);

/* Returns what MAGIC, if it is %config, assigns to the shell's ast_node_interactivity, from the "="
 * on, else empty. */
struct slice magic_interactivity(const struct magic *magic);

/* Warns that MAGIC is unknown and left out. Suggests a similar name if one exists. */
void report_unknown_magic(struct diags *diags, struct location where, const struct magic *magic);

/* Warns that MAGIC, which nbscorep does not lower, is passed to IPython at run time. */
void report_handed_over(struct diags *diags, struct location where, const struct magic *magic);

/* How the first COUNT cells of a notebook use the names of magics. Must be zeroed at first. */
struct bare_magics {
	size_t count;
	struct name_set used; /* names that may be variables */
};

/* Returns CELL, or a copy that runs the magic if CELL is only its name. The copy checks the name at
 * run time if an earlier cell of NOTEBOOK may define it. KNOWN belongs to NOTEBOOK; the earlier cells are added to it. */
const struct cell *build_bare_magic(struct arena *arena, const struct notebook *notebook,
                                    const struct cell *cell, struct bare_magics *known);
