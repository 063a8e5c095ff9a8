/* Magics that become a call of a helper: the rows of lowered.def. */
#ifndef NBSCOREP_IR_LOWERING_H
#define NBSCOREP_IR_LOWERING_H

#include "base/slice.h"
#include "lex/magic_table.h"

struct lowering {
	struct slice name;
	struct slice function; /* of Python; it takes a text, a cell's body, and the scopes */
	struct slice front;    /* what the text begins with, before the magic's own */
	struct slice snippet;  /* of the prelude, which defines the function */
	enum magic_form form;
	bool gives_value;
};

/* The row for NAME in FORM (FORM_LINE, FORM_CELL or FORM_ESCAPE). Every magic whose action is
 * ACTION_LOWER has one for each of its forms. */
const struct lowering *lowering_find(struct slice name, enum magic_form form);

#endif
