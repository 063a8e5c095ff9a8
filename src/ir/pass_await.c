/* Cells with top-level await become async functions that share their names with the module. */
#include "ir/pass.h"
#include "lex/lex.h"
#include "lex/syntax.h"

struct wrapper {
	struct pass_context *context;
	struct program *program;
};

/* "x: int = 1" cannot stand beside "global x", but "(x): int = 1" can. */
static void bracket_annotations(struct arena *arena, struct block *block)
{
	syntax_token_list targets = {0};
	syntax_annotations(arena, block->lexed, &targets);
	for (size_t i = 0; i < targets.count; i++) {
		const struct token *token = &block->lexed->tokens.items[targets.items[i]];
		block_add_edit(arena, block, token->offset, 0, SLICE("("));
		block_add_edit(arena, block, token->offset + token->len, 0, SLICE(")"));
	}
}

static void wrap(struct block *block, void *data)
{
	struct wrapper *wrapper = data;
	struct arena *arena = wrapper->context->arena;
	if (!block_is_code(block) || !syntax_has_top_level_await(block->lexed, arena))
		return;
	syntax_name_list names = {0};
	if (syntax_names(arena, block->lexed, &names))
		diag_add(wrapper->context->diags, DIAG_AWAIT_STAR,
		         (struct location){.cell = block->cell},
		         "a star import cannot stand in a cell with top-level await; put it into "
		         "a cell of its own");
	for (size_t i = 0; i < names.count; i++)
		vec_push(arena, &block->globals, names.items[i].name);
	bracket_annotations(arena, block);
	block->is_async = true;
	program_add_snippet(arena, wrapper->program, SLICE("await"));
}

void pass_await(struct pass_context *context)
{
	for (size_t i = 0; i < context->ir->programs.count; i++) {
		struct wrapper wrapper = {context, &context->ir->programs.items[i]};
		blocks_walk(&wrapper.program->blocks, wrap, &wrapper);
	}
}
