/* --instrument: selects the instrumented code cells. */
#include "ir/passes.h"

void pass_instrument(struct pass_context *context)
{
	enum instrument mode = context->options->build.instrument;
	bool marked = false;
	for (size_t i = 0; mode == INSTRUMENT_DEFAULT && i < context->ir->programs.count; i++) {
		block_refs blocks =
		        blocks_flatten(context->arena, &context->ir->programs.items[i].blocks);
		for (size_t k = 0; k < blocks.count; k++)
			marked |= block_is_instrumented(blocks.items[k]) ||
			          blocks.items[k]->kind == BLOCK_MULTICELL;
	}
	/* A notebook without marked cells is measured as a whole. */
	if (mode == INSTRUMENT_DEFAULT)
		mode = marked ? INSTRUMENT_MARKED : INSTRUMENT_ALL;
	vec_each(struct program, program, &context->ir->programs) {
		block_refs blocks = blocks_flatten(context->arena, &program->blocks);
		for (size_t k = 0; k < blocks.count; k++) {
			struct block *block = blocks.items[k];
			if (mode != INSTRUMENT_MARKED)
				block_set_instrumented(block, mode == INSTRUMENT_ALL);
			if (block_is_instrumented(block) && block->code->opens_vampir)
				program->effects |= EFFECT_VAMPIR;
		}
	}
}
