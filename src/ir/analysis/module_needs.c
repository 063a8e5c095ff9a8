#include "ir/analysis/module_needs.h"

#include "ir/pass.h"
#include "lex/syntax.h"

/* True for modules that look up the notebook's names in __main__ or pickle them, and for sys, which
 * has sys.modules. */
static bool looks_into_main(struct slice module)
{
	static const struct slice modules[] = {
	        SLICE_INIT("__main__"),
	        SLICE_INIT("pickle"),
	        SLICE_INIT("copyreg"),
	        SLICE_INIT("shelve"),
	        SLICE_INIT("dill"),
	        SLICE_INIT("cloudpickle"),
	        SLICE_INIT("multiprocessing"),
	        SLICE_INIT("concurrent"),
	        SLICE_INIT("joblib"),
	        SLICE_INIT("dataclasses"),
	        SLICE_INIT("typing"),
	        SLICE_INIT("inspect"),
	        SLICE_INIT("mpi4py"),
	        SLICE_INIT("dask"),
	        SLICE_INIT("distributed"),
	        SLICE_INIT("ray"),
	        SLICE_INIT("torch"),
	        SLICE_INIT("sklearn"),
	        SLICE_INIT("pydantic"),
	        SLICE_INIT("attr"),
	        SLICE_INIT("attrs"),
	        SLICE_INIT("timeit"),
	        SLICE_INIT("doctest"),
	        SLICE_INIT("unittest"),
	        SLICE_INIT("pytest"),
	        SLICE_INIT("importlib"),
	        SLICE_INIT("runpy"),
	        SLICE_INIT("sys"),
	        SLICE_INIT("pdb"),
	        SLICE_INIT("cProfile"),
	        SLICE_INIT("profile"),
	        SLICE_INIT("trace"),
	        SLICE_INIT("numpy"),
	        SLICE_INIT("pandas"),
	        SLICE_INIT("scipy"),
	        SLICE_INIT("numba"),
	        SLICE_INIT("jax"),
	        SLICE_INIT("tensorflow"),
	        SLICE_INIT("keras"),
	        SLICE_INIT("xgboost"),
	        SLICE_INIT("lightgbm"),
	};
	return slice_is_one_of(module, modules, sizeof modules / sizeof *modules);
}

/* True if MODULE may start processes that would run the script again. */
static bool may_spawn(const struct lexed_cell *cell, struct slice module)
{
	static const struct slice modules[] = {SLICE_INIT("multiprocessing"),
	                                       SLICE_INIT("concurrent"), SLICE_INIT("torch")};
	return slice_is_one_of(module, modules, sizeof modules / sizeof *modules) ||
	       (slice_eq(module, SLICE("mpi4py")) &&
	        name_filter_may_have(&cell->names, SLICE("futures")));
}

void need_for_modules(struct arena *arena, struct program *program, const struct lexed_cell *cell)
{
	syntax_slices modules = {0};
	syntax_imported_modules(arena, cell, &modules);
	for (size_t i = 0; i < modules.count; i++) {
		if (slice_eq(modules.items[i], SLICE("IPython")))
			program_add_snippet(arena, program, SLICE("ipython_display"));
		if (slice_eq(modules.items[i], SLICE("pandas")))
			program_add_snippet(arena, program, SLICE("pandas"));
		if (looks_into_main(modules.items[i]))
			program_add_snippet(arena, program, SLICE("main"));
		program->may_spawn |= may_spawn(cell, modules.items[i]);
		if (slice_eq(modules.items[i], SLICE("mpi4py")))
			program->uses_mpi = true;
	}
}
