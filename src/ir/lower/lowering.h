/* Magics that become a call of a helper: the rows of lowered.def. */
#ifndef NBSCOREP_IR_LOWER_LOWERING_H
#define NBSCOREP_IR_LOWER_LOWERING_H

#include "base/arena.h"
#include "base/slice.h"
#include "lex/magic_table.h"

/* How a helper stands in the script. */
enum lowering_use {
	USE_CALL,         /* it is called while the instrumenter is off */
	USE_MEASURED,     /* it is called and runs code of the user, which is measured */
	USE_AROUND,       /* code of the user stands in `with helper():` */
	USE_AROUND_NAMED, /* the same, with the magic's text and the globals as arguments */
};

struct lowering {
	struct slice name;
	struct slice function; /* of Python; it takes a text, a cell's body, and the scopes */
	struct slice front;    /* what the text begins with, before the magic's own, which takes the
	                          place of "%l" where that stands in it */
	struct slice snippet;  /* of the prelude, which defines the function */
	enum magic_form form;
	enum lowering_use use;
	bool gives_value;
};

/* The row for NAME in FORM (FORM_LINE, FORM_CELL or FORM_ESCAPE). Every magic whose action is
 * ACTION_LOWER has one for each of its forms. */
const struct lowering *lowering_find(struct slice name, enum magic_form form);

/* The text for the helper: the front, and ARGS behind or in it. */
struct slice lowering_text(struct arena *arena, const struct lowering *lowering, struct slice args);

/* All rows; *COUNT is set. */
const struct lowering *lowering_rows(size_t *count);

#endif
