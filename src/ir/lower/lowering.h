/* Magics that become calls of helpers: the rows of lowered.def. */
#ifndef NBSCOREP_IR_LOWER_LOWERING_H
#define NBSCOREP_IR_LOWER_LOWERING_H

#include "base/arena.h"
#include "base/slice.h"
#include "lex/magic_table.h"

/* How the script uses a helper. */
enum lowering_use {
	USE_CALL,         /* called; turns the instrumenter off */
	USE_MEASURED,     /* called; runs code of the user, which is measured */
	USE_AROUND,       /* code of the user is in `with helper():` */
	USE_AROUND_NAMED, /* the same, with the magic's text as its argument */
};

struct lowering {
	struct slice name;
	struct slice function; /* in Python; takes a text and a cell's body */
	struct slice front;    /* prefix of the magic's text, which replaces "%l" if the prefix
	                          contains that */
	unsigned effect;       /* EFFECT_... of ir.h */
	enum magic_form form;
	enum lowering_use use;
	bool gives_value;
};

/* Returns the row of NAME in FORM (FORM_LINE, FORM_CELL or FORM_ESCAPE). Aborts if it does not
 * exist. Every magic whose action is ACTION_LOWER has a row for each of its forms. */
const struct lowering *lowering_find(struct slice name, enum magic_form form);

/* Returns the text for the helper: the front, with ARGS after or in it. */
struct slice lowering_text(struct arena *arena, const struct lowering *lowering, struct slice args);

#endif
