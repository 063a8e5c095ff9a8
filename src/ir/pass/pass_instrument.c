/* --instrument: selects the instrumented code cells. */
#include "ir/passes.h"

static void find_mark(struct block *block, void *data)
{
	if (block->kind == BLOCK_EXECUTE || block->kind == BLOCK_MULTICELL)
		*(bool *)data = true;
}

static void mark(struct block *block, void *data)
{
	(void)data;
	block->marked = true;
	if (block->kind == BLOCK_PLAIN)
		block->kind = BLOCK_EXECUTE;
}

static void unmark(struct block *block, void *data)
{
	(void)data;
	block->marked = false;
	if (block->kind == BLOCK_EXECUTE)
		block->kind = BLOCK_PLAIN;
}

static void find_vampir(struct block *block, void *data)
{
	if (block_is_instrumented(block) && block->opens_vampir)
		*(bool *)data = true;
}

void pass_instrument(struct pass_context *context)
{
	struct ir *ir = context->ir;
	enum instrument mode = context->options->instrument;
	bool marked = false;
	for (size_t i = 0; i < ir->programs.count; i++)
		blocks_walk(&ir->programs.items[i].blocks, find_mark, &marked);
	/* A notebook without marked cells is measured as a whole. */
	if (mode == INSTRUMENT_DEFAULT)
		mode = marked ? INSTRUMENT_MARKED : INSTRUMENT_ALL;
	for (size_t i = 0; i < ir->programs.count; i++) {
		block_list *blocks = &ir->programs.items[i].blocks;
		if (mode == INSTRUMENT_ALL)
			blocks_walk(blocks, mark, NULL);
		else if (mode == INSTRUMENT_NONE)
			blocks_walk(blocks, unmark, NULL);
		blocks_walk(blocks, find_vampir, &ir->programs.items[i].opens_vampir);
	}
}
