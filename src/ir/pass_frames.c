/* Frames and region names. */
#include "ir/pass.h"
#include "lex/lex.h"
#include "lex/syntax.h"

static bool has_statement(const struct block *block)
{
	for (size_t i = 0; i < block->lexed->logical.count; i++) {
		if (block->lexed->logical.items[i].kind != LINE_BLANK)
			return true;
	}
	return false;
}

static unsigned room(unsigned used, unsigned limit)
{
	return used < limit ? limit - used : 0;
}

/* How many `with` frames fit around the cell. */
static unsigned frames_that_fit(struct pass_context *context, const struct block *block)
{
	struct syntax_depth depth = syntax_nesting(block->lexed, context->arena);
	/* An async cell is a function of its own, which counts its blocks anew. */
	unsigned blocks = room(block->is_async ? 0 : depth.blocks, SYNTAX_BLOCKS_MAX);
	unsigned indents = room(depth.indents, SYNTAX_INDENTS_MAX);
	return blocks < indents ? blocks : indents;
}

static void report_unframed(struct pass_context *context, const struct block *block)
{
	diag_add(context->diags, DIAG_NESTING, (struct location){.cell = block->cell},
	         "the cell nests too deeply for a frame around it; %s",
	         block->kind == BLOCK_PLAIN ? "it is measured" : "it has no region of its own");
}

static void frame_code(struct pass_context *context, struct block *block, unsigned outer)
{
	bool regions = !context->options->no_cell_regions;
	block->has_statement = has_statement(block);
	if (slice_trim(block->source).len == 0)
		return; /* nothing to frame */
	block->frame = block->kind == BLOCK_PLAIN ? FRAME_DISABLE
	               : regions                  ? FRAME_REGION
	                                          : FRAME_NONE;
	if (regions)
		block->region = arena_printf(context->arena, "cell %u", block->cell);
	if (block->frame != FRAME_NONE && frames_that_fit(context, block) < outer + 1) {
		report_unframed(context, block);
		block->frame = FRAME_NONE;
		block->region = slice_make(NULL, 0);
	}
}

/* A call at the top level always fits. */
static void frame_foreign(struct pass_context *context, struct block *block)
{
	bool regions = !context->options->no_cell_regions;
	block->frame = block->marked && regions ? FRAME_REGION : FRAME_DISABLE;
	if (regions)
		block->region = arena_printf(context->arena, "cell %u", block->cell);
}

static bool group_fits(struct pass_context *context, const struct block *group)
{
	for (size_t i = 0; i < group->blocks.count; i++) {
		const struct block *block = &group->blocks.items[i];
		if (block_is_code(block) && frames_that_fit(context, block) < 1)
			return false;
	}
	return true;
}

static bool is_instrumented(const struct block *group)
{
	for (size_t i = 0; i < group->blocks.count; i++) {
		if (group->blocks.items[i].kind == BLOCK_EXECUTE || group->blocks.items[i].marked)
			return true;
	}
	return false;
}

static void lose_region(struct pass_context *context, struct block *group)
{
	diag_add(context->diags, DIAG_NESTING, group->where,
	         "a cell of the group nests too deeply for the group's region; it has none");
	group->frame = FRAME_NONE;
	group->region = slice_make(NULL, 0);
}

static void frame_block(struct pass_context *context, struct block *block, unsigned outer)
{
	if (block->kind == BLOCK_FOREIGN)
		frame_foreign(context, block);
	else if (block_is_code(block))
		frame_code(context, block, outer);
}

static void frame_group(struct pass_context *context, struct block *group)
{
	if (!context->options->no_cell_regions && is_instrumented(group)) {
		group->region =
		        arena_printf(context->arena, "cells %u-%u", group->cell, group->last_cell);
		group->frame = FRAME_REGION;
		if (!group_fits(context, group))
			lose_region(context, group);
	}
	for (size_t i = 0; i < group->blocks.count; i++)
		frame_block(context, &group->blocks.items[i], group->frame == FRAME_NONE ? 0 : 1);
}

void pass_frames(struct pass_context *context)
{
	for (size_t i = 0; i < context->ir->programs.count; i++) {
		block_list *blocks = &context->ir->programs.items[i].blocks;
		for (size_t k = 0; k < blocks->count; k++) {
			struct block *block = &blocks->items[k];
			if (block->kind == BLOCK_MULTICELL)
				frame_group(context, block);
			else
				frame_block(context, block, 0);
		}
	}
}
