/* Jupyter shows the value of a cell's last expression; so does the script. */
#include "ir/build/magic_meaning.h"
#include "ir/passes.h"
#include "lex/syntax_values.h"

/* Which values of a cell are shown, by IPython's names; hardly a notebook has the others, last and last_expr_or_assign. */
static const char interactivities[] = "last_expr all none";

struct echo {
	struct pass_context *context;
	struct program *program;
	struct slice interactivity;
	bool sets_exit, sets_quit; /* the notebook sets these names */
};

/* Shows the value of a statement. A tuple without parentheses would become several arguments. */
static void echo_value(const struct echo *echo, struct block *block,
                       const struct syntax_value *value)
{
	struct arena *arena = echo->context->arena;
	const struct lexed_cell *cell = block->code->lexed;
	uint32_t first = value->first_token, last = value->last_token;
	struct slice text = statement_text(cell, first, last);
	/* print(...) returns None, which is not displayed. */
	if (syntax_is(cell, first, SLICE("print")) &&
	    syntax_closing(cell, syntax_next(cell, first + 1, last), last + 1) == last)
		return;
	struct slice call = program_echo(arena, echo->program, block);
	if (value->is_tuple)
		call = arena_printf(arena, "%.*s(", SLICE_ARG(call));
	block_add_edit(arena, block, slice_sub(text, 0, 0), call);
	block_add_edit(arena, block, slice_tail(text, text.len),
	               value->is_tuple ? SLICE("))") : SLICE(")"));
	struct edit *added = &block->code->edits.items[block->code->edits.count - 2];
	added[0].is_echo = added[1].is_echo = true;
}

/* A cell that is only `exit` or `quit` ends the script, unless the notebook sets the name. */
static bool end_session(struct echo *echo, struct block *block)
{
	const struct lexed_cell *cell = block->code->lexed;
	struct syntax_value value;
	if ((!name_filter_may_have(&cell->names, SLICE("exit")) &&
	     !name_filter_may_have(&cell->names, SLICE("quit"))) ||
	    !syntax_last_expression(cell, &value) || value.first_token != value.last_token ||
	    syntax_next(cell, 0, value.last_token) != value.first_token)
		return false;
	struct slice name = statement_token(cell, value.first_token);
	bool ends = (slice_eq(name, SLICE("exit")) && !echo->sets_exit) ||
	            (slice_eq(name, SLICE("quit")) && !echo->sets_quit);
	if (ends)
		block_add_edit(echo->context->arena, block, name, SLICE("raise SystemExit"));
	return ends;
}

/* ---- InteractiveShell.ast_node_interactivity ---- */

static void choose_interactivity(struct echo *echo, struct slice value, struct location where)
{
	/* A string literal, with or without a comment after it. */
	bool is_quoted = value.len > 0 && slice_has(SLICE("\"'"), value.ptr[0]);
	size_t end = is_quoted ? slice_find(value, value.ptr[0], 1) : value.len;
	struct slice after = slice_trim(slice_tail(value, end + 1)), text = slice_make("", 0);
	if (end < value.len && (after.len == 0 || after.ptr[0] == '#'))
		text = slice_sub(value, 1, end);
	if (slice_is_word_of(text, interactivities)) {
		echo->interactivity = text;
		return;
	}
	diag_add(echo->context->diags, DIAG_INTERACTIVITY, where,
	         "the value '%.*s' is not supported; the setting is ignored", SLICE_ARG(value));
	diag_hint(echo->context->diags, DIAG_INTERACTIVITY, "assign 'all', 'last_expr' or 'none'");
}

/* The choice of a cell affects the cells after it. */
static void read_choice(struct echo *echo, const struct block *block)
{
	static const struct slice name = SLICE_INIT("ast_node_interactivity");
	const struct lexed_cell *cell = block->code->lexed;
	for (uint32_t i = 0;
	     name_filter_may_have(&cell->names, name) && i < (uint32_t)cell->tokens.count; i++) {
		/* get_ipython().ast_node_interactivity = "all" */
		const struct syntax_statement *statement = syntax_statement_at(cell, i);
		uint32_t sign = syntax_after(cell, i);
		if (!syntax_is(cell, i, name) || !syntax_is_attribute(cell, i) ||
		    !syntax_is(cell, sign, SLICE("=")) || statement == NULL ||
		    sign >= statement->last_token)
			continue;
		struct slice value =
		        statement_text(cell, syntax_after(cell, sign), statement->last_token);
		choose_interactivity(echo, value, block_location(block, value));
	}
	vec_each(const struct magic, magic, &cell->magics) {
		struct slice value = magic_interactivity(magic);
		if (slice_cut_prefix(&value, SLICE("=")))
			choose_interactivity(echo, slice_trim(value),
			                     lexed_magic_location(cell, magic));
	}
}

void pass_echo(struct pass_context *context, struct program *program)
{
	block_refs blocks = program_code(context->arena, program);
	struct echo echo = {.context = context,
	                    .program = program,
	                    .interactivity = SLICE("last_expr"),
	                    .sets_exit = blocks_set_name(context->arena, &blocks, SLICE("exit")),
	                    .sets_quit = blocks_set_name(context->arena, &blocks, SLICE("quit"))};
	for (size_t i = 0; i < blocks.count; i++) {
		struct block *block = blocks.items[i];
		const struct lexed_cell *cell = block->code->lexed;
		syntax_value_list values = {0};
		struct syntax_value value;
		bool silent = context->options->build.no_echo ||
		              (block->origin != NULL && block->origin->silent);
		bool shows = !block_is_called(block) && !end_session(&echo, block) && !silent;
		if (shows && slice_eq(echo.interactivity, SLICE("last_expr")) &&
		    syntax_last_expression(cell, &value))
			echo_value(&echo, block, &value);
		if (shows && slice_eq(echo.interactivity, SLICE("all")) &&
		    !syntax_values(context->arena, cell, &values)) {
			for (size_t k = 0; k < values.count; k++)
				echo_value(&echo, block, &values.items[k]);
		}
		read_choice(&echo, block);
	}
}
