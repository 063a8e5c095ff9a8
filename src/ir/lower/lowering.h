/* Magics that become calls of helpers: the rows of lowered.def. */
#ifndef NBSCOREP_IR_LOWER_LOWERING_H
#define NBSCOREP_IR_LOWER_LOWERING_H

#include "base/arena.h"
#include "base/slice.h"
#include "lex/magic_table.h"

/* How the script uses a helper. */
enum lowering_use {
	USE_CALL,         /* called while the instrumenter is off */
	USE_MEASURED,     /* called; runs code of the user, which is measured */
	USE_AROUND,       /* code of the user is in `with helper():` */
	USE_AROUND_NAMED, /* the same, with the magic's text and the globals as arguments */
};

struct lowering {
	struct slice name;
	struct slice function; /* in Python; takes a text, a cell's body, and the scopes */
	struct slice front;    /* prefix of the magic's text, which replaces "%l" if the prefix
	                          contains that */
	struct slice snippet;  /* of the prelude; defines the function */
	enum magic_form form;
	enum lowering_use use;
	bool gives_value;
};

/* Returns the row of NAME in FORM (FORM_LINE, FORM_CELL or FORM_ESCAPE). Aborts if it does not
 * exist. Every magic whose action is ACTION_LOWER has a row for each of its forms. */
const struct lowering *lowering_find(struct slice name, enum magic_form form);

/* Returns the text for the helper: the front, with ARGS after or in it. */
struct slice lowering_text(struct arena *arena, const struct lowering *lowering, struct slice args);

/* Returns all rows and sets *COUNT. */
const struct lowering *lowering_rows(size_t *count);

#endif
