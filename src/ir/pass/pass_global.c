/* Removes `global x` outside of functions. It has no effect in a cell, which is compiled as a
 * separate module. In the script it is an error if an earlier cell has used x. Text for a helper is
 * kept, because %%timeit makes a function of it. */
#include "ir/pass.h"
#include "ir/pass/remove_statement.h"
#include "lex/syntax.h"

static void remove_globals(struct block *block, void *data)
{
	struct arena *arena = data;
	if (!block_is_code(block) || block_is_called(block))
		return;
	syntax_statement_list statements = {0};
	syntax_outer_statements(arena, block->lexed, SLICE("global"), &statements);
	for (size_t i = 0; i < statements.count; i++) {
		const struct syntax_statement *statement = &statements.items[i];
		block_remove_statement(arena, block, statement->first_token, statement->last_token,
		                       statement->alone);
	}
}

void pass_global(struct pass_context *context)
{
	for (size_t i = 0; i < context->ir->programs.count; i++)
		blocks_walk(&context->ir->programs.items[i].blocks, remove_globals, context->arena);
}
