/* Sets frames and region names. */
#include "ir/passes.h"
#include "lex/lex.h"
#include "lex/syntax.h"

static void measure_depth(struct pass_context *context, struct block *block);

/* Returns the largest depth of the included blocks. */
static struct code_depth measure_included(struct pass_context *context, struct include *include)
{
	struct code_depth deepest = {0};
	for (size_t i = 0; i < include->blocks.count; i++) {
		struct block *block = &include->blocks.items[i];
		measure_depth(context, block);
		deepest = code_depth_max(
		        deepest, code_depth_deeper(block->full_depth, block->contexts.count));
	}
	return code_depth_deeper(deepest, include->entered);
}

/* Sets the depth of the block's code. */
static void measure_depth(struct pass_context *context, struct block *block)
{
	struct code_depth deepest = {0};
	if (!block_is_code(block))
		return;
	block->depth = code_depth_of(context->arena, block->lexed);
	/* An async cell is a function, in which Python counts blocks from 0. */
	block->depth.blocks = block->is_async ? 0 : block->depth.blocks;
	for (size_t i = 0; i < block->includes.count; i++)
		deepest = code_depth_max(deepest,
		                         measure_included(context, &block->includes.items[i]));
	block->full_depth = code_depth_sum(block->depth, deepest);
}

/* True if COUNT `with` frames fit around the cell, which is at depth OUTER. */
static bool frames_fit(const struct block *block, struct code_depth outer, size_t count)
{
	return code_depth_fits(code_depth_deeper(code_depth_sum(block->full_depth, outer), count));
}

static void frame_block(struct pass_context *context, const struct program *program,
                        struct block *block, struct code_depth outer);

static void frame_included(struct pass_context *context, const struct program *program,
                           struct block *block, struct code_depth outer)
{
	if (block->includes.count == 0)
		return;
	size_t frames = block->contexts.count + (block->frame == FRAME_NONE ? 0 : 1);
	outer = code_depth_deeper(code_depth_sum(outer, block->depth), frames);
	for (size_t i = 0; i < block->includes.count; i++) {
		struct include *include = &block->includes.items[i];
		for (size_t k = 0; k < include->blocks.count; k++)
			frame_block(context, program, &include->blocks.items[k],
			            code_depth_deeper(outer, include->entered));
	}
}

/* True if something of the block is left to run: code, or a magic that is not a comment now. */
static bool is_left_to_run(const struct block *block)
{
	size_t lines = 0;
	for (size_t i = 0; i < block->lexed->logical.count; i++)
		lines += block->lexed->logical.items[i].kind != LINE_BLANK;
	return block->contexts.count > 0 || block->includes.count > 0 || lines > block->dropped;
}

/* JUmPER counts cells without a statement, too, from the one that loads it. */
static void frame_code(struct pass_context *context, const struct program *program,
                       struct block *block, struct code_depth outer)
{
	bool regions = !context->options->no_cell_regions && !block->crossed;
	block->has_statement = syntax_has_code(block->lexed);
	if (slice_trim(block->source).len == 0 || block->is_text)
		return; /* nothing to frame */
	bool counts = (program->effects & EFFECT_JUMPER) != 0 ||
	              (block->notebook.len == 0 && block->cell == program->jumper_cell);
	if (!counts && !is_left_to_run(block)) {
		block->has_statement = false;
		/* Magics that became comments do not need the `pass` that took their place. */
		static const struct slice pass = SLICE_INIT("pass  ");
		for (size_t i = 0; i < block->edits.count; i++) {
			struct slice *text = &block->edits.items[i].text;
			if (slice_starts_with(*text, pass))
				*text = slice_sub(*text, pass.len, text->len);
		}
		return;
	}
	block->frame = block->kind == BLOCK_PLAIN ? FRAME_DISABLE
	               : regions                  ? FRAME_REGION
	               : block->notebook.len == 0 ? FRAME_CELL
	                                          : FRAME_NONE;
	if (regions)
		block->region = block_title(context->arena, block);
	if (block->frame != FRAME_NONE && !frames_fit(block, outer, 1 + block->contexts.count)) {
		diag_add(context->diags, DIAG_NESTING, block_cell_location(block),
		         "the cell is nested too deeply for a frame around it; %s",
		         block->kind == BLOCK_PLAIN ? "it is measured" : "it has no region");
		block->frame = FRAME_NONE;
		block->region = slice_make(NULL, 0);
	}
}

static bool group_fits(const struct block *group, struct code_depth outer)
{
	for (size_t i = 0; i < group->blocks.count; i++) {
		const struct block *block = &group->blocks.items[i];
		if (block_is_code(block) && !frames_fit(block, outer, 1))
			return false;
	}
	return true;
}

static bool is_instrumented(const struct block *group)
{
	for (size_t i = 0; i < group->blocks.count; i++) {
		if (block_is_instrumented(&group->blocks.items[i]))
			return true;
	}
	return false;
}

static void frame_block(struct pass_context *context, const struct program *program,
                        struct block *block, struct code_depth outer)
{
	if (block->kind == BLOCK_FOREIGN || block_is_called(block)) {
		/* A call at the top level always fits. */
		bool regions =
		        !context->options->no_cell_regions && !block->crossed && !block->is_text;
		block->has_statement = true;
		block->frame = !block_is_instrumented(block) ? FRAME_DISABLE
		               : regions                     ? FRAME_REGION
		                                             : FRAME_CELL;
		if (regions)
			block->region = block_title(context->arena, block);
	} else if (block_is_code(block)) {
		frame_code(context, program, block, outer);
		frame_included(context, program, block, outer);
	}
}

static void frame_group(struct pass_context *context, const struct program *program,
                        struct block *group)
{
	struct code_depth outer = {0};
	for (size_t i = 0; i < group->blocks.count; i++)
		measure_depth(context, &group->blocks.items[i]);
	if (!context->options->no_cell_regions && !group->crossed && is_instrumented(group)) {
		group->region =
		        arena_printf(context->arena, "cells %u-%u", group->cell, group->last_cell);
		group->frame = FRAME_REGION;
		if (!group_fits(group, outer)) {
			diag_add(context->diags, DIAG_NESTING, group->where,
			         "a cell of the group is nested too deeply; the group has no "
			         "region");
			group->frame = FRAME_NONE;
			group->region = slice_make(NULL, 0);
		}
	}
	outer = code_depth_deeper(outer, group->frame == FRAME_NONE ? 0 : 1);
	for (size_t i = 0; i < group->blocks.count; i++)
		frame_block(context, program, &group->blocks.items[i], outer);
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
