/* Turns cells with top-level await into async functions that share their names with the module. */
#include "ir/pass/pass_await.h"

#include "base/name_filter.h"
#include "base/name_set.h"
#include "ir/passes.h"
#include "lex/lex.h"
#include "lex/syntax.h"
#include "lex/syntax_names.h"
#include "notebook/notebook.h"

/* ---- cells that start tasks ---- */

/* Finds cells that start asyncio's tasks without an await, which is possible in Jupyter because an
 * event loop runs while a cell runs. Other libraries have functions of these names, too. */

/* Names that start tasks when they are called. */
struct task_starters {
	struct name_set functions; /* of the cells so far, and classes whose __methods__ do */
	struct name_set methods;
	struct name_filter names; /* these and asyncio's */
	bool nests;               /* asyncio.run() requires a running loop, too */
};

static const char task_calls[] =
        "create_task ensure_future current_task get_running_loop all_tasks";

/* NESTS: the notebook uses nest_asyncio, with which asyncio.run() uses the loop of Jupyter. */
static void task_starters_init(struct task_starters *starters, struct arena *arena, bool nests)
{
	*starters = (struct task_starters){
	        .nests = nests, .functions.arena = arena, .methods.arena = arena};
	/* run() counts only as asyncio.run(): other modules have methods of this name. */
	if (nests)
		name_filter_add_words(&starters->names, "run run_until_complete");
	name_filter_add_words(&starters->names, task_calls);
}

/* True if token INDEX starts tasks: as a call, or as a function that other code may call. */
static bool starts_task(const struct task_starters *starters, const struct lexed_cell *cell,
                        uint32_t index)
{
	const struct token *token = &cell->tokens.items[index];
	struct slice name = token_text(cell, token);
	if (token->kind != TOKEN_NAME || !name_filter_may_have(&starters->names, name))
		return false;
	/* Not a name that is being defined: "def f", "as f", "f =". */
	uint32_t previous = syntax_previous(cell, index), owner = syntax_previous(cell, previous);
	if (syntax_is(cell, syntax_after(cell, index), SLICE("=")) ||
	    (previous < index && slice_is_word_of(statement_token(cell, previous), "def class as")))
		return false;
	bool called = syntax_is(cell, syntax_after(cell, index), SLICE("("));
	bool attribute = syntax_is_attribute(cell, index);
	if (starters->nests && called && attribute &&
	    (slice_eq(name, SLICE("run_until_complete")) ||
	     (slice_eq(name, SLICE("run")) && syntax_is(cell, owner, SLICE("asyncio")))))
		return true;
	if (slice_is_word_of(name, task_calls))
		return called || attribute ||
		       syntax_is(cell, syntax_after(cell, index), SLICE("as"));
	return attribute ? called && name_set_has(&starters->methods, name)
	                 : name_set_has(&starters->functions, name);
}

static void add_starter(struct task_starters *starters, struct name_set *names, struct slice name)
{
	name_set_add(names, name);
	name_filter_add(&starters->names, name);
}

/* The function that contains STATEMENT starts tasks: adds the name that starts tasks when it is
 * called. */
static void add_function(struct task_starters *starters, const struct lexed_cell *cell,
                         const struct syntax_statement *statement)
{
	struct slice name = statement_defined(cell, statement->function);
	/* A coroutine runs where it is awaited, and asyncio.run() requires no running loop here. */
	if (!syntax_is(cell, cell->statements.items[statement->function].first_token, SLICE("def")))
		return;
	if (statement->function == statement->scope)
		add_starter(starters, &starters->functions, name);
	else if (slice_starts_with(name, SLICE("__")))
		add_starter(starters, &starters->functions,
		            statement_defined(cell, statement->scope));
	else
		add_starter(starters, &starters->methods, name);
}

