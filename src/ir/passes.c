#include "ir/passes.h"

#include "ir/ir_check.h"
#include "ir/pass.h"

/* Sorts once at the end in release builds, because no pass reads the edits of another one. */
static void sort_all_edits(struct pass_context *context)
{
	for (size_t i = 0; i < context->ir->programs.count; i++)
		program_sort_edits(context->arena, &context->ir->programs.items[i]);
}

void ir_run_passes(struct pass_context *context)
{
	static const struct {
		const char *name;
		void (*run)(struct pass_context *context);
	} passes[] = {
#define PASS(name) {#name, pass_##name},
#include "ir/passes.def"
#undef PASS
	};
	for (size_t i = 0; i < sizeof passes / sizeof *passes; i++) {
		passes[i].run(context);
#ifndef NDEBUG
		sort_all_edits(context);
		ir_check(context->ir, passes[i].name);
#endif
	}
	sort_all_edits(context);
}
