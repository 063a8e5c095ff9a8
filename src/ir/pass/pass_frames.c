/* Sets frames and region names. */
#include "ir/passes.h"

/* JUmPER counts cells without a statement, too, from the one that loads it. */
static void frame_code(const struct program *program, struct block *block, bool regions)
{
	struct code *code = block->code;
	bool is_included = block->origin != NULL;
	code->has_statement = code->lexed->code_lines > 0;
	if (slice_trim(block->source).len == 0 || (is_included && block->origin->is_text))
		return; /* nothing to frame */
	bool counts = (program->effects & EFFECT_JUMPER) != 0 ||
	              (!is_included && block->cell == program->jumper_cell);
	/* Something of the cell is left to run: code, or a magic that is not a comment now. */
	bool runs = code->contexts.count > 0 || code->includes.count > 0 ||
	            code->lexed->code_lines > code->dropped;
	if (!counts && !runs) {
		code->has_statement = false;
		/* Magics that became comments do not need the `pass` that took their place. */
		for (size_t i = 0; i < code->edits.count; i++)
			(void)slice_cut_prefix(&code->edits.items[i].text, SLICE("pass  "));
		return;
	}
	block->frame = block->kind == BLOCK_PLAIN ? FRAME_DISABLE
	               : regions                  ? FRAME_REGION
	               : !is_included             ? FRAME_CELL
	                                          : FRAME_NONE;
	block->has_region = regions;
}

static void frame_blocks(struct pass_context *context, const struct program *program,
                         block_list *blocks)
{
	vec_each(struct block, block, blocks) {
		bool regions = !context->options->build.no_cell_regions && !block->crossed;
		if (block->kind == BLOCK_MULTICELL) {
			block_list *inside = &block->group->blocks;
			bool is_instrumented = false;
			for (size_t k = 0; k < inside->count; k++)
				is_instrumented |=
				        context->options->build.instrument == INSTRUMENT_ALL ||
				        block_is_instrumented(&inside->items[k]);
			block->has_region = regions && is_instrumented;
			block->frame = block->has_region ? FRAME_REGION : FRAME_NONE;
			frame_blocks(context, program, inside);
		} else if (block_is_called(block)) {
			block->code->has_statement = true;
			block->has_region =
			        regions && !(block->origin != NULL && block->origin->is_text);
			block->frame = !block_is_instrumented(block) ? FRAME_DISABLE
			               : block->has_region           ? FRAME_REGION
			                                             : FRAME_CELL;
		} else if (block_is_code(block)) {
			frame_code(program, block, regions);
			for (size_t k = 0; k < block->code->includes.count; k++)
				frame_blocks(context, program,
				             &block->code->includes.items[k].blocks);
		}
	}
}

void pass_frames(struct pass_context *context, struct program *program)
{
	frame_blocks(context, program, &program->blocks);
}
