/* Cells with top-level await become async functions that share their names with the module. */
#include "base/name_set.h"
#include "ir/pass.h"
#include "lex/lex.h"
#include "lex/syntax.h"
#include "notebook/notebook.h"

struct wrapper {
	struct pass_context *context;
	struct program *program;
	bool has_looked, uses_asyncio; /* known only where a cell looks as if it starts tasks */
	struct name_set starters;      /* functions of the cells so far that do */
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
	return syntax_is(cell, syntax_previous(cell, index), SLICE("def"));
}

static bool is_called(const struct lexed_cell *cell, uint32_t index)
{
	return syntax_is(cell, syntax_next(cell, index + 1, (uint32_t)cell->tokens.count),
	                 SLICE("("));
}

/* Does token INDEX call what starts a task or wants a running loop? Others than asyncio's have such
 * names, too. */
static bool is_task_call(const struct lexed_cell *cell, uint32_t index)
{
	static const struct slice names[] = {
	        SLICE_INIT("create_task"),  SLICE_INIT("ensure_future"),
	        SLICE_INIT("current_task"), SLICE_INIT("get_running_loop"),
	        SLICE_INIT("all_tasks"),
	};
	const struct token *token = &cell->tokens.items[index];
	return token->kind == TOKEN_NAME &&
	       slice_is_one_of(token_text(cell, token), names, sizeof names / sizeof *names) &&
	       !is_defined(cell, index) && is_called(cell, index);
}

/* The names of functions and classes that stand outside of these: the cell may call them. */
static void find_used(const struct lexed_cell *cell, const syntax_definition_list *definitions,
                      struct name_set *used)
{
	size_t next = 0;
	for (uint32_t i = 0; i < cell->tokens.count; i++) {
		const struct token *token = &cell->tokens.items[i];
		while (next < definitions->count && definitions->items[next].last_token < i)
			next++;
		struct slice name = token_text(cell, token);
		bool own = next < definitions->count && definitions->items[next].first_token <= i &&
		           slice_eq(definitions->items[next].name, name);
		if (token->kind == TOKEN_NAME && !own && !syntax_is_attribute(cell, i))
			name_set_add(used, name);
	}
}

static bool is_call_of(const struct lexed_cell *cell, uint32_t index, const struct name_set *names)
{
	const struct token *token = &cell->tokens.items[index];
	return names->names.count > 0 && token->kind == TOKEN_NAME &&
	       name_set_has(names, token_text(cell, token)) && !is_defined(cell, index) &&
	       !syntax_is_attribute(cell, index) && is_called(cell, index);
}

/* In Jupyter an event loop runs while a cell does, so that a cell without await can start tasks. A
 * cell does not that only defines what will: such functions are added to STARTERS, whose calls start
 * tasks, too. */
static bool starts_tasks(const struct lexed_cell *cell, struct name_set *starters)
{
	syntax_definition_list definitions = {0};
	struct name_set used;
	bool has_looked = false, starts = false;
	size_t next = 0;
	for (uint32_t i = 0; i < cell->tokens.count; i++) {
		if (!is_task_call(cell, i) && !is_call_of(cell, i, starters))
			continue;
		if (!has_looked) {
			syntax_definitions(starters->arena, cell, &definitions);
			name_set_init(&used, starters->arena);
			find_used(cell, &definitions, &used);
			has_looked = true;
		}
		while (next < definitions.count && definitions.items[next].last_token < i)
			next++;
		if (next == definitions.count || i < definitions.items[next].first_token) {
			starts = true;
			continue;
		}
		const struct syntax_definition *around = &definitions.items[next];
		starts |= name_set_has(&used, around->name);
		/* A coroutine runs where somebody awaits it, and asyncio.run() wants no loop here. */
		if (syntax_is(cell, around->first_token, SLICE("def")))
			name_set_add(starters, around->name);
	}
	return starts;
}

bool await_may_wrap(struct arena *arena, const struct block *block)
{
	struct name_set starters;
	name_set_init(&starters, arena);
	return syntax_has_top_level_await(block->lexed, arena) ||
	       starts_tasks(block->lexed, &starters);
}

static void find_asyncio(struct block *block, void *data)
{
	struct wrapper *wrapper = data;
	for (uint32_t i = 0; block_is_code(block) && i < block->lexed->tokens.count; i++)
		wrapper->uses_asyncio |= syntax_is(block->lexed, i, SLICE("asyncio"));
}

/* Adds the names that stand in CELL to SET; is there a star import? */
static bool add_names(struct name_set *set, const struct lexed_cell *cell)
{
	syntax_name_list names = {0};
	bool star = syntax_names(set->arena, cell, &names);
	for (size_t i = 0; i < names.count; i++)
		name_set_add(set, names.items[i].name);
	return star;
}

/* Those of TEXT, a part of a magic. */
static bool add_names_of_text(struct name_set *set, struct slice text)
{
	struct cell cell = {.type = CELL_CODE, .source = text};
	struct lexed_cell lexed;
	struct diags unheard;
	diags_init(&unheard, set->arena);
	lex_cell(set->arena, &cell, &unheard, &lexed);
	return add_names(set, &lexed);
}

/* Those that the cell's magics may set: "x = %magic", "%time x = 1". */
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

/* In a function they would be allowed, and end it. */
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

static void wrap(struct block *block, void *data)
{
	struct wrapper *wrapper = data;
	struct arena *arena = wrapper->context->arena;
	if (!block_is_code(block) || block_is_called(block))
		return;
	/* An included cell that would need a function for what the cell itself says is not included. */
	struct name_set *starters = &wrapper->starters, none;
	name_set_init(&none, arena);
	if (block->notebook.len > 0)
		starters = &none;
	bool tasks = starts_tasks(block->lexed, starters) && uses_asyncio(wrapper);
	if (!tasks && !syntax_has_top_level_await(block->lexed, arena))
		return;
	struct name_set names;
	name_set_init(&names, arena);
	bool star = add_names(&names, block->lexed);
	star |= add_names_of_magics(&names, block->lexed);
	if (star)
		diag_add(wrapper->context->diags, DIAG_AWAIT_STAR, block_cell_location(block),
		         "a star import cannot stand in a cell with top-level await; put it into "
		         "a cell of its own");
	for (size_t i = 0; i < names.names.count; i++)
		vec_push(arena, &block->globals, names.names.items[i]);
	bracket_annotations(arena, block);
	refuse_returns(wrapper->context, block);
	block->is_async = true;
	program_add_snippet(arena, wrapper->program, SLICE("await"));
}

void pass_await(struct pass_context *context)
{
	for (size_t i = 0; i < context->ir->programs.count; i++) {
		struct wrapper wrapper = {.context = context,
		                          .program = &context->ir->programs.items[i]};
		name_set_init(&wrapper.starters, context->arena);
		blocks_walk(&wrapper.program->blocks, wrap, &wrapper);
	}
}
