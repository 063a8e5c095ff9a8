/* Turns cells with top-level await into async functions that share their names with the module. */
#include "ir/passes.h"
#include "lex/syntax_names.h"
#include "notebook/notebook.h"

/* Adds the names of TEXT, a part of a magic. */
static bool add_names_of_text(struct name_set *set, struct slice text)
{
	struct lexed_cell lexed;
	lex_text(set->arena, text, &lexed);
	return syntax_names(&lexed, set);
}

static void wrap_cell(struct pass_context *context, struct program *program, struct block *block)
{
	struct arena *arena = context->arena;
	const struct lexed_cell *cell = block->code->lexed;
	if (block_is_called(block) || !syntax_has_top_level_await(arena, cell))
		return;
	struct name_set names = {.arena = arena};
	bool star = syntax_names(cell, &names);
	/* Magics may set names, too: "x = %magic", "%time x = 1". */
	vec_each(const struct magic, magic, &cell->magics) {
		if (magic->assigned)
			add_names_of_text(&names, magic->target);
		if (magic->kind == MAGIC_LINE && slice_eq(magic->name, SLICE("time")))
			star |= add_names_of_text(&names, magic->args);
	}
	if (star)
		diag_add(context->diags, DIAG_AWAIT_STAR, block_cell_location(block),
		         "a cell with top-level await cannot contain a star import; move it to a "
		         "separate cell");
	for (size_t i = 0; i < names.names.count; i++)
		vec_push(arena, &block->code->globals, names.names.items[i]);
	/* "x: int = 1" is invalid after "global x", but "(x): int = 1" is valid. */
	syntax_token_list targets = {0};
	syntax_annotations(arena, cell, &targets);
	for (size_t i = 0; i < targets.count; i++) {
		struct slice target = statement_token(cell, targets.items[i]);
		block_add_edit(arena, block, slice_sub(target, 0, 0), SLICE("("));
		block_add_edit(arena, block, slice_tail(target, target.len), SLICE(")"));
	}
	/* `return` and `yield` would be valid in the function and would end the cell. */
	syntax_statement_list ends = {0};
	syntax_outer_statements(arena, cell, SLICE("return"), &ends);
	syntax_outer_statements(arena, cell, SLICE("yield"), &ends);
	for (size_t i = 0; i < ends.count; i++) {
		uint32_t at = ends.items[i].first_token;
		diag_add(context->diags, DIAG_AWAIT_RETURN, block_token_location(block, at),
		         "'%.*s' outside of a function", SLICE_ARG(statement_token(cell, at)));
	}
	block->code->is_async = true;
	program->effects |= NEED_EVENT_LOOP;
}

/* True if the cell starts tasks of asyncio, or has a function that does, which may be called without await: in Jupyter
 * an event loop is running then, which nest_asyncio uses, too. A coroutine runs where it is awaited. */
static bool starts_tasks(const struct lexed_cell *cell)
{
	for (uint32_t i = 0; i < cell->tokens.count; i++) {
		const struct syntax_statement *statement;
		if (cell->tokens.items[i].kind != TOKEN_NAME ||
		    !slice_is_word_of(statement_token(cell, i),
		                      "create_task ensure_future current_task get_running_loop "
		                      "all_tasks nest_asyncio"))
			continue;
		statement = syntax_statement_at(cell, i);
		if (statement != NULL &&
		    (statement->function == NO_STATEMENT ||
		     syntax_is(cell, cell->statements.items[statement->function].first_token,
		               SLICE("def"))))
			return true;
	}
	return false;
}

void pass_await(struct pass_context *context, struct program *program)
{
	block_refs blocks = program_code(context->arena, program);
	bool uses_asyncio = false;
	for (size_t i = 0; i < blocks.count; i++) {
		wrap_cell(context, program, blocks.items[i]);
		uses_asyncio |= syntax_has(blocks.items[i]->code->lexed, SLICE("asyncio"));
	}
	for (size_t i = 0; uses_asyncio && i < blocks.count; i++) {
		if (starts_tasks(blocks.items[i]->code->lexed))
			program->effects |= NEED_EVENT_LOOP;
	}
}
