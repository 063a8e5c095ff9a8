/* Finds the names under which a notebook registers its own magics. */
#include "ir/build/own_magics.h"

#include "ir/build/builder.h"
#include "lex/syntax.h"

/* Decorators of IPython.core.magic. */
static const struct slice registrars[] = {
        SLICE_INIT("register_line_magic"),
        SLICE_INIT("register_cell_magic"),
        SLICE_INIT("register_line_cell_magic"),
        SLICE_INIT("line_magic"),
        SLICE_INIT("cell_magic"),
        SLICE_INIT("line_cell_magic"),
};

enum { REGISTRAR_COUNT = sizeof registrars / sizeof *registrars };

/* Returns the name at the start of the string token TEXT; empty if TEXT is not such a string. */
static struct slice name_in_string(struct slice text)
{
	if (text.len < 3 || (text.ptr[0] != '"' && text.ptr[0] != '\''))
		return slice_make("", 0);
	struct slice rest = slice_sub(text, 1, text.len - 1), name;
	return slice_next_name(&rest, &name) ? name : slice_make("", 0);
}

static void add(struct name_set *names, struct slice name)
{
	if (name.len > 0)
		name_set_add(names, name);
}

/* @line_magic("name"), or the name of the function below it. */
static void read_decorator(const struct lexed_cell *cell, uint32_t at, struct name_set *names)
{
	uint32_t count = (uint32_t)cell->tokens.count;
	uint32_t next = syntax_next(cell, at + 1, count);
	if (syntax_is(cell, next, SLICE("("))) {
		next = syntax_next(cell, next + 1, count);
		if (next < count)
			add(names, name_in_string(statement_token(cell, next)));
	}
	while (next < count && !syntax_is(cell, next, SLICE("def")))
		next++;
	next = syntax_next(cell, next + 1, count);
	if (next < count)
		add(names, statement_token(cell, next));
}

/* register_magic_function(function, "line", "name"): each of these may be the name. */
static void read_call(const struct lexed_cell *cell, uint32_t at, struct name_set *names)
{
	const struct syntax_statement *statement = syntax_statement_at(cell, at);
	for (at++; statement != NULL && at <= statement->last_token; at++) {
		const struct token *token = &cell->tokens.items[at];
		struct slice text = token_text(cell, token);
		if (token->kind == TOKEN_NAME)
			add(names, text);
		else if (token->kind == TOKEN_STRING)
			add(names, name_in_string(text));
	}
}

static bool may_register(const struct lexed_cell *cell)
{
	bool may = name_filter_may_have(&cell->names, SLICE("register_magic_function"));
	for (size_t i = 0; i < REGISTRAR_COUNT; i++)
		may |= name_filter_may_have(&cell->names, registrars[i]);
	return may;
}

void own_magics_find(const struct lexed_cell *cell, bool aliases, struct name_set *names)
{
	for (size_t i = 0; aliases && i < cell->magics.count; i++) {
		if (slice_eq(cell->magics.items[i].name, SLICE("alias_magic"))) {
			/* %alias_magic [-l] [-c] [-p PARAMS] NAME TARGET */
			struct slice rest = cell->magics.items[i].args,
			             word = slice_next_word(&rest);
			while (slice_starts_with(word, SLICE("-"))) {
				bool has_value = slice_eq(word, SLICE("-p")) ||
				                 slice_eq(word, SLICE("--params"));
				if (has_value)
					slice_next_word(&rest);
				word = slice_next_word(&rest);
			}
			add(names, word);
		}
	}
	for (uint32_t i = 0; may_register(cell) && i < cell->tokens.count; i++) {
		if (cell->tokens.items[i].kind != TOKEN_NAME)
			continue;
		struct slice name = statement_token(cell, i);
		if (slice_is_one_of(name, registrars, REGISTRAR_COUNT))
			read_decorator(cell, i, names);
		else if (slice_eq(name, SLICE("register_magic_function")))
			read_call(cell, i, names);
	}
}
