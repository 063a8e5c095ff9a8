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

/* A cell that is nothing but `exit` or `quit`: IPython ends there. */
static bool ends_session(const struct lexed_cell *cell, uint32_t first, uint32_t last)
{
	struct slice text = token_text(cell, &cell->tokens.items[first]);
	return first == last && syntax_next(cell, 0, last) == first &&
	       (slice_eq(text, SLICE("exit")) || slice_eq(text, SLICE("quit")));
}

static void echo_block(struct block *block, void *data)
{
	struct echo *echo = data;
	struct arena *arena = echo->context->arena;
	uint32_t first, last;
	bool is_tuple, semicolon;
	if (!block_is_code(block) || block_is_called(block) ||
	    !syntax_last_value(block->lexed, &first, &last, &is_tuple, &semicolon) ||
	    (semicolon && block->echo.len == 0) || is_print_call(block->lexed, first, last))
		return;
	const struct token *tokens = block->lexed->tokens.items;
	if (ends_session(block->lexed, first, last)) {
		block_add_edit(arena, block, tokens[first].offset, tokens[first].len,
		               SLICE("raise SystemExit"));
		return;
	}
	if (echo->context->options->no_echo || block->silent)
		return;
	/* A tuple without parentheses would become several arguments. */
	struct slice call = program_echo(arena, echo->program, block);
	if (is_tuple)
		call = arena_printf(arena, "%.*s(", SLICE_ARG(call));
	block_add_edit(arena, block, tokens[first].offset, 0, call);
	block_add_edit(arena, block, tokens[last].offset + tokens[last].len, 0,
	               is_tuple ? SLICE("))") : SLICE(")"));
}

void pass_echo(struct pass_context *context)
{
	for (size_t i = 0; i < context->ir->programs.count; i++) {
		struct echo echo = {context, &context->ir->programs.items[i]};
		blocks_walk(&echo.program->blocks, echo_block, &echo);
	}
}
