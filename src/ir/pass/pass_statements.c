/* Removes statements that have another meaning in a script than in a cell. `from __future__` imports
 * move to the top, since they are a syntax error inside a frame. `global` outside of functions has no
 * effect in a cell, which is compiled as a separate module; in the script it is an error if an earlier
 * cell has used the name. */
#include "base/quote.h"
#include "ir/passes.h"
#include "lex/syntax_names.h"

/* Replaces the statement by `pass`, or by empty parentheses if it has several lines, since line ends
 * have no meaning in them and the number of lines must stay. Its text stays as a comment if no code
 * follows it on its line. */
static void remove_statement(struct arena *arena, struct block *block,
                             const struct syntax_statement *statement)
{
	struct strbuf out = {.arena = arena};
	struct slice text =
	        statement_text(block->code->lexed, statement->first_token, statement->last_token);
	struct slice line, rest = text;
	slice_next_line(&rest, &line);
	bool single = rest.len == 0;
	strbuf_puts(&out, single ? "pass" : "(");
	if (!single || statement->alone) {
		strbuf_puts(&out, "  # ");
		comment_inline(&out, line);
	}
	while (slice_next_line(&rest, &line)) {
		strbuf_addc(&out, '\n');
		if (rest.len == 0)
			break;
		strbuf_puts(&out, "# ");
		comment_inline(&out, line);
	}
	if (!single)
		strbuf_addc(&out, ')');
	block_add_edit(arena, block, text, strbuf_slice(&out));
}

static void move_future(struct pass_context *context, struct program *program, struct block *block,
                        const struct syntax_future *future)
{
	/* Names of Python's __future__ module. barry_as_FLUFL would change `!=` for all cells. */
	bool can_move = future->names.count > 0;
	for (size_t i = 0; i < future->names.count; i++)
		can_move &= slice_is_word_of(
		        future->names.items[i],
		        "nested_scopes generators division absolute_import with_statement "
		        "print_function unicode_literals generator_stop annotations");
	if (!can_move) {
		struct slice text =
		        statement_text(block->code->lexed, future->statement->first_token,
		                       future->statement->last_token);
		diag_add(context->diags, DIAG_FUTURE, block_location(block, text),
		         "this import cannot be moved to the top of the script, where Python "
		         "requires it");
		return;
	}
	for (size_t i = 0; i < future->names.count; i++) {
		if (!slice_is_one_of(future->names.items[i], program->futures.items,
		                     program->futures.count))
			vec_push(context->arena, &program->futures, future->names.items[i]);
	}
	remove_statement(context->arena, block, future->statement);
}

void pass_statements(struct pass_context *context, struct program *program)
{
	struct arena *arena = context->arena;
	block_refs blocks = program_code(arena, program);
	for (size_t i = 0; i < blocks.count; i++) {
		struct block *block = blocks.items[i];
		syntax_future_list futures = {0};
		syntax_statement_list globals = {0};
		syntax_future_imports(arena, block->code->lexed, &futures);
		for (size_t k = 0; k < futures.count; k++)
			move_future(context, program, block, &futures.items[k]);
		/* Text for a helper is kept, because %%timeit makes a function of it. */
		if (!block_is_called(block))
			syntax_outer_statements(arena, block->code->lexed, SLICE("global"),
			                        &globals);
		for (size_t k = 0; k < globals.count; k++)
			remove_statement(arena, block, &globals.items[k]);
	}
}
