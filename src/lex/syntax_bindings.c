/* The names that a cell may set, anywhere in it. */
#include "lex/syntax_bindings.h"

#include "lex/statements.h"

/* The state after the tokens of a statement visited so far. */
struct binder {
	const struct lexed_cell *cell;
	const struct syntax_statement *statement;
	bool all;             /* names are set at any place: def, import, global */
	uint32_t last_equals; /* the last "=" or the like outside of brackets, or 0 */
	unsigned calls;       /* open brackets of calls and indices, and brackets in them */
	unsigned loops;       /* "for" without its "in" yet */
	unsigned lambdas;     /* without their ":" yet */
};

static uint32_t last_assignment(const struct lexed_cell *cell,
                                const struct syntax_statement *statement)
{
	struct statement_depth depth = {0};
	uint32_t found = 0;
	for (uint32_t at = statement->first_token; at <= statement->last_token;
	     at = statement_step(cell, statement, at)) {
		if (statement_outside(cell, at, &depth) && statement_is_assignment(cell, at))
			found = at;
	}
	return found;
}

static void count_bracket(struct binder *binder, uint32_t at)
{
	static const struct slice open[] = {SLICE_INIT("("), SLICE_INIT("["), SLICE_INIT("{")};
	static const struct slice closed[] = {SLICE_INIT(")"), SLICE_INIT("]"), SLICE_INIT("}")};
	struct slice text = statement_token(binder->cell, at);
	uint32_t before = syntax_previous(binder->cell, at);
	bool has_operand = at > binder->statement->first_token && before < at &&
	                   statement_is_operand(binder->cell, before);
	if (slice_is_one_of(text, open, 3))
		binder->calls += binder->calls > 0 || has_operand;
	else if (slice_is_one_of(text, closed, 3) && binder->calls > 0)
		binder->calls--;
}

static void take_keyword(struct binder *binder, uint32_t at)
{
	const struct lexed_cell *cell = binder->cell;
	if (syntax_is(cell, at, SLICE("for")))
		binder->loops++;
	else if (syntax_is(cell, at, SLICE("in")) && binder->loops > 0)
		binder->loops--;
	else if (syntax_is(cell, at, SLICE("lambda")))
		binder->lambdas++;
	else if (syntax_is(cell, at, SLICE(":")) && binder->lambdas > 0)
		binder->lambdas--;
	else
		count_bracket(binder, at);
}

static bool is_set(const struct binder *binder, uint32_t at)
{
	static const struct slice before[] = {SLICE_INIT("as"), SLICE_INIT("class")};
	const struct lexed_cell *cell = binder->cell;
	uint32_t previous = syntax_previous(cell, at);
	uint32_t next = statement_step(cell, binder->statement, at);
	bool annotated = at == binder->statement->first_token && syntax_is(cell, next, SLICE(":"));
	return binder->all || binder->loops > 0 || binder->lambdas > 0 || annotated ||
	       (at < binder->last_equals && binder->calls == 0) ||
	       syntax_is(cell, next, SLICE(":=")) ||
	       (previous < at && slice_is_one_of(statement_token(cell, previous), before, 2));
}

static void find_in_statement(struct arena *arena, struct binder *binder, syntax_token_list *out)
{
	const struct lexed_cell *cell = binder->cell;
	for (uint32_t at = binder->statement->first_token; at <= binder->statement->last_token;
	     at = statement_step(cell, binder->statement, at)) {
		if (!statement_is_name(cell, at))
			take_keyword(binder, at);
		else if (!syntax_is_attribute(cell, at) && is_set(binder, at))
			vec_push(arena, out, at);
	}
}

void syntax_bindings(struct arena *arena, const struct lexed_cell *cell, syntax_token_list *out)
{
	static const struct slice all[] = {SLICE_INIT("def"), SLICE_INIT("import"),
	                                   SLICE_INIT("from"), SLICE_INIT("global"),
	                                   SLICE_INIT("nonlocal")};
	struct syntax_cursor cursor = {0};
	struct syntax_statement statement;
	while (syntax_next_statement(cell, &cursor, &statement)) {
		struct binder binder = {
		        .cell = cell,
		        .statement = &statement,
		        .all = slice_is_one_of(statement_keyword(cell, &statement), all, 5),
		        .last_equals = last_assignment(cell, &statement),
		};
		find_in_statement(arena, &binder, out);
	}
}
