#include "ir/passes.h"

#include "lex/scan.h"

/* ---- the checker, in debug builds ---- */

#ifndef NDEBUG

static _Noreturn void violated(const char *after, const struct block *block, const char *rule)
{
	fprintf(stderr, "nbscorep: internal error after %s: cell %u, %s block: %s\n", after,
	        block->cell, block_kind_name(block->kind), rule);
	abort();
}

/* Checks the invariants of ir.h. On the first violation it prints AFTER (the name of the pass) and
 * the block to standard error and aborts. */
static void check_blocks(struct arena *arena, const block_list *list, const char *after)
{
	block_refs blocks = blocks_flatten(arena, list);
	for (size_t i = 0; i < blocks.count; i++) {
		const struct block *block = blocks.items[i];
		if (block->cell == 0 ||
		    (block_is_group(block) && block->group->last_cell < block->cell))
			violated(after, block, "it has no place in the notebook");
		if (!block_runs(block) && block->kind != BLOCK_MULTICELL &&
		    block->frame != FRAME_NONE)
			violated(after, block, "only code and groups have frames");
		if (block->kind == BLOCK_FOREIGN && block->code->includes.count > 0)
			violated(after, block, "only code includes other blocks");
		if (!block_is_code(block))
			continue;
		struct slice text = block->code->lexed->text;
		for (size_t k = 0, end = 0; k < block->code->edits.count; k++) {
			const struct edit *edit = &block->code->edits.items[k];
			if (edit->offset < end)
				violated(after, block, "edits overlap or are not sorted");
			end = edit->offset + edit->len;
			if (end > text.len)
				violated(after, block, "an edit reaches beyond the cell");
			if (scan_line_ends(edit->text) !=
			    scan_line_ends(slice_sub(text, edit->offset, end)))
				violated(after, block, "an edit changes the number of lines");
		}
	}
}

#endif

/* ---- the passes ---- */

/* By offset. Edits at the same offset keep their order. */
static int compare_edits(const void *a, const void *b)
{
	const struct edit *left = a, *right = b;
	if (left->offset != right->offset)
		return left->offset < right->offset ? -1 : 1;
	return left->order < right->order ? -1 : 1;
}

/* Sorts once at the end in release builds, because no pass reads the edits of another one. */
static void sort_all_edits(struct pass_context *context)
{
	for (size_t i = 0; i < context->ir->programs.count; i++) {
		block_refs blocks = program_code(context->arena, &context->ir->programs.items[i]);
		for (size_t k = 0; k < blocks.count; k++)
			vec_sort(&blocks.items[k]->code->edits, compare_edits);
	}
}

void ir_run_passes(struct pass_context *context)
{
	static const struct {
		const char *name;
		void (*run)(struct pass_context *context);
		void (*run_each)(struct pass_context *context, struct program *program);
	} passes[] = {
#define PASS(name) {#name, pass_##name, NULL},
#define PROGRAM_PASS(name) {#name, NULL, pass_##name},
#include "ir/passes.def"
	};
	for (size_t i = 0; i < sizeof passes / sizeof *passes; i++) {
		if (passes[i].run != NULL)
			passes[i].run(context);
		for (size_t k = 0; passes[i].run_each != NULL && k < context->ir->programs.count;
		     k++)
			passes[i].run_each(context, &context->ir->programs.items[k]);
#ifndef NDEBUG
		sort_all_edits(context);
		check_blocks(context->arena, &context->ir->blocks, passes[i].name);
		for (size_t k = 0; k < context->ir->programs.count; k++)
			check_blocks(context->arena, &context->ir->programs.items[k].blocks,
			             passes[i].name);
#endif
	}
	sort_all_edits(context);
}
