/* Names the scripts. Python searches the script's folder first, so a script with the name of a module
 * would take its place: in an import by Python itself, the bindings, a package that the notebook
 * imports, or in `python3 -m MODULE` of a cell, which would start the script again and again
 * (FINDINGS 2.16). So a script gets another name then. */
#include "base/paths.h"
#include "ir/passes.h"
#include "lex/syntax.h"
#include "lex/syntax_names.h"

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

static bool imports_module(struct arena *arena, const struct lexed_cell *cell, struct slice name)
{
	syntax_slices modules = {0};
	if (name_filter_may_have(&cell->names, name))
		syntax_imported_modules(arena, cell, &modules);
	return slice_is_one_of(name, modules.items, modules.count);
}

/* True if the program imports the module NAME, or Python or another package may. */
static bool is_module(struct arena *arena, struct program *program, struct slice name)
{
	block_refs blocks = program_blocks(arena, program);
	bool found = is_known_module(name);
	for (size_t i = 0; i < blocks.count && !found; i++)
		found = block_is_code(blocks.items[i]) &&
		        imports_module(arena, blocks.items[i]->lexed, name);
	for (size_t i = 0; i < program->others.count && !found; i++)
		found = imports_module(arena, program->others.items[i].lexed, name);
	return found;
}

void pass_namesake(struct pass_context *context, struct program *program)
{
	struct slice chosen = context->options->script_name;
	struct slice script = path_file(chosen.len > 0 ? chosen : program->name);
	program->script = path_file(program->name);
	if (script.len == 0 || !is_module(context->arena, program, script))
		return;
	if (chosen.len > 0)
		diag_add(context->diags, DIAG_NAME, (struct location){0},
		         "'%.*s.py' would hide the module '%.*s'; use another name",
		         SLICE_ARG(chosen), SLICE_ARG(script));
	else
		program->script =
		        arena_printf(context->arena, "%.*s_script", SLICE_ARG(program->script));
}
