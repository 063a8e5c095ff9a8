/* Lowers magics to calls of helpers, and cell magics to contexts, too. */
#ifndef NBSCOREP_IR_LOWER_LOWER_CALL_H
#define NBSCOREP_IR_LOWER_LOWER_CALL_H

#include "ir/lower/lower_site.h"

/* A magic as the call of a helper. */
struct call {
	struct slice function;
	struct slice place, name; /* arguments before the text, if not empty */
	struct slice text;
	unsigned effect; /* EFFECT_... */
	bool gives_value;
};

/* True if the magic includes a file as FORM, which pass_include() has rejected with a warning. Must
 * be called only for magics that are lowered, not for those whose file was included. */
bool site_was_refused(const struct site *site, enum include_form form);

/* Returns a place for messages of the script: "heat.ipynb, cell 7, line 3". LINE 0: without
 * line. */
struct slice lower_place(const struct pass_context *context, const struct block *block,
                         unsigned line);

/* Sets *OUT to the call for MAGIC, which is SITE's magic or a part of it. Returns false if it has
 * no call. May add diagnostics. */
bool lower_to_call(const struct site *site, const struct magic *magic, struct call *out);

/* Appends the expression `f("text")` to OUT. LINE_ENDS: with the line ends of
 * SITE's magic inside its parentheses. */
void call_add(const struct site *site, const struct call *call, bool line_ends, struct strbuf *out);

/* Replaces the magic by CALL, which shows its value if the magic does. */
void call_replace(const struct site *site, const struct call *call);

/* True if the cell magic leaves its cell to Python, or to the magics below it. */
bool lower_runs_around(const struct magic *magic);

/* Lowers the cell magics of BLOCK. */
void lower_cell_magics(struct pass_context *context, struct program *program, struct block *block);

#endif
