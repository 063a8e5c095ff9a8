#include "ir/analysis/module_needs.h"

#include "ir/pass.h"
#include "lex/syntax.h"

void need_for_modules(struct arena *arena, struct program *program, const struct lexed_cell *cell)
{
	syntax_slices modules = {0};
	syntax_imported_modules(arena, cell, &modules);
	for (size_t i = 0; i < modules.count; i++) {
		if (slice_eq(modules.items[i], SLICE("IPython")))
			program->effects |= NEED_IPYTHON_DISPLAY;
		if (slice_eq(modules.items[i], SLICE("mpi4py")))
			program->uses_mpi = true;
	}
}
