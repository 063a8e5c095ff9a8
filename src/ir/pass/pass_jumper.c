/* Finds the programs that use magics of the JUmPER extension, and the cells that load it. */
#include "ir/pass.h"
#include "lex/lex.h"

static bool loads_jumper(const struct magic *magic)
{
	static const struct slice loaders[] = {SLICE_INIT("load_ext"), SLICE_INIT("reload_ext")};
	struct slice rest = magic->args;
	return magic->kind == MAGIC_LINE &&
	       slice_is_one_of(magic->name, loaders, sizeof loaders / sizeof *loaders) &&
	       slice_eq(slice_next_word(&rest), SLICE("jumper_extension"));
}

static void search_block(struct block *block, void *data)
{
	unsigned *cell = data;
	bool own = block_is_code(block) && block->notebook.len == 0;
	for (size_t i = 0; own && *cell == 0 && i < block->lexed->magics.count; i++) {
		if (loads_jumper(&block->lexed->magics.items[i]))
			*cell = block->cell;
	}
}

void pass_jumper(struct pass_context *context)
{
	for (size_t i = 0; i < context->ir->programs.count; i++) {
		struct program *program = &context->ir->programs.items[i];
		blocks_walk(&program->blocks, search_block, &program->jumper_cell);
	}
}
