#include "ir/analysis/task_starters.h"

#include "lex/statements.h"
#include "lex/syntax.h"

static const struct slice task_calls[] = {
        SLICE_INIT("create_task"),      SLICE_INIT("ensure_future"), SLICE_INIT("current_task"),
        SLICE_INIT("get_running_loop"), SLICE_INIT("all_tasks"),
};

enum { TASK_CALL_COUNT = sizeof task_calls / sizeof *task_calls };

/* run() counts only as asyncio.run(): other modules have methods of this name. */
static const struct slice nested_calls[] = {SLICE_INIT("run"), SLICE_INIT("run_until_complete")};

enum { NESTED_CALL_COUNT = sizeof nested_calls / sizeof *nested_calls };

void task_starters_init(struct task_starters *starters, struct arena *arena, bool nests)
{
	*starters = (struct task_starters){.nests = nests};
	for (size_t i = 0; nests && i < NESTED_CALL_COUNT; i++)
		name_filter_add(&starters->names, nested_calls[i]);
	name_set_init(&starters->functions, arena);
	name_set_init(&starters->methods, arena);
	for (size_t i = 0; i < TASK_CALL_COUNT; i++)
		name_filter_add(&starters->names, task_calls[i]);
}

/* A list of definitions that is searched in order. */
struct walk {
	syntax_definition_list list;
	size_t next;
};

/* Returns the definition that contains token INDEX, or NULL. INDEX must not decrease. */
static const struct syntax_definition *find_around(struct walk *walk, uint32_t index)
{
	while (walk->next < walk->list.count && walk->list.items[walk->next].last_token < index)
		walk->next++;
	bool stands_in =
	        walk->next < walk->list.count && walk->list.items[walk->next].first_token <= index;
	return stands_in ? &walk->list.items[walk->next] : NULL;
}

struct reader {
	struct task_starters *starters;
	const struct lexed_cell *cell;
	struct walk definitions; /* functions and classes of the cell */
	struct walk functions;   /* functions, and methods of classes */
	struct name_set used;    /* functions and classes that the cell may call */
};

/* Adds each name that appears outside of the function or class of that name. */
static void find_used(struct reader *reader)
{
	const struct lexed_cell *cell = reader->cell;
	struct walk walk = {.list = reader->definitions.list};
	for (uint32_t i = 0; i < cell->tokens.count; i++) {
		struct slice name = token_text(cell, &cell->tokens.items[i]);
		const struct syntax_definition *around = find_around(&walk, i);
		bool own = around != NULL && slice_eq(around->name, name);
		if (cell->tokens.items[i].kind == TOKEN_NAME && !own &&
		    !syntax_is_attribute(cell, i))
			name_set_add(&reader->used, name);
	}
}

static bool is_followed_by(const struct lexed_cell *cell, uint32_t index, struct slice text)
{
	return syntax_is(cell, syntax_next(cell, index + 1, (uint32_t)cell->tokens.count), text);
}

/* True if token INDEX is a name that is being defined: "def f", "as f", "f =". */
static bool is_defined(const struct lexed_cell *cell, uint32_t index)
{
	static const struct slice before[] = {SLICE_INIT("def"), SLICE_INIT("class"),
	                                      SLICE_INIT("as")};
	uint32_t previous = syntax_previous(cell, index);
	return is_followed_by(cell, index, SLICE("=")) ||
	       (previous < index && slice_is_one_of(token_text(cell, &cell->tokens.items[previous]),
	                                            before, sizeof before / sizeof *before));
}

/* asyncio.run, loop.run_until_complete */
static bool is_nested_call(const struct lexed_cell *cell, uint32_t index)
{
	uint32_t owner = syntax_previous(cell, syntax_previous(cell, index));
	return syntax_is(cell, index, SLICE("run_until_complete")) ||
	       (syntax_is(cell, index, SLICE("run")) && syntax_is(cell, owner, SLICE("asyncio")));
}

/* True if token INDEX starts tasks: as a call, or as a function that other code may call. */
static bool starts_task(const struct task_starters *starters, const struct lexed_cell *cell,
                        uint32_t index)
{
	const struct token *token = &cell->tokens.items[index];
	struct slice name = token_text(cell, token);
	if (token->kind != TOKEN_NAME || !name_filter_may_have(&starters->names, name) ||
	    is_defined(cell, index))
		return false;
	bool called = is_followed_by(cell, index, SLICE("("));
	bool attribute = syntax_is_attribute(cell, index);
	if (starters->nests && called && attribute && is_nested_call(cell, index))
		return true;
	if (slice_is_one_of(name, task_calls, TASK_CALL_COUNT))
		return called || attribute || is_followed_by(cell, index, SLICE("as"));
	return attribute ? called && name_set_has(&starters->methods, name)
	                 : name_set_has(&starters->functions, name);
}

