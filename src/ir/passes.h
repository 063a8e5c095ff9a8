/* The passes, listed in passes.def. Each is one rewrite and produces an IR that the checker in
 * passes.c accepts. */
#pragma once

#include "ir/ir.h"

struct pass_context {
	struct arena *arena;
	struct diags *diags;
	const struct ir_options *options;
	struct ir *ir;
};

#define PASS(name) void pass_##name(struct pass_context *context);
#define PROGRAM_PASS(name) void pass_##name(struct pass_context *context, struct program *program);
#include "ir/passes.def"

/* Runs all passes in order, with the checker after each one in debug builds. */
void ir_run_passes(struct pass_context *context);
