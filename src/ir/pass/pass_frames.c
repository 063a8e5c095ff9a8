/* Sets frames and region names. */
#include "ir/passes.h"
#include "lex/lex.h"
#include "lex/syntax.h"

/* Returns the depth of the block's own code. */
static struct code_depth own_depth(struct pass_context *context, const struct block *block)
{
	struct code_depth depth = code_depth_of(context->arena, block->code->lexed);
	/* An async cell is a function, in which Python counts blocks from 0. */
	depth.blocks = block->code->is_async ? 0 : depth.blocks;
	return depth;
}

/* Sets the depth of the block's code with the files that it includes. */
static void measure_depth(struct pass_context *context, struct block *block)
{
	struct code_depth deepest = {0};
	if (!block_is_code(block))
		return;
	for (size_t i = 0; i < block->code->includes.count; i++) {
		struct include *include = &block->code->includes.items[i];
		struct code_depth inside = {0};
		for (size_t k = 0; k < include->blocks.count; k++) {
			struct block *one = &include->blocks.items[k];
			measure_depth(context, one);
			if (block_runs(one))
				inside = code_depth_max(
				        inside, code_depth_deeper(one->code->depth,
				                                  one->code->contexts.count));
		}
		deepest = code_depth_max(deepest, code_depth_deeper(inside, include->entered));
	}
	block->code->depth = code_depth_sum(own_depth(context, block), deepest);
}

/* True if COUNT `with` frames fit around the cell, which is at depth OUTER. */
static bool frames_fit(const struct block *block, struct code_depth outer, size_t count)
{
	return code_depth_fits(code_depth_deeper(code_depth_sum(block->code->depth, outer), count));
}

static void frame_block(struct pass_context *context, const struct program *program,
                        struct block *block, struct code_depth outer);

static void frame_included(struct pass_context *context, const struct program *program,
                           struct block *block, struct code_depth outer)
{
	const struct code *code = block->code;
	if (code->includes.count == 0)
		return;
	size_t frames = code->contexts.count + (block->frame == FRAME_NONE ? 0 : 1);
	outer = code_depth_deeper(code_depth_sum(outer, own_depth(context, block)), frames);
	for (size_t i = 0; i < code->includes.count; i++) {
		struct include *include = &code->includes.items[i];
		for (size_t k = 0; k < include->blocks.count; k++)
			frame_block(context, program, &include->blocks.items[k],
			            code_depth_deeper(outer, include->entered));
	}
}

/* JUmPER counts cells without a statement, too, from the one that loads it. */
static void frame_code(struct pass_context *context, const struct program *program,
                       struct block *block, bool regions, struct code_depth outer)
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
	if (block->frame != FRAME_NONE && !frames_fit(block, outer, 1 + code->contexts.count)) {
		diag_add(context->diags, DIAG_NESTING, block_cell_location(block),
		         "the cell is nested too deeply for a frame around it; %s",
		         block->kind == BLOCK_PLAIN ? "it is measured" : "it has no region");
		block->frame = FRAME_NONE;
		block->has_region = false;
	}
}

static void frame_block(struct pass_context *context, const struct program *program,
                        struct block *block, struct code_depth outer)
{
	bool regions = !context->options->build.no_cell_regions && !block->crossed;
	if (block_is_called(block)) {
		/* A call at the top level always fits. */
		block->code->has_statement = true;
		block->has_region = regions && !(block->origin != NULL && block->origin->is_text);
		block->frame = !block_is_instrumented(block) ? FRAME_DISABLE
		               : block->has_region           ? FRAME_REGION
		                                             : FRAME_CELL;
	} else if (block_is_code(block)) {
		frame_code(context, program, block, regions, outer);
		frame_included(context, program, block, outer);
	}
}

static void frame_group(struct pass_context *context, const struct program *program,
                        struct block *block)
{
	block_list *blocks = &block->group->blocks;
	struct code_depth outer = {0};
	bool fits = true, is_instrumented = false;
	for (size_t i = 0; i < blocks->count; i++) {
		struct block *one = &blocks->items[i];
		measure_depth(context, one);
		is_instrumented |= block_is_instrumented(one) ||
		                   context->options->build.instrument == INSTRUMENT_ALL;
		fits &= !block_is_code(one) || frames_fit(one, outer, 1);
	}
	if (!context->options->build.no_cell_regions && !block->crossed && is_instrumented) {
		if (!fits)
			diag_add(context->diags, DIAG_NESTING, block->group->where,
			         "a cell of the group is nested too deeply; the group has no "
			         "region");
		block->has_region = fits;
		block->frame = fits ? FRAME_REGION : FRAME_NONE;
	}
	outer = code_depth_deeper(outer, block->frame == FRAME_NONE ? 0 : 1);
	for (size_t i = 0; i < blocks->count; i++)
		frame_block(context, program, &blocks->items[i], outer);
}

void pass_frames(struct pass_context *context, struct program *program)
{
	for (size_t i = 0; i < program->blocks.count; i++) {
		struct block *block = &program->blocks.items[i];
		measure_depth(context, block);
		if (block->kind == BLOCK_MULTICELL)
			frame_group(context, program, block);
		else
			frame_block(context, program, block, (struct code_depth){0});
	}
}
