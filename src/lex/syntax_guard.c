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
