#include "ir/analysis/profilers.h"

#include "lex/lex.h"
#include "lex/statements.h"

enum hook { HOOK_PROFILE, HOOK_TRACE };
enum sets { SETS_CALL, SETS_OBJECT };

struct profiler {
	struct slice module, name;
	enum hook hook;
	enum sets sets;
	const char *until;
};

static const struct profiler profilers[] = {
#define PROFILER(module, name, hook, sets, until)                                                  \
	{SLICE_INIT(module), SLICE_INIT(name), HOOK_##hook, SETS_##sets, until},
#include "ir/analysis/profilers.def"
#undef PROFILER
};

enum { PROFILER_COUNT = sizeof profilers / sizeof *profilers };
_Static_assert(PROFILER_COUNT <= 32, "bits of struct profiler_search");

static uint32_t next(const struct lexed_cell *cell, uint32_t at)
{
	return syntax_next(cell, at + 1, (uint32_t)cell->tokens.count);
}

/* from module import name */
static void find_bare_names(struct profiler_search *search, const struct lexed_cell *cell,
                            const struct syntax_statement *statement)
{
	uint32_t module = next(cell, statement->first_token);
	if (!syntax_is(cell, statement->first_token, SLICE("from")))
		return;
	for (uint32_t at = next(cell, module); at <= statement->last_token; at = next(cell, at)) {
		for (size_t row = 0; row < PROFILER_COUNT; row++) {
			if (syntax_is(cell, module, profilers[row].module) &&
			    syntax_is(cell, at, profilers[row].name))
				search->bare |= UINT32_C(1) << row;
		}
	}
}

void profilers_begin_cell(struct profiler_search *search, const struct lexed_cell *cell,
                          const syntax_slices *modules)
{
	uint32_t found = 0;
	for (size_t row = 0; row < PROFILER_COUNT; row++) {
		if (slice_is_one_of(profilers[row].module, modules->items, modules->count))
			found |= UINT32_C(1) << row;
	}
	search->imported |= found;
	search->here = 0;
	for (size_t row = 0; row < PROFILER_COUNT; row++) {
		uint32_t bit = UINT32_C(1) << row;
		if ((search->imported & bit) != 0 &&
		    name_filter_may_have(&cell->names, profilers[row].name))
			search->here |= bit;
	}
	struct syntax_cursor cursor = {0};
	struct syntax_statement statement;
	while (found != 0 && syntax_next_statement(cell, &cursor, &statement))
		find_bare_names(search, cell, &statement);
}

/* Sets *OUT to the hook that the instrumenter has set while BLOCK runs. False if it has set
 * none. */
static bool find_hook(const struct profiler_search *search, const struct block *block,
                      enum hook *out)
{
	static const struct slice type = SLICE_INIT("--instrumenter-type=");
	struct slice chosen = SLICE("cProfile");
	for (size_t i = 0; i < search->program->arguments.count; i++) {
		struct slice text = search->program->arguments.items[i].text;
		if (slice_eq(text, SLICE("--noinstrumenter")) ||
		    slice_eq(text, SLICE("--nopython")))
			return false;
		if (slice_starts_with(text, type))
			chosen = slice_sub(text, type.len, text.len);
	}
	bool traces = slice_eq(chosen, SLICE("trace")) || slice_eq(chosen, SLICE("cTrace"));
	*out = traces ? HOOK_TRACE : HOOK_PROFILE;
	/* A cell that calls Score-P's disable() avoids the conflict itself. */
	return block->kind == BLOCK_EXECUTE && !slice_eq(chosen, SLICE("dummy")) &&
	       slice_find_slice(block->code.text, SLICE("instrumenter.disable"), 0) ==
	               block->code.text.len;
}

static void warn(struct profiler_search *search, const struct block *block, uint32_t at,
                 const struct profiler *profiler)
{
	const struct token *token = &block->lexed->tokens.items[at];
	enum hook hook;
	if (!find_hook(search, block, &hook) || hook != profiler->hook)
		return;
	diag_add(search->diags, DIAG_OTHER_PROFILER,
	         block_location(block, token->offset, token->len),
	         "'%.*s.%.*s' replaces Score-P's instrumenter%s, and the measurement is lost",
	         SLICE_ARG(profiler->module), SLICE_ARG(profiler->name), profiler->until);
	diag_hint(search->diags, DIAG_OTHER_PROFILER,
	          "use %%%%execute_with_scorep in other cells only, or pass --noinstrumenter to "
	          "the bindings");
}

/* True if token AT is a call of ROW's "name" or "module.name". *FIRST: the first token. */
static bool is_row(const struct profiler_search *search, const struct lexed_cell *cell, uint32_t at,
                   size_t row, uint32_t *first)
{
	uint32_t bit = UINT32_C(1) << row;
	if ((search->here & bit) == 0 || !syntax_is(cell, at, profilers[row].name) ||
	    !syntax_is(cell, next(cell, at), SLICE("(")))
		return false;
	*first = at;
	if (!syntax_is_attribute(cell, at))
		return (search->bare & bit) != 0;
	*first = syntax_previous(cell, syntax_previous(cell, at));
	return syntax_is(cell, *first, profilers[row].module) && !syntax_is_attribute(cell, *first);
}

static struct profiler_object *find_object(struct profiler_search *search, struct slice variable)
{
	for (size_t i = 0; i < sizeof search->objects / sizeof *search->objects; i++) {
		if (slice_eq(search->objects[i].variable, variable))
			return &search->objects[i];
	}
	return NULL;
}

/* True if the expression at token FIRST is assigned to a variable, which is noted. */
static bool is_kept(struct profiler_search *search, const struct lexed_cell *cell, uint32_t first,
                    const struct profiler *profiler)
{
	uint32_t sign = syntax_previous(cell, first), variable = syntax_previous(cell, sign);
	struct profiler_object *place = find_object(search, SLICE(""));
	if (!syntax_is(cell, sign, SLICE("=")) || place == NULL ||
	    cell->tokens.items[variable].kind != TOKEN_NAME || syntax_is_attribute(cell, variable))
		return false;
	place->variable = token_text(cell, &cell->tokens.items[variable]);
	place->profiler = profiler;
	search->keeps = true;
	return true;
}

/* variable.enable(), with variable: */
static bool starts_object(const struct lexed_cell *cell, uint32_t at)
{
	static const struct slice methods[] = {
	        SLICE_INIT("enable"), SLICE_INIT("run"),     SLICE_INIT("runcall"),
	        SLICE_INIT("runctx"), SLICE_INIT("runfunc"), SLICE_INIT("start"),
	};
	uint32_t dot = next(cell, at), method = next(cell, dot);
	if (syntax_is(cell, syntax_previous(cell, at), SLICE("with")))
		return true;
	return syntax_is(cell, dot, SLICE(".")) && method < cell->tokens.count &&
	       slice_is_one_of(token_text(cell, &cell->tokens.items[method]), methods,
	                       sizeof methods / sizeof *methods);
}

static bool is_bound_anew(const struct lexed_cell *cell, uint32_t at)
{
	uint32_t behind = next(cell, at);
	return syntax_is(cell, behind, SLICE("=")) || syntax_is(cell, behind, SLICE("in")) ||
	       syntax_is(cell, syntax_previous(cell, at), SLICE("as"));
}

static void check_variable(struct profiler_search *search, const struct block *block, uint32_t at)
{
	const struct lexed_cell *cell = block->lexed;
	struct profiler_object *object =
	        find_object(search, token_text(cell, &cell->tokens.items[at]));
	if (object == NULL || syntax_is_attribute(cell, at))
		return;
	if (is_bound_anew(cell, at))
		object->variable = SLICE("");
	else if (starts_object(cell, at))
		warn(search, block, at, object->profiler);
}

bool profilers_may_stand(const struct profiler_search *search)
{
	return search->here != 0 || search->keeps;
}

void profilers_check(struct profiler_search *search, const struct block *block, uint32_t at)
{
	if (!profilers_may_stand(search))
		return;
	check_variable(search, block, at);
	for (size_t row = 0; row < PROFILER_COUNT; row++) {
		const struct profiler *profiler = &profilers[row];
		uint32_t first;
		if (is_row(search, block->lexed, at, row, &first) &&
		    (profiler->sets == SETS_CALL ||
		     !is_kept(search, block->lexed, first, profiler)))
			warn(search, block, at, profiler);
	}
}
