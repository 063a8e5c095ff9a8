/* Jupyter shows the value of a cell's last expression; so does the script. */
#include "ir/pass.h"
#include "lex/lex.h"
#include "lex/syntax.h"

struct echo {
	struct pass_context *context;
	struct program *program;
};

/* print(...) returns None, which is not displayed. */
static bool is_print_call(const struct lexed_cell *cell, uint32_t first, uint32_t last)
{
	const struct token *tokens = cell->tokens.items;
	if (!slice_eq(token_text(cell, &tokens[first]), SLICE("print")))
		return false;
	uint32_t open = syntax_next(cell, first + 1, last);
	unsigned depth = 0;
	for (uint32_t i = open; i <= last; i++) {
		struct slice text = token_text(cell, &tokens[i]);
		if (tokens[i].kind != TOKEN_OP)
			continue;
		if (slice_eq(text, SLICE("(")) || slice_eq(text, SLICE("[")) ||
		    slice_eq(text, SLICE("{")))
			depth++;
		else if (slice_eq(text, SLICE(")")) || slice_eq(text, SLICE("]")) ||
		         slice_eq(text, SLICE("}")))
			depth--;
		if (depth == 0)
			return i == last && i > open;
	}
	return false;
}

static void echo_block(struct block *block, void *data)
{
	struct echo *echo = data;
	struct arena *arena = echo->context->arena;
	uint32_t first, last;
	bool is_tuple;
	if (!block_is_code(block) ||
	    !syntax_last_expression(block->lexed, &first, &last, &is_tuple) ||
	    is_print_call(block->lexed, first, last))
		return;
	const struct token *tokens = block->lexed->tokens.items;
	/* A tuple without parentheses would become several arguments. */
	block_add_edit(arena, block, tokens[first].offset, 0,
	               is_tuple ? SLICE("_nbscorep_echo((") : SLICE("_nbscorep_echo("));
	block_add_edit(arena, block, tokens[last].offset + tokens[last].len, 0,
	               is_tuple ? SLICE("))") : SLICE(")"));
	program_add_snippet(arena, echo->program, SLICE("echo"));
}

void pass_echo(struct pass_context *context)
{
	if (context->options->no_echo)
		return;
	for (size_t i = 0; i < context->ir->programs.count; i++) {
		struct echo echo = {context, &context->ir->programs.items[i]};
		blocks_walk(&echo.program->blocks, echo_block, &echo);
	}
}
