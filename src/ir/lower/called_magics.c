#include "ir/lower/called_magics.h"

#include "ir/lower/lowering.h"
#include "ir/pass.h"
#include "lex/statements.h"
#include "lex/syntax.h"

/* Returns the first word of a string's text, without % signs. */
static struct slice first_word(struct slice literal)
{
	size_t from = slice_find(literal, '"', 0), single = slice_find(literal, '\'', 0);
	from = single < from ? single : from;
	while (from < literal.len && slice_find(SLICE("\"'%"), literal.ptr[from], 0) < 3)
		from++;
	size_t to = from;
	while (to < literal.len && (ascii_is_alnum(literal.ptr[to]) || literal.ptr[to] == '_'))
		to++;
	return slice_sub(literal, from, to);
}

/* Adds the effect of the magic NAME, as in get_ipython().run_line_magic("matplotlib", "inline"). */
static void add_magic(struct program *program, struct slice name)
{
	static const enum magic_form forms[] = {FORM_LINE, FORM_CELL};
	for (size_t i = 0; name.len > 0 && i < sizeof forms / sizeof *forms; i++) {
		const struct magic_row *row = magic_find(name, forms[i]);
		if (row != NULL && row->action == ACTION_LOWER)
			program->effects |= lowering_find(name, forms[i])->effect;
	}
}

static const struct slice callers[] = {SLICE_INIT("run_line_magic"), SLICE_INIT("run_cell_magic"),
                                       SLICE_INIT("magic")};

enum { CALLER_COUNT = sizeof callers / sizeof *callers };

/* True if token AT is a string and the first argument of one of these. */
static bool names_magic(const struct lexed_cell *cell, uint32_t at)
{
	if (cell->tokens.items[at].kind != TOKEN_STRING)
		return false;
	uint32_t bracket = syntax_previous(cell, at), caller = syntax_previous(cell, bracket);
	return caller < bracket && syntax_is(cell, bracket, SLICE("(")) &&
	       slice_is_one_of(token_text(cell, &cell->tokens.items[caller]), callers,
	                       CALLER_COUNT);
}

void need_called_magics(struct program *program, const struct lexed_cell *cell)
{
	bool calls = false;
	for (size_t i = 0; i < CALLER_COUNT; i++)
		calls |= name_filter_may_have(&cell->names, callers[i]);
	for (uint32_t i = 0; calls && i < cell->tokens.count; i++) {
		if (names_magic(cell, i))
			add_magic(program, first_word(token_text(cell, &cell->tokens.items[i])));
	}
}
