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

/* The name that a "def" gives to a function. */
static bool is_defined(const struct lexed_cell *cell, uint32_t index)
{
	uint32_t before = syntax_previous(cell, index);
	return before < index &&
	       slice_eq(token_text(cell, &cell->tokens.items[before]), SLICE("def"));
}

/* In Jupyter an event loop runs while a cell does, so that a cell without await can start tasks. */
static bool starts_tasks(const struct lexed_cell *cell)
{
	static const struct slice names[] = {
	        SLICE_INIT("create_task"),  SLICE_INIT("ensure_future"),
	        SLICE_INIT("current_task"), SLICE_INIT("get_running_loop"),
	        SLICE_INIT("all_tasks"),
	};
	for (uint32_t i = 0; i < cell->tokens.count; i++) {
		const struct token *token = &cell->tokens.items[i];
		if (token->kind == TOKEN_NAME &&
		    slice_is_one_of(token_text(cell, token), names, sizeof names / sizeof *names) &&
		    !is_defined(cell, i))
			return true;
	}
	return false;
}

bool await_wraps(struct arena *arena, const struct block *block)
{
	return syntax_has_top_level_await(block->lexed, arena) || starts_tasks(block->lexed);
}

static void wrap(struct block *block, void *data)
{
	struct wrapper *wrapper = data;
	struct arena *arena = wrapper->context->arena;
	if (!block_is_code(block) || block_is_called(block) || !await_wraps(arena, block))
		return;
	syntax_name_list names = {0};
	if (syntax_names(arena, block->lexed, &names))
		diag_add(wrapper->context->diags, DIAG_AWAIT_STAR, block_cell_location(block),
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
