/* `if __name__ == "__main__":` marks code that a script runs, but an imported module does not. */
#include "lex/syntax_guard.h"

#include "lex/statements.h"

static bool is_main_string(const struct lexed_cell *cell, uint32_t index)
{
	struct slice text = token_text(cell, &cell->tokens.items[index]);
	return cell->tokens.items[index].kind == TOKEN_STRING &&
	       (slice_eq(text, SLICE("'__main__'")) || slice_eq(text, SLICE("\"__main__\"")));
}

bool statement_is_main_guard(const struct lexed_cell *cell,
                             const struct syntax_statement *statement)
{
	static const struct slice name = SLICE_INIT("__name__");
	uint32_t left = statement_step(cell, statement, statement->first_token);
	uint32_t sign = statement_step(cell, statement, left);
	uint32_t right = statement_step(cell, statement, sign);
	if (!syntax_is(cell, statement->first_token, SLICE("if")) ||
	    right >= statement->last_token || !syntax_is(cell, sign, SLICE("==")))
		return false;
	return (syntax_is(cell, left, name) && is_main_string(cell, right)) ||
	       (is_main_string(cell, left) && syntax_is(cell, right, name));
}

bool syntax_has_main_guard(const struct lexed_cell *cell)
{
	struct statement_scope scope = {.classes = true};
	struct syntax_cursor cursor = {0};
	struct syntax_statement statement;
	if (!name_filter_may_have(&cell->names, SLICE("__name__")))
		return false;
	while (syntax_next_statement(cell, &cursor, &statement)) {
		if (!statement_inside(cell, &statement, &scope) &&
		    statement_is_main_guard(cell, &statement))
			return true;
	}
	return false;
}

static bool calls(const struct lexed_cell *cell, const struct syntax_statement *statement,
                  const struct slice *names, size_t count)
{
	for (uint32_t at = statement->first_token; at <= statement->last_token;
	     at = statement_step(cell, statement, at)) {
		if (slice_is_one_of(statement_token(cell, at), names, count) &&
		    syntax_is(cell, statement_step(cell, statement, at), SLICE("(")))
			return true;
	}
	return false;
}

bool syntax_calls_unguarded(const struct lexed_cell *cell, const struct slice *names, size_t count)
{
	struct statement_scope scope = {.guards = true};
	struct syntax_cursor cursor = {0};
	struct syntax_statement statement;
	while (syntax_next_statement(cell, &cursor, &statement)) {
		if (!statement_inside(cell, &statement, &scope) &&
		    calls(cell, &statement, names, count))
			return true;
	}
	return false;
}
