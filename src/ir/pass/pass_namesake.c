/* Names the scripts. Python searches the script's folder first, so a script with the name of a module
 * would take its place: in an import by Python itself, the bindings, a package that the notebook
 * imports, or in `python3 -m MODULE` of a cell, which would start the script again and again
 * (FINDINGS 2.16). So a script gets another name then. */
#include "base/paths.h"
#include "ir/pass.h"
#include "lex/syntax.h"
#include "lex/syntax_names.h"

struct namesake {
	struct arena *arena;
	struct slice script; /* its name without folder and .py */
	bool found;
};

/* True for modules of Python, and of packages that other packages import. */
static bool is_known_module(struct slice name)
{
	static const struct slice names[] = {
	        SLICE_INIT("sitecustomize"),
	        SLICE_INIT("usercustomize"),
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
		program->script = path_file(program->name);
		if (namesake.script.len == 0)
			continue;
		namesake.found = is_known_module(namesake.script);
		blocks_walk(&program->blocks, visit, &namesake);
		for (size_t k = 0; k < program->others.count; k++)
			find_import(&namesake, program->others.items[k].lexed);
		if (namesake.found && chosen.len > 0)
			diag_add(context->diags, DIAG_NAME, (struct location){0},
			         "'%.*s.py' would hide the module '%.*s'; use another name",
			         SLICE_ARG(chosen), SLICE_ARG(namesake.script));
		else if (namesake.found)
			program->script = arena_printf(context->arena, "%.*s_script",
			                               SLICE_ARG(program->script));
	}
}
