/* Modules beside the notebook that its cells import, and those that these import: what they do, such
 * as to start threads, the script must be ready for. */
#include "base/name_set.h"
#include "base/paths.h"
#include "ir/pass.h"
#include "lex/lex.h"
#include "lex/syntax.h"
#include "notebook/notebook.h"

enum {
	MODULES_MAX = 256, /* of a program */
	BYTES_MAX =
	        8 << 20, /* of the modules of all programs: their tokens take 30 times as much */
};

struct finder {
	struct pass_context *context;
	struct program *program;
	struct name_set known; /* paths that were looked for */
	size_t *bytes;         /* that modules may still have */
};

/* A relative PATH of an import in MODULE, from the notebook's folder; empty: it is not there. */
static struct slice resolve(struct arena *arena, const struct module *module, struct slice path)
{
	static const struct slice here = SLICE_INIT("./"), above = SLICE_INIT("../");
	if (!slice_starts_with(path, SLICE(".")))
		return path;
	if (module == NULL)
		return slice_make("", 0);
	struct slice folder = path_folder(module->file);
	if (slice_starts_with(path, here))
		path = slice_sub(path, here.len, path.len);
	for (; slice_starts_with(path, above); path = slice_sub(path, above.len, path.len))
		folder = path_folder(folder);
	return slice_eq(folder, SLICE(".")) ? path : path_join(arena, folder, path);
}

static void find(struct finder *finder, struct slice path, struct location where)
{
	const struct include_reader *reader = &finder->context->options->includes;
	struct program *program = finder->program;
	struct arena *arena = finder->context->arena;
	size_t count = finder->known.names.count;
	if (reader->read == NULL || path.len == 0 || *finder->bytes == 0 ||
	    program->modules.count == MODULES_MAX || name_set_add(&finder->known, path) < count)
		return;
	const struct included_file *file = reader->read(reader->data, path, INCLUDE_MODULE);
	if (file->notebook == NULL)
		return;
	const struct cell *cell = &file->notebook->cells.items[0];
	*finder->bytes -= cell->source.len < *finder->bytes ? cell->source.len : *finder->bytes;
	bool is_package = slice_ends_with(file->path, SLICE("/__init__.py"));
	size_t ending = is_package ? strlen("/__init__.py") : strlen(".py");
	struct diags unheard;
	struct lexed_cell *lexed = ARENA_NEW(arena, struct lexed_cell);
	diags_init(&unheard, arena);
	lex_cell(arena, cell, &unheard, lexed);
	vec_push(arena, &program->modules,
	         ((struct module){
	                 .file = slice_sub(file->path, file->path.len - path.len - ending,
	                                   file->path.len),
	                 .where = where,
	                 .lexed = lexed,
	         }));
}

static void find_imports_of_block(struct block *block, void *data)
{
	struct finder *finder = data;
	struct arena *arena = finder->context->arena;
	syntax_import_list imports = {0};
	if (!block_is_code(block))
		return;
	syntax_imports(arena, block->lexed, &imports);
	for (size_t i = 0; i < imports.count; i++) {
		const struct token *token = &block->lexed->tokens.items[imports.items[i].token];
		find(finder, resolve(arena, NULL, imports.items[i].path),
		     block_location(block, token->offset, token->len));
	}
}

static void find_imports_of_module(struct finder *finder, size_t index)
{
	struct arena *arena = finder->context->arena;
	const struct module module = finder->program->modules.items[index];
	syntax_import_list imports = {0};
	syntax_imports(arena, module.lexed, &imports);
	for (size_t i = 0; i < imports.count; i++)
		find(finder, resolve(arena, &module, imports.items[i].path), module.where);
}

void pass_modules(struct pass_context *context)
{
	size_t bytes = BYTES_MAX;
	for (size_t i = 0; i < context->ir->programs.count; i++) {
		struct finder finder = {.context = context,
		                        .program = &context->ir->programs.items[i],
		                        .bytes = &bytes};
		name_set_init(&finder.known, context->arena);
		blocks_walk(&finder.program->blocks, find_imports_of_block, &finder);
		for (size_t k = 0; k < finder.program->modules.count; k++)
			find_imports_of_module(&finder, k);
	}
}
