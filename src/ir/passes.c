#include "ir/pass.h"

/* No pass reads the edits of another one. */
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
	        /* clang-format off */
	        {"select", pass_select},
	        {"parameters", pass_parameters},
	        {"include", pass_include},
	        {"instrument", pass_instrument},
	        {"others", pass_others},
	        {"jupyter", pass_jupyter},
	        {"magics", pass_magics},
	        {"jumper", pass_jumper},
	        {"figures", pass_figures},
	        {"settings", pass_settings},
	        {"future", pass_future},
	        {"global", pass_global},
	        {"await", pass_await},
	        {"echo", pass_echo},
	        {"namesake", pass_namesake},
	        {"frames", pass_frames},
	        {"lints", pass_lints},
	        {"names", pass_names},
	        /* clang-format on */
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
