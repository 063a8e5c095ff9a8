/* The passes, listed in passes.def. Each is one rewrite and produces an IR that ir_check()
 * accepts. */
#ifndef NBSCOREP_IR_PASS_H
#define NBSCOREP_IR_PASS_H

#include "ir/ir.h"

struct pass_context {
	struct arena *arena;
	struct diags *diags;
	const struct ir_options *options;
	struct ir *ir;
};

#define PASS(name) void pass_##name(struct pass_context *context);
#include "ir/passes.def"
#undef PASS

#endif
