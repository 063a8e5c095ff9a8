/* Decides whether a cell needs an event loop. */
#include "lex/syntax_await.h"

#include "lex/fields.h"
#include "lex/statements.h"

/* Reads the tokens of one statement. */
struct await_reader {
	const struct lexed_cell *cell;
	struct arena *arena;
	VECTOR(char) brackets; /* the open ones */
	bool in_lambda;        /* that is, in the outermost lambda */
	size_t lambda_depth;   /* number of open brackets where it began */
	unsigned parameters;   /* its lambdas without their ":" yet */
};

static void read_bracket(struct await_reader *r, char c)
{
	if (c == '(' || c == '[' || c == '{') {
		vec_push(r->arena, &r->brackets, c);
		return;
	}
	if (r->brackets.count > 0)
		r->brackets.count--;
	if (r->brackets.count < r->lambda_depth)
		r->in_lambda = false;
}

/* Tracks the start and end of the outermost lambda. Defaults of its parameters count as part of
 * it. */
static void read_lambda(struct await_reader *r, uint32_t at)
{
	if (syntax_is(r->cell, at, SLICE("lambda"))) {
		if (!r->in_lambda) {
			r->in_lambda = true;
			r->lambda_depth = r->brackets.count;
			r->parameters = 0;
		}
		r->parameters += r->brackets.count == r->lambda_depth;
		return;
	}
	if (!r->in_lambda || r->brackets.count > r->lambda_depth)
		return;
	if (r->parameters > 0)
		r->parameters -= syntax_is(r->cell, at, SLICE(":"));
	else if (syntax_is(r->cell, at, SLICE(",")) || syntax_is(r->cell, at, SLICE(":")) ||
	         syntax_is(r->cell, at, SLICE("for")) || syntax_is(r->cell, at, SLICE("async")))
		r->in_lambda = false;
}

/* An asynchronous generator expression needs no loop at its creation; other comprehensions do. */
static bool is_async_here(const struct await_reader *r, const struct syntax_statement *statement,
                          uint32_t at)
{
	if (!syntax_is(r->cell, at, SLICE("async")))
		return false;
	uint32_t next = statement_step(r->cell, statement, at);
	if (next > statement->last_token)
		return false;
	bool generator = r->brackets.count > 0 && r->brackets.items[r->brackets.count - 1] == '(';
	return syntax_is(r->cell, next, SLICE("with")) ||
	       (syntax_is(r->cell, next, SLICE("for")) && !generator);
}

/* True if a field of an f-string contains "await" or "async". Words in strings in a field count,
 * too: an unnecessary loop is harmless. */
static bool fstring_awaits(struct slice text)
{
	for (struct slice field, name; field_next(&text, &field);) {
		while (slice_next_name(&field, &name)) {
			if (slice_eq(name, SLICE("await")) || slice_eq(name, SLICE("async")))
				return true;
		}
	}
	return false;
}

static bool statement_awaits(struct await_reader *r, const struct syntax_statement *statement)
{
	r->brackets.count = 0;
	r->in_lambda = false;
	r->lambda_depth = 0;
	for (uint32_t at = statement->first_token; at <= statement->last_token;
	     at = statement_step(r->cell, statement, at)) {
		struct slice text = statement_token(r->cell, at);
		if (r->cell->tokens.items[at].kind == TOKEN_OP && text.len == 1 &&
		    strchr("()[]{}", text.ptr[0]) != NULL)
			read_bracket(r, text.ptr[0]);
		read_lambda(r, at);
		if (!r->in_lambda && r->cell->tokens.items[at].kind == TOKEN_FSTRING &&
		    fstring_awaits(text))
			return true;
		if (!r->in_lambda &&
		    (syntax_is(r->cell, at, SLICE("await")) || is_async_here(r, statement, at)))
			return true;
	}
	return false;
}

bool syntax_has_top_level_await(const struct lexed_cell *cell, struct arena *arena)
{
	struct statement_scope scope = {0};
	struct syntax_cursor cursor = {0};
	struct syntax_statement statement;
	struct await_reader reader = {.cell = cell, .arena = arena};
	if (!name_filter_may_have(&cell->names, SLICE("await")) &&
	    !name_filter_may_have(&cell->names, SLICE("async")))
		return false;
	while (syntax_next_statement(cell, &cursor, &statement)) {
		if (!statement_inside(cell, &statement, &scope) &&
		    statement_awaits(&reader, &statement))
			return true;
	}
	return false;
}