/* Reads the cell once. True if it starts tasks. USED: functions and classes that it may call. */
static bool read_tasks(struct task_starters *starters, const struct lexed_cell *cell,
                       const struct name_set *used)
{
	bool starts = false;
	for (uint32_t i = 0; i < cell->tokens.count; i++) {
		if (!starts_task(starters, cell, i))
			continue;
		/* It may get a new name, as in "import create_task as f", "class F(Starter)". */
		const struct syntax_statement *statement = syntax_statement_at(cell, i);
		bool in_function = statement != NULL && statement->function != NO_STATEMENT;
		uint32_t found = i, count = (uint32_t)cell->tokens.count;
		uint32_t second =
		        statement == NULL ? count : syntax_after(cell, statement->first_token);
		if (syntax_is(cell, syntax_after(cell, i), SLICE("as")))
			found = syntax_after(cell, syntax_after(cell, i));
		else if (statement != NULL &&
		         syntax_is(cell, statement->first_token, SLICE("class")))
			found = second;
		/* "f = asyncio.create_task", "f = lambda: create_task(x)" */
		else if (statement != NULL && syntax_is(cell, second, SLICE("=")) &&
		         (i == statement->last_token ||
		          syntax_is(cell, syntax_after(cell, second), SLICE("lambda"))))
			found = statement->first_token;
		uint32_t name = found < count ? found : i;
		if (in_function)
			add_function(starters, cell, statement);
		else if (name != i)
			add_starter(starters, &starters->functions, statement_token(cell, name));
		starts |= in_function
		                  ? name_set_has(used, statement_defined(cell, statement->scope))
		                  : name == i;
	}
	return starts;
}

/* True if CELL starts tasks or requires a running loop when it runs. Adds the functions and methods
 * of CELL that do so when they are called. */
static bool task_starters_read(struct task_starters *starters, const struct lexed_cell *cell)
{
	enum { ROUNDS_MAX = 4 }; /* a function may call one that is defined below it */
	struct name_set used = {.arena = starters->functions.arena};
	bool starts = false, looks = false;
	if (!name_filters_may_meet(&cell->names, &starters->names))
		return false;
	for (uint32_t i = 0; i < cell->tokens.count && !looks; i++)
		looks = starts_task(starters, cell, i);
	if (!looks)
		return false;
	/* Each name that appears outside of the function or class of that name. */
	for (uint32_t i = 0; i < cell->tokens.count; i++) {
		struct slice name = statement_token(cell, i);
		if (cell->tokens.items[i].kind != TOKEN_NAME || syntax_is_attribute(cell, i))
			continue;
		const struct syntax_statement *statement = syntax_statement_at(cell, i);
		bool own = statement != NULL && statement->scope != NO_STATEMENT &&
		           slice_eq(statement_defined(cell, statement->scope), name);
		if (!own)
			name_set_add(&used, name);
	}
	for (int round = 0; round < ROUNDS_MAX; round++) {
		size_t count = starters->functions.names.count + starters->methods.names.count;
		starts = read_tasks(starters, cell, &used);
		if (count == starters->functions.names.count + starters->methods.names.count)
			break;
	}
	return starts;
}

/* ---- the pass ---- */

struct await_wrapper {
	struct pass_context *context;
	struct program *program;
	bool uses_asyncio;
	struct task_starters starters;
};

bool await_may_wrap(struct arena *arena, const struct block *block)
{
	struct task_starters starters;
	task_starters_init(&starters, arena, false);
	return syntax_has_top_level_await(arena, block->code->lexed) ||
	       task_starters_read(&starters, block->code->lexed);
}

/* True if the program's code contains NAME. */
static bool uses_name(const block_refs *blocks, struct slice name)
{
	for (size_t i = 0; i < blocks->count; i++) {
		if (syntax_has(blocks->items[i]->code->lexed, name))
			return true;
	}
	return false;
}

/* Adds the names of TEXT, a part of a magic. */
static bool add_names_of_text(struct name_set *set, struct slice text)
{
	struct lexed_cell lexed;
	lex_text(set->arena, text, &lexed);
	return syntax_names(&lexed, set);
}

