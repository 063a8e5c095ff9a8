/* Turns sections into programs, or the whole notebook into one. Blocks that the kernel would never
 * run are left out. */
#include "ir/passes.h"

#include "notebook/notebook.h"

static void report_aborted_section(struct pass_context *context, const struct block *section)
{
	diag_add(context->diags, DIAG_SECTION_ABORTED, section->group->where,
	         "the write-mode section of cells %u to %u is aborted; it is left out",
	         section->cell, section->group->last_cell);
}

/* Keeps the cell of a mode magic as a comment when its block is dissolved. */
static void add_opener(struct pass_context *context, const struct block *block, block_list *out)
{
	struct block opener = *block;
	opener.kind = BLOCK_COMMENT;
	opener.left_out.reason = slice_make(NULL, 0);
	opener.left_out.aborted = block->group->aborted;
	vec_push(context->arena, out, opener);
}

/* Copies the blocks to compile from BLOCKS to OUT. */
static void select_blocks(struct pass_context *context, block_list *blocks, block_list *out)
{
	bool whole = context->options->build.whole_notebook;
	vec_each(struct block, block, blocks) {
		if (block->kind == BLOCK_SECTION && !whole) {
			report_aborted_section(context, block);
		} else if (block->kind == BLOCK_SECTION) {
			add_opener(context, block, out);
			select_blocks(context, &block->group->blocks, out);
		} else if (block->kind == BLOCK_MULTICELL && block->group->aborted) {
			diag_add(context->diags, DIAG_GROUP_ABORTED, block->group->where,
			         "the multicell group of cells %u to %u is aborted; %s",
			         block->cell, block->group->last_cell,
			         whole ? "its cells count as unmarked" : "it is left out");
			if (!whole) {
				diag_hint(context->diags, DIAG_GROUP_ABORTED,
				          "use --whole-notebook to compile its cells");
				continue;
			}
			block_refs members = blocks_flatten(context->arena, &block->group->blocks);
			for (size_t k = 0; k < members.count; k++)
				block_set_instrumented(members.items[k], false);
			add_opener(context, block, out);
			select_blocks(context, &block->group->blocks, out);
		} else {
			vec_push(context->arena, out, *block);
		}
	}
}

/* Adds a program with the blocks to compile of BLOCKS. */
static void add_program(struct pass_context *context, struct program program, block_list *blocks)
{
	select_blocks(context, blocks, &program.blocks);
	program.packages = (struct name_set){.arena = context->arena};
	vec_push(context->arena, &context->ir->programs, program);
}

static void add_section(struct pass_context *context, struct block *section)
{
	const struct ir *ir = context->ir;
	const struct group *group = section->group;
	struct program program = {.name = group->name, .where = group->where, .from_section = true};
	if (group->aborted) {
		report_aborted_section(context, section);
		return;
	}
	/* An invalid name is empty here and has been reported. */
	for (size_t i = 0; group->name.len > 0 && i < ir->programs.count; i++) {
		if (!slice_eq(ir->programs.items[i].name, group->name))
			continue;
		diag_add(context->diags, DIAG_NAME_TWICE, group->where,
		         "an earlier section is also named '%.*s'", SLICE_ARG(group->name));
		return;
	}
	add_program(context, program, &section->group->blocks);
}

void pass_select(struct pass_context *context)
{
	struct ir *ir = context->ir;
	bool has_section = false;
	for (size_t i = 0; i < ir->blocks.count; i++)
		has_section |= ir->blocks.items[i].kind == BLOCK_SECTION &&
		               !ir->blocks.items[i].group->aborted;
	if (context->options->build.whole_notebook || !has_section) {
		struct program program = {.name = context->options->program_name};
		add_program(context, program, &ir->blocks);
		return;
	}
	unsigned outside = 0;
	vec_each(struct block, block, &ir->blocks) {
		if (block->kind == BLOCK_SECTION) {
			add_section(context, block);
			continue;
		}
		block_refs inside = blocks_flatten(context->arena, &(block_list){block, 1, 1});
		for (size_t k = 0; k < inside.count; k++)
			outside += inside.items[k]->kind != BLOCK_MARKDOWN &&
			           inside.items[k]->kind != BLOCK_RAW;
	}
	if (outside == 0)
		return;
	diag_add(context->diags, DIAG_SECTION_OUTSIDE, (struct location){0},
	         "%u code cell%s outside the write-mode sections %s not compiled", outside,
	         outside == 1 ? "" : "s", outside == 1 ? "is" : "are");
	diag_hint(context->diags, DIAG_SECTION_OUTSIDE,
	          "use --whole-notebook to compile all cells as one program");
}
