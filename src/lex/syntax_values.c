/* The statements of a cell whose values IPython shows. */
#include "lex/syntax_values.h"

#include "lex/statements.h"

/* Statements that begin with one of these are not expressions, nor is "print x". */
static bool begins_expression(const struct lexed_cell *cell,
                              const struct syntax_statement *statement)
{
	uint32_t first = statement->first_token;
	uint32_t second = statement_step(cell, statement, first);
	if (syntax_is(cell, first, SLICE("not")) || syntax_is(cell, first, SLICE("lambda")) ||
	    syntax_is(cell, first, SLICE("await")))
		return true;
	if (cell->tokens.items[first].kind == TOKEN_OP)
		return !syntax_is(cell, first, SLICE("@"));
	if (!statement_is_operand(cell, first))
		return false;
	return cell->tokens.items[first].kind != TOKEN_NAME || second > statement->last_token ||
	       !statement_is_operand(cell, second);
}

/* True if no token outside of brackets and lambdas makes it another statement. Sets *IS_TUPLE at
 * commas and stars. */
static bool is_expression(const struct lexed_cell *cell, const struct syntax_statement *statement,
                          bool *is_tuple)
{
	struct statement_depth depth = {0};
	*is_tuple = syntax_is(cell, statement->first_token, SLICE("*"));
	for (uint32_t at = statement->first_token; at <= statement->last_token;
	     at = statement_step(cell, statement, at)) {
		if (!statement_outside(cell, at, &depth))
			continue;
		if (statement_is_assignment(cell, at) || syntax_is(cell, at, SLICE(":")))
			return false;
		*is_tuple |= syntax_is(cell, at, SLICE(","));
	}
	return true;
}

bool syntax_last_value(const struct lexed_cell *cell, uint32_t *first_token, uint32_t *last_token,
                       bool *is_tuple, bool *semicolon)
{
	uint32_t last = (uint32_t)cell->logical.count;
	while (last > 0 && cell->logical.items[last - 1].kind == LINE_BLANK)
		last--;
	if (cell->broken || last == 0 || cell->logical.items[last - 1].kind == LINE_MAGIC ||
	    cell->logical.items[last - 1].column > 0)
		return false;
	if (cell->statements.count == 0)
		return false;
	struct syntax_statement statement = cell->statements.items[cell->statements.count - 1];
	if (statement.logical + 1 < last || statement.header || statement.in_suite ||
	    !begins_expression(cell, &statement) || !is_expression(cell, &statement, is_tuple))
		return false;
	*first_token = statement.first_token;
	*last_token = statement.last_token;
	*semicolon = statement.semicolon;
	return true;
}

bool syntax_values(struct arena *arena, const struct lexed_cell *cell, syntax_value_list *out)
{
	struct statement_scope scope = {.classes = true};
	struct syntax_cursor cursor = {0};
	struct syntax_statement statement = {0};
	while (!cell->broken && syntax_next_statement(cell, &cursor, &statement)) {
		struct syntax_value value = {statement.first_token, statement.last_token, false};
		if (!statement_inside(cell, &statement, &scope) && !statement.header &&
		    begins_expression(cell, &statement) &&
		    is_expression(cell, &statement, &value.is_tuple))
			vec_push(arena, out, value);
	}
	/* IPython checks the cell's last token, which is a dedent after an indented line. */
	return statement.semicolon && cell->logical.items[statement.logical].column == 0;
}

bool syntax_last_expression(const struct lexed_cell *cell, uint32_t *first_token,
                            uint32_t *last_token, bool *is_tuple)
{
	bool semicolon;
	return syntax_last_value(cell, first_token, last_token, is_tuple, &semicolon) && !semicolon;
}

/* One more than the last logical line that is not blank; 0 if that line has no code that Python
 * sees at the top level. */
static uint32_t end_of_code(const struct lexed_cell *cell)
{
	uint32_t last = (uint32_t)cell->logical.count;
	while (last > 0 && cell->logical.items[last - 1].kind == LINE_BLANK)
		last--;
	return cell->broken || last == 0 || cell->logical.items[last - 1].kind == LINE_MAGIC ? 0
	                                                                                     : last;
}

/* True if a statement of the top level begins, rather than a clause of one. */
static bool begins_node(const struct lexed_cell *cell, const struct syntax_statement *statement)
{
	static const struct slice clauses[] = {SLICE_INIT("else"), SLICE_INIT("elif"),
	                                       SLICE_INIT("except"), SLICE_INIT("finally")};
	if (cell->logical.items[statement->logical].column > 0 || statement->in_suite)
		return false;
	return !statement->header || !slice_is_one_of(statement_keyword(cell, statement), clauses,
	                                              sizeof clauses / sizeof *clauses);
}

bool syntax_last_values(struct arena *arena, const struct lexed_cell *cell, syntax_value_list *out)
{
	syntax_value_list values = {0};
	struct syntax_cursor cursor = {0};
	struct syntax_statement statement = {0};
	uint32_t first = 0;
	if (end_of_code(cell) == 0)
		return false;
	bool semicolon = syntax_values(arena, cell, &values);
	while (syntax_next_statement(cell, &cursor, &statement)) {
		if (begins_node(cell, &statement))
			first = statement.first_token;
	}
	for (size_t i = 0; i < values.count; i++) {
		if (values.items[i].first_token >= first)
			vec_push(arena, out, values.items[i]);
	}
	return semicolon;
}

/* True for "name = value", "name += value", "name: type = value" with one target. */
static bool sets_one_name(const struct lexed_cell *cell, const struct syntax_statement *statement)
{
	struct statement_depth depth = {0};
	uint32_t sign = statement_step(cell, statement, statement->first_token);
	size_t assignments = 0;
	if (!statement_is_name(cell, statement->first_token) || sign > statement->last_token)
		return false;
	for (uint32_t at = sign; at <= statement->last_token;
	     at = statement_step(cell, statement, at)) {
		if (statement_outside(cell, at, &depth) && statement_is_assignment(cell, at))
			assignments++;
	}
	return syntax_is(cell, sign, SLICE(":")) ||
	       (statement_is_assignment(cell, sign) && assignments == 1);
}

bool syntax_last_target(const struct lexed_cell *cell, uint32_t *name, uint32_t *last_token)
{
	if (end_of_code(cell) == 0 || cell->statements.count == 0)
		return false;
	const struct syntax_statement *last = &cell->statements.items[cell->statements.count - 1];
	if (last->logical + 1 < end_of_code(cell) || last->header || last->semicolon ||
	    !begins_node(cell, last) || !sets_one_name(cell, last))
		return false;
	*name = last->first_token;
	*last_token = last->last_token;
	return true;
}
