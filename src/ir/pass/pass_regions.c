/* A region of the notebook's own code, as scorep.user.region_begin() opens it, may cross cells. Score-P aborts where
 * regions do not nest, so a crossed cell has no region of its own. Calls in functions are not followed. */
#include "ir/passes.h"
#include "lex/syntax.h"

static const char region_calls[] = "region_begin region_end rewind_begin rewind_end "
                                   "user_region_begin user_region_end";

struct region_walk {
	struct pass_context *context;
	struct name_filter calls;
	int open;               /* number of regions */
	struct location opened; /* the beginning of the outermost one */
};

static void follow_block(struct region_walk *walk, struct block *block)
{
	int before = walk->open;
	const struct lexed_cell *cell = block_is_code(block) ? block->code->lexed : NULL;
	bool may_call = cell != NULL && name_filters_may_meet(&cell->names, &walk->calls);
	for (uint32_t i = 0; may_call && i < cell->tokens.count; i++) {
		struct slice name = statement_token(cell, i);
		if (cell->tokens.items[i].kind != TOKEN_NAME ||
		    !slice_is_word_of(name, region_calls) ||
		    !syntax_is(cell, syntax_after(cell, i), SLICE("(")))
			continue;
		const struct syntax_statement *statement = syntax_statement_at(cell, i);
		if (statement != NULL && statement->function != NO_STATEMENT)
			continue;
		bool begins = slice_ends_with(name, SLICE("_begin"));
		if (begins && walk->open == 0)
			walk->opened = block_token_location(block, i);
		walk->open += begins ? 1 : -(walk->open > 0);
	}
	if (before == 0 && walk->open > 0)
		diag_add(walk->context->diags, DIAG_REGION_OPEN, walk->opened,
		         "this region does not end in its cell; the cells up to its end have no "
		         "region "
		         "of their own");
	for (size_t i = 0; block_is_group(block) && i < block->group->blocks.count; i++)
		follow_block(walk, &block->group->blocks.items[i]);
	for (size_t i = 0; block_runs(block) && i < block->code->includes.count; i++) {
		block_list *blocks = &block->code->includes.items[i].blocks;
		for (size_t k = 0; k < blocks->count; k++)
			follow_block(walk, &blocks->items[k]);
	}
	block->crossed = before > 0 || walk->open > 0;
}

void pass_regions(struct pass_context *context, struct program *program)
{
	struct region_walk walk = {.context = context};
	name_filter_add_words(&walk.calls, region_calls);
	for (size_t i = 0; i < program->blocks.count; i++)
		follow_block(&walk, &program->blocks.items[i]);
}
