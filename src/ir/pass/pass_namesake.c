/* Finds scripts with the name of a module. Python searches the script's folder first, so an import
 * of the module would get the script: by Python itself, the bindings, a package that the notebook
 * imports, or a process that a cell starts. When such a script is imported, it loads the module
 * instead (templates/namesake.py). This pass decides which scripts do that. */
#include "base/paths.h"
#include "ir/pass.h"
#include "lex/syntax.h"

struct namesake {
	struct arena *arena;
	struct slice script; /* its name without folder and .py */
	bool found;
};

/* True for modules of Python, and of packages that other packages import. */
static bool is_known_module(struct slice name)
{
	static const struct slice names[] = {
#define MODULE(name) SLICE_INIT(name),
#include "ir/analysis/common_modules.def"
#include "ir/analysis/stdlib_modules.def"
#undef MODULE
	};
	return slice_is_one_of(name, names, sizeof names / sizeof *names);
}

static void find_import(struct namesake *namesake, const struct lexed_cell *cell)
{
	syntax_slices modules = {0};
	if (namesake->found || !name_filter_may_have(&cell->names, namesake->script))
		return;
	syntax_imported_modules(namesake->arena, cell, &modules);
	for (size_t i = 0; i < modules.count; i++)
		namesake->found |= slice_eq(modules.items[i], namesake->script);
}

static void visit(struct block *block, void *data)
{
	if (block_is_code(block))
		find_import(data, block->lexed);
}

void pass_namesake(struct pass_context *context)
{
	for (size_t i = 0; i < context->ir->programs.count; i++) {
		struct program *program = &context->ir->programs.items[i];
		struct slice chosen = context->options->script_name;
		struct namesake namesake = {
		        .arena = context->arena,
		        .script = path_file(chosen.len > 0 ? chosen : program->name),
		};
		if (namesake.script.len == 0)
			continue;
		namesake.found = is_known_module(namesake.script);
		blocks_walk(&program->blocks, visit, &namesake);
		for (size_t k = 0; k < program->others.count; k++)
			find_import(&namesake, program->others.items[k].lexed);
		if (namesake.found)
			program->namesake = namesake.script;
	}
}