static void add(struct task_starters *starters, struct name_set *names, struct slice name)
{
	name_set_add(names, name);
	name_filter_add(&starters->names, name);
}

/* FUNCTION starts tasks: adds the name that starts tasks when it is called. AROUND contains
 * FUNCTION. */
static void add_function(struct reader *reader, const struct syntax_definition *function,
                         const struct syntax_definition *around)
{
	struct task_starters *starters = reader->starters;
	/* A coroutine runs where it is awaited, and asyncio.run() requires no running loop here. */
	if (!syntax_is(reader->cell, function->first_token, SLICE("def")))
		return;
	bool is_method = function->first_token != around->first_token;
	if (!is_method)
		add(starters, &starters->functions, function->name);
	else if (slice_starts_with(function->name, SLICE("__")))
		add(starters, &starters->functions, around->name);
	else
		add(starters, &starters->methods, function->name);
}

static uint32_t next_token(const struct lexed_cell *cell, uint32_t index)
{
	return syntax_next(cell, index + 1, (uint32_t)cell->tokens.count);
}

/* True if STATEMENT assigns token INDEX, which starts tasks, or a lambda that contains it to a
 * name: "f = asyncio.create_task", "f = lambda: create_task(x)". */
static bool is_named(const struct lexed_cell *cell, const struct syntax_statement *statement,
                     uint32_t index)
{
	uint32_t second = next_token(cell, statement->first_token);
	return syntax_is(cell, second, SLICE("=")) &&
	       (index == statement->last_token ||
	        syntax_is(cell, next_token(cell, second), SLICE("lambda")));
}

/* Returns the token of the new name that token INDEX, which starts tasks, gets, or INDEX: as above,
 * "import create_task as f", "class F(Starter)". */
static uint32_t new_name(const struct lexed_cell *cell, uint32_t index)
{
	const struct syntax_statement *statement = syntax_statement_at(cell, index);
	uint32_t found = index, count = (uint32_t)cell->tokens.count;
	if (is_followed_by(cell, index, SLICE("as")))
		found = next_token(cell, next_token(cell, index));
	else if (statement != NULL && syntax_is(cell, statement->first_token, SLICE("class")))
		found = next_token(cell, statement->first_token);
	else if (statement != NULL && is_named(cell, statement, index))
		found = statement->first_token;
	return found < count ? found : index;
}

/* Reads the cell once. True if it starts tasks. */
static bool read_tokens(struct reader *reader)
{
	bool starts = false;
	reader->definitions.next = reader->functions.next = 0;
	for (uint32_t i = 0; i < reader->cell->tokens.count; i++) {
		if (!starts_task(reader->starters, reader->cell, i))
			continue;
		const struct syntax_definition *around = find_around(&reader->definitions, i);
		const struct syntax_definition *function = find_around(&reader->functions, i);
		uint32_t name = new_name(reader->cell, i);
		if (function != NULL)
			add_function(reader, function, around);
		else if (name != i)
			add(reader->starters, &reader->starters->functions,
			    token_text(reader->cell, &reader->cell->tokens.items[name]));
		starts |= function == NULL ? name == i : name_set_has(&reader->used, around->name);
	}
	return starts;
}

bool task_starters_read(struct task_starters *starters, const struct lexed_cell *cell)
{
	enum { ROUNDS_MAX = 4 }; /* a function may call one that is defined below it */
	struct arena *arena = starters->functions.arena;
	struct reader reader = {.starters = starters, .cell = cell};
	bool starts = false, looks = false;
	if (!name_filters_may_meet(&cell->names, &starters->names))
		return false;
	for (uint32_t i = 0; i < cell->tokens.count && !looks; i++)
		looks = starts_task(starters, cell, i);
	if (!looks)
		return false;
	syntax_definitions(arena, cell, &reader.definitions.list);
	syntax_functions(arena, cell, &reader.functions.list);
	name_set_init(&reader.used, arena);
	find_used(&reader);
	for (int round = 0; round < ROUNDS_MAX; round++) {
		size_t count = starters->functions.names.count + starters->methods.names.count;
		starts = read_tokens(&reader);
		if (count == starters->functions.names.count + starters->methods.names.count)
			break;
	}
	return starts;
}