static bool wants_loop(struct await_wrapper *wrapper, const struct lexed_cell *cell,
                       bool is_included)
{
	struct arena *arena = wrapper->context->arena;
	struct task_starters *starters = &wrapper->starters, fresh;
	/* Only an included cell's own code counts, as in await_may_wrap(). */
	if (is_included) {
		task_starters_init(&fresh, arena, starters->nests);
		starters = &fresh;
	}
	bool own = task_starters_read(starters, cell), starts = own;
	/* The statement of %time is part of the cell. */
	for (size_t i = 0; i < cell->magics.count && !own; i++) {
		struct lexed_cell timed;
		if (!slice_eq(cell->magics.items[i].name, SLICE("time")))
			continue;
		lex_text(arena, cell->magics.items[i].args, &timed);
		starts |= task_starters_read(starters, &timed);
	}
	return (starts && wrapper->uses_asyncio) || syntax_has_top_level_await(arena, cell);
}

static void wrap_cell(struct await_wrapper *wrapper, struct block *block)
{
	struct arena *arena = wrapper->context->arena;
	const struct lexed_cell *cell = block->code->lexed;
	if (block_is_called(block) || !wants_loop(wrapper, cell, block->origin != NULL))
		return;
	struct name_set names = {.arena = arena};
	bool star = syntax_names(cell, &names);
	/* Magics may set names, too: "x = %magic", "%time x = 1". */
	for (size_t i = 0; i < cell->magics.count; i++) {
		const struct magic *magic = &cell->magics.items[i];
		if (magic->assigned)
			add_names_of_text(&names, magic->target);
		if (magic->kind == MAGIC_LINE && slice_eq(magic->name, SLICE("time")))
			star |= add_names_of_text(&names, magic->args);
	}
	if (star)
		diag_add(wrapper->context->diags, DIAG_AWAIT_STAR, block_cell_location(block),
		         "a cell with top-level await cannot contain a star import; move it to a "
		         "separate cell");
	for (size_t i = 0; i < names.names.count; i++)
		vec_push(arena, &block->code->globals, names.names.items[i]);
	/* "x: int = 1" is invalid after "global x", but "(x): int = 1" is valid. */
	syntax_token_list targets = {0};
	syntax_annotations(arena, cell, &targets);
	for (size_t i = 0; i < targets.count; i++) {
		const struct token *token = &cell->tokens.items[targets.items[i]];
		block_add_edit(arena, block, token->offset, 0, SLICE("("));
		block_add_edit(arena, block, token->offset + token->len, 0, SLICE(")"));
	}
	/* `return` and `yield` would be valid in the function and would end the cell. */
	syntax_statement_list ends = {0};
	syntax_outer_statements(arena, cell, SLICE("return"), &ends);
	syntax_outer_statements(arena, cell, SLICE("yield"), &ends);
	for (size_t i = 0; i < ends.count; i++) {
		uint32_t at = ends.items[i].first_token;
		diag_add(wrapper->context->diags, DIAG_AWAIT_RETURN,
		         block_token_location(block, at), "'%.*s' outside of a function",
		         SLICE_ARG(statement_token(cell, at)));
	}
	block->code->is_async = true;
	wrapper->program->effects |= NEED_EVENT_LOOP;
}

void pass_await(struct pass_context *context, struct program *program)
{
	block_refs blocks = program_code(context->arena, program);
	struct await_wrapper wrapper = {.context = context,
	                                .program = program,
	                                .uses_asyncio = uses_name(&blocks, SLICE("asyncio"))};
	/* nest_asyncio: asyncio.run() uses the loop of Jupyter. */
	task_starters_init(&wrapper.starters, context->arena,
	                   uses_name(&blocks, SLICE("nest_asyncio")));
	for (size_t i = 0; i < blocks.count; i++)
		wrap_cell(&wrapper, blocks.items[i]);
}
