/* Internal to pass_magics(): lowers one line magic, escape or cell magic. Only the files lower_*.c
 * and pass_magics.c include this. */
#ifndef NBSCOREP_IR_LOWER_LOWER_H
#define NBSCOREP_IR_LOWER_LOWER_H

#include "base/strbuf.h"
#include "ir/lower/lowering.h"
#include "ir/passes.h"
#include "lex/lex.h"

/* A line magic or escape in its cell. */
struct site {
	struct pass_context *context;
	struct program *program;
	struct block *block;
	const struct magic *magic;
};

/* A magic as the call of a helper. */
struct call {
	struct slice function;
	struct slice place, name; /* arguments before the text, if not empty */
	struct slice text;
	unsigned effect; /* EFFECT_... */
	bool gives_value;
};

#endif
