/* Moves `from __future__` imports to the top, since they are a syntax error inside a frame. */
#include "ir/pass.h"
#include "ir/pass/remove_statement.h"
#include "lex/lex.h"
#include "lex/syntax.h"
#include "lex/syntax_names.h"

/* True for names of Python's __future__ module. barry_as_FLUFL would change `!=` for all cells. */
static bool can_move(struct slice name)
{
	static const struct slice known[] = {
	        SLICE_INIT("nested_scopes"),    SLICE_INIT("generators"),
	        SLICE_INIT("division"),         SLICE_INIT("absolute_import"),
	        SLICE_INIT("with_statement"),   SLICE_INIT("print_function"),
	        SLICE_INIT("unicode_literals"), SLICE_INIT("generator_stop"),
	        SLICE_INIT("annotations"),
	};
	return slice_is_one_of(name, known, sizeof known / sizeof *known);
}

struct mover {
	struct pass_context *context;
	struct program *program;
};

static void add_future(struct mover *mover, struct slice name)
{
	for (size_t i = 0; i < mover->program->futures.count; i++) {
		if (slice_eq(mover->program->futures.items[i], name))
			return;
	}
	vec_push(mover->context->arena, &mover->program->futures, name);
}

static bool all_can_move(const struct syntax_future *future)
{
	for (size_t i = 0; i < future->names.count; i++) {
		if (!can_move(future->names.items[i]))
			return false;
	}
	return future->names.count > 0;
}

static void move_future(struct mover *mover, struct block *block,
                        const struct syntax_future *future)
{
	const struct token *tokens = block->lexed->tokens.items;
	uint32_t start = tokens[future->statement->first_token].offset;
	uint32_t len = tokens[future->statement->last_token].offset +
	               tokens[future->statement->last_token].len - start;
	if (!all_can_move(future)) {
		diag_add(mover->context->diags, DIAG_FUTURE, block_location(block, start, len),
		         "this import cannot be moved to the top of the script, where Python "
		         "requires it");
		return;
	}
	for (size_t i = 0; i < future->names.count; i++)
		add_future(mover, future->names.items[i]);
	block_remove_statement(mover->context->arena, block, future->statement->first_token,
	                       future->statement->last_token, future->statement->alone);
}

static void move_futures(struct block *block, void *data)
{
	struct mover *mover = data;
	if (!block_is_code(block))
		return;
	syntax_future_list futures = {0};
	syntax_future_imports(mover->context->arena, block->lexed, &futures);
	for (size_t i = 0; i < futures.count; i++)
		move_future(mover, block, &futures.items[i]);
}

void pass_future(struct pass_context *context)
{
	for (size_t i = 0; i < context->ir->programs.count; i++) {
		struct mover mover = {context, &context->ir->programs.items[i]};
		blocks_walk(&mover.program->blocks, move_futures, &mover);
	}
}
