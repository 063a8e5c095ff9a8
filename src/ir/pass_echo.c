/* Jupyter shows the value of a cell's last expression; so does the script. */
#include "ir/builder.h"
#include "ir/pass.h"
#include "lex/lex.h"
#include "lex/syntax.h"

struct echo {
	struct pass_context *context;
	struct program *program;
	bool shows_all, shows_none;            /* expressions of a cell, not only the last one */
	bool has_looked, sets_exit, sets_quit; /* where a cell is nothing but one of these names */
};

/* print(...) returns None, which is not displayed. */
static bool is_print_call(const struct lexed_cell *cell, uint32_t first, uint32_t last)
{
	const struct token *tokens = cell->tokens.items;
	if (!syntax_is(cell, first, SLICE("print")))
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

static void find_own_names(struct block *block, void *data)
{
	struct echo *echo = data;
	const struct lexed_cell *cell = block->lexed;
	syntax_token_list found = {0};
	if (block_is_code(block))
		syntax_bindings(echo->context->arena, cell, &found);
	for (size_t i = 0; i < found.count; i++) {
		echo->sets_exit |= syntax_is(cell, found.items[i], SLICE("exit"));
		echo->sets_quit |= syntax_is(cell, found.items[i], SLICE("quit"));
	}
}

/* A cell that is nothing but `exit` or `quit`: IPython ends there, unless these are the user's. */
static bool ends_session(struct echo *echo, const struct lexed_cell *cell, uint32_t first,
                         uint32_t last)
{
	bool exits = syntax_is(cell, first, SLICE("exit"));
	if (first != last || syntax_next(cell, 0, last) != first ||
	    !(exits || syntax_is(cell, first, SLICE("quit"))))
		return false;
	if (!echo->has_looked)
		blocks_walk(&echo->program->blocks, find_own_names, echo);
	echo->has_looked = true;
	return exits ? !echo->sets_exit : !echo->sets_quit;
}

/* Shows the value of a statement. A tuple without parentheses would become several arguments. */
static void show(const struct echo *echo, struct block *block, const struct syntax_value *value)
{
	struct arena *arena = echo->context->arena;
	const struct token *first = &block->lexed->tokens.items[value->first_token],
	                   *last = &block->lexed->tokens.items[value->last_token];
	if (is_print_call(block->lexed, value->first_token, value->last_token))
		return;
	struct slice call = program_echo(arena, echo->program, block);
	if (value->is_tuple)
		call = arena_printf(arena, "%.*s(", SLICE_ARG(call));
	block_add_edit(arena, block, first->offset, 0, call);
	block_add_edit(arena, block, last->offset + last->len, 0,
	               value->is_tuple ? SLICE("))") : SLICE(")"));
}

static void show_all(const struct echo *echo, struct block *block)
{
	syntax_value_list values = {0};
	if (syntax_values(echo->context->arena, block->lexed, &values) && block->echo.len == 0)
		return;
	for (size_t i = 0; i < values.count; i++)
		show(echo, block, &values.items[i]);
}

static void show_last(const struct echo *echo, struct block *block)
{
	struct syntax_value value;
	bool semicolon;
	if (syntax_last_value(block->lexed, &value.first_token, &value.last_token, &value.is_tuple,
	                      &semicolon) &&
	    (!semicolon || block->echo.len > 0))
		show(echo, block, &value);
}

/* A cell that is nothing but `exit` or `quit` ends the script. */
static bool end_session(struct echo *echo, struct block *block)
{
	uint32_t first, last;
	bool is_tuple;
	const struct name_filter *names = &block->lexed->names;
	if (!name_filter_may_have(names, SLICE("exit")) &&
	    !name_filter_may_have(names, SLICE("quit")))
		return false;
	if (!syntax_last_expression(block->lexed, &first, &last, &is_tuple) ||
	    !ends_session(echo, block->lexed, first, last))
		return false;
	const struct token *token = &block->lexed->tokens.items[first];
	block_add_edit(echo->context->arena, block, token->offset, token->len,
	               SLICE("raise SystemExit"));
	return true;
}

/* ---- InteractiveShell.ast_node_interactivity ---- */

static void choose(struct echo *echo, struct slice value)
{
	echo->shows_all = slice_find_slice(value, SLICE("all"), 0) < value.len;
	echo->shows_none = slice_find_slice(value, SLICE("none"), 0) < value.len;
}

/* What the cell chooses is for those behind it. */
static void take_choice(struct echo *echo, const struct block *block)
{
	static const struct slice name = SLICE_INIT("ast_node_interactivity");
	const struct lexed_cell *cell = block->lexed;
	uint32_t count = (uint32_t)cell->tokens.count;
	for (uint32_t i = 0; name_filter_may_have(&cell->names, name) && i < count; i++) {
		if (!syntax_is(cell, i, name))
			continue;
		uint32_t sign = syntax_next(cell, i + 1, count);
		uint32_t value = sign < count ? syntax_next(cell, sign + 1, count) : count;
		if (value < count && cell->tokens.items[value].kind == TOKEN_STRING &&
		    syntax_is(cell, sign, SLICE("=")))
			choose(echo, token_text(cell, &cell->tokens.items[value]));
	}
	for (size_t i = 0; i < cell->magics.count; i++) {
		struct slice value = magic_interactivity(&cell->magics.items[i]);
		if (value.len > 0)
			choose(echo, value);
	}
}

static void echo_block(struct block *block, void *data)
{
	struct echo *echo = data;
	if (!block_is_code(block))
		return;
	bool is_shown = !echo->context->options->no_echo && !block->silent && !echo->shows_none;
	if (!block_is_called(block) && !end_session(echo, block) && is_shown) {
		if (echo->shows_all)
			show_all(echo, block);
		else
			show_last(echo, block);
	}
	take_choice(echo, block);
}

void pass_echo(struct pass_context *context)
{
	for (size_t i = 0; i < context->ir->programs.count; i++) {
		struct echo echo = {.context = context, .program = &context->ir->programs.items[i]};
		blocks_walk(&echo.program->blocks, echo_block, &echo);
	}
}
