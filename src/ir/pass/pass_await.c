/* Turns cells with top-level await into async functions that share their names with the module. */
#include "ir/pass/pass_await.h"
#include "base/name_set.h"
#include "ir/analysis/task_starters.h"
#include "ir/pass.h"
#include "lex/lex.h"
#include "lex/statements.h"
#include "lex/syntax.h"
#include "lex/syntax_await.h"
#include "notebook/notebook.h"

struct wrapper {
	struct pass_context *context;
	struct program *program;
	bool has_looked, uses_asyncio; /* searched once a cell seems to start tasks */
	struct task_starters starters;
};

/* "x: int = 1" is invalid after "global x", but "(x): int = 1" is valid. */
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

bool await_may_wrap(struct arena *arena, const struct block *block)
{
	struct task_starters starters;
	task_starters_init(&starters, arena, false);
	return syntax_has_top_level_await(block->lexed, arena) ||
	       task_starters_read(&starters, block->lexed);
}

static void find_asyncio(struct block *block, void *data)
{
	struct wrapper *wrapper = data;
	if (!block_is_code(block) || !name_filter_may_have(&block->lexed->names, SLICE("asyncio")))
		return;
	for (uint32_t i = 0; i < block->lexed->tokens.count; i++)
		wrapper->uses_asyncio |= syntax_is(block->lexed, i, SLICE("asyncio"));
}

static bool imports_nest_asyncio(const struct lexed_cell *cell)
{
	bool found = false;
	for (uint32_t i = 0; i < cell->tokens.count; i++)
		found |= syntax_is(cell, i, SLICE("nest_asyncio"));
	return found;
}

static void find_nesting(struct block *block, void *data)
{
	if (block_is_code(block) &&
	    name_filter_may_have(&block->lexed->names, SLICE("nest_asyncio")))
		*(bool *)data |= imports_nest_asyncio(block->lexed);
}

/* Adds the names that appear in CELL to SET. True if it has a star import. */
static bool add_names(struct name_set *set, const struct lexed_cell *cell)
{
	syntax_name_list names = {0};
	bool star = syntax_names(set->arena, cell, &names);
	for (size_t i = 0; i < names.count; i++)
		name_set_add(set, names.items[i].name);
	return star;
}

static void lex_text(struct arena *arena, struct slice text, struct lexed_cell *out)
{
	struct cell cell = {.type = CELL_CODE, .source = text};
	struct diags unheard;
	diags_init(&unheard, arena);
	lex_cell(arena, &cell, &unheard, out);
}

/* Adds the names of TEXT, a part of a magic. */
static bool add_names_of_text(struct name_set *set, struct slice text)
{
	struct lexed_cell lexed;
	lex_text(set->arena, text, &lexed);
	return add_names(set, &lexed);
}

/* Adds the names that the cell's magics may set: "x = %magic", "%time x = 1". */
static bool add_names_of_magics(struct name_set *set, const struct lexed_cell *cell)
{
	bool star = false;
	for (size_t i = 0; i < cell->magics.count; i++) {
		const struct magic *magic = &cell->magics.items[i];
		if (magic->assigned)
			add_names_of_text(set, magic->target);
		if (magic->kind == MAGIC_LINE && slice_eq(magic->name, SLICE("time")))
			star |= add_names_of_text(set, magic->args);
	}
	return star;
}

/* `return` and `yield` would be valid in the function and would end the cell. */
static void refuse_returns(struct pass_context *context, const struct block *block)
{
	syntax_statement_list statements = {0};
	syntax_outer_statements(context->arena, block->lexed, SLICE("return"), &statements);
	syntax_outer_statements(context->arena, block->lexed, SLICE("yield"), &statements);
	for (size_t i = 0; i < statements.count; i++) {
		const struct token *token =
		        &block->lexed->tokens.items[statements.items[i].first_token];
		diag_add(context->diags, DIAG_AWAIT_RETURN,
		         block_location(block, token->offset, token->len),
		         "'%.*s' outside of a function",
		         SLICE_ARG(token_text(block->lexed, token)));
	}
}

static bool uses_asyncio(struct wrapper *wrapper)
{
	if (!wrapper->has_looked)
		blocks_walk(&wrapper->program->blocks, find_asyncio, wrapper);
	wrapper->has_looked = true;
	return wrapper->uses_asyncio;
}

/* The statement of %time is part of the cell. */
static bool time_starts_tasks(struct task_starters *starters, const struct lexed_cell *cell)
{
	struct lexed_cell timed;
	bool starts = false;
	for (size_t i = 0; i < cell->magics.count; i++) {
		if (!slice_eq(cell->magics.items[i].name, SLICE("time")))
			continue;
		lex_text(starters->functions.arena, cell->magics.items[i].args, &timed);
		starts |= task_starters_read(starters, &timed);
	}
	return starts;
}

static bool wants_loop(struct wrapper *wrapper, const struct block *block)
{
	struct arena *arena = wrapper->context->arena;
	struct task_starters *starters = &wrapper->starters, fresh;
	/* Only an included cell's own code counts, as in await_may_wrap(). */
	if (block->notebook.len > 0) {
		starters = &fresh;
		task_starters_init(starters, arena, wrapper->starters.nests);
	}
	bool starts = task_starters_read(starters, block->lexed) ||
	              time_starts_tasks(starters, block->lexed);
	return (starts && uses_asyncio(wrapper)) || syntax_has_top_level_await(block->lexed, arena);
}

static void wrap(struct block *block, void *data)
{
	struct wrapper *wrapper = data;
	struct arena *arena = wrapper->context->arena;
	if (!block_is_code(block) || block_is_called(block))
		return;
	if (!wants_loop(wrapper, block))
		return;
	struct name_set names;
	name_set_init(&names, arena);
	bool star = add_names(&names, block->lexed);
	star |= add_names_of_magics(&names, block->lexed);
	if (star)
		diag_add(wrapper->context->diags, DIAG_AWAIT_STAR, block_cell_location(block),
		         "a cell with top-level await cannot contain a star import; move it to a "
		         "separate cell");
	for (size_t i = 0; i < names.names.count; i++)
		vec_push(arena, &block->globals, names.names.items[i]);
	bracket_annotations(arena, block);
	refuse_returns(wrapper->context, block);
	block->is_async = true;
	wrapper->program->effects |= NEED_EVENT_LOOP;
}

void pass_await(struct pass_context *context)
{
	for (size_t i = 0; i < context->ir->programs.count; i++) {
		struct wrapper wrapper = {.context = context,
		                          .program = &context->ir->programs.items[i]};
		bool nests = false;
		blocks_walk(&wrapper.program->blocks, find_nesting, &nests);
		task_starters_init(&wrapper.starters, context->arena, nests);
		blocks_walk(&wrapper.program->blocks, wrap, &wrapper);
	}
}
