/* Imports and names of a cell. */
#include "base/name_set.h"
#include "lex/statements.h"

bool syntax_has_code(const struct lexed_cell *cell)
{
	return cell->last_line != UINT32_MAX;
}

static uint32_t find_word(const struct lexed_cell *cell, const struct syntax_statement *statement,
                          uint32_t at, struct slice word)
{
	while (at <= statement->last_token && !syntax_is(cell, at, word))
		at = statement_step(cell, statement, at);
	return at;
}

void syntax_future_imports(struct arena *arena, const struct lexed_cell *cell,
                           syntax_future_list *out)
{
	struct syntax_cursor cursor = {0};
	struct syntax_statement statement;
	if (!name_filter_may_have(&cell->names, SLICE("__future__")))
		return;
	while (syntax_next_statement(cell, &cursor, &statement)) {
		uint32_t first = statement.first_token;
		uint32_t second = statement_step(cell, &statement, first);
		if (!syntax_is(cell, first, SLICE("from")) || second > statement.last_token ||
		    !syntax_is(cell, second, SLICE("__future__")) || statement.in_suite ||
		    cell->logical.items[statement.logical].column > 0)
			continue;
		struct syntax_future future = {.first_token = first,
		                               .last_token = statement.last_token,
		                               .logical = statement.logical,
		                               .alone = statement.alone};
		uint32_t at = find_word(cell, &statement, statement.first_token, SLICE("import"));
		bool renamed = false;
		while (at <= statement.last_token) {
			if (statement_is_name(cell, at) && !renamed)
				vec_push(arena, &future.names, statement_token(cell, at));
			renamed = syntax_is(cell, at, SLICE("as"));
			at = statement_step(cell, &statement, at);
		}
		vec_push(arena, out, future);
	}
}

void syntax_outer_statements(struct arena *arena, const struct lexed_cell *cell, struct slice word,
                             syntax_statement_list *out)
{
	struct statement_scope scope = {.classes = true};
	struct syntax_cursor cursor = {0};
	struct syntax_statement statement;
	if (!name_filter_may_have(&cell->names, word))
		return;
	while (syntax_next_statement(cell, &cursor, &statement)) {
		if (!statement_inside(cell, &statement, &scope) &&
		    syntax_is(cell, statement.first_token, word))
			vec_push(arena, out, statement);
	}
}

/* The name after "def", "async def" or "class". */
static struct slice name_of_definition(const struct lexed_cell *cell,
                                       const struct syntax_statement *statement)
{
	uint32_t at = statement->first_token;
	if (syntax_is(cell, at, SLICE("async")))
		at = statement_step(cell, statement, at);
	return statement_token(cell, statement_step(cell, statement, at));
}

static void find_definitions(struct arena *arena, const struct lexed_cell *cell, bool classes,
                             syntax_definition_list *out)
{
	struct statement_scope scope = {.classes = classes};
	struct syntax_cursor cursor = {0};
	struct syntax_statement statement;
	while (syntax_next_statement(cell, &cursor, &statement)) {
		if (statement_inside(cell, &statement, &scope))
			out->items[out->count - 1].last_token = statement.last_token;
		else if (scope.open)
			vec_push(arena, out,
			         ((struct syntax_definition){name_of_definition(cell, &statement),
			                                     statement.first_token,
			                                     statement.last_token}));
	}
}

void syntax_definitions(struct arena *arena, const struct lexed_cell *cell,
                        syntax_definition_list *out)
{
	find_definitions(arena, cell, true, out);
}

void syntax_functions(struct arena *arena, const struct lexed_cell *cell,
                      syntax_definition_list *out)
{
	find_definitions(arena, cell, false, out);
}

void syntax_imported_modules(struct arena *arena, const struct lexed_cell *cell, syntax_slices *out)
{
	struct syntax_cursor cursor = {0};
	struct syntax_statement statement;
	struct name_set set;
	if (!name_filter_may_have(&cell->names, SLICE("import")))
		return;
	name_set_init(&set, arena);
	while (syntax_next_statement(cell, &cursor, &statement)) {
		uint32_t first = statement.first_token;
		uint32_t second = statement_step(cell, &statement, first);
		if (syntax_is(cell, first, SLICE("import"))) {
			/* "import a.b as c, d": a, d */
			bool wanted = true;
			for (uint32_t at = statement_step(cell, &statement, statement.first_token);
			     at <= statement.last_token;
			     at = statement_step(cell, &statement, at)) {
				if (wanted && statement_is_name(cell, at))
					name_set_add(&set, statement_token(cell, at));
				wanted = syntax_is(cell, at, SLICE(","));
			}
		} else if (syntax_is(cell, first, SLICE("from")) &&
		           second <= statement.last_token && statement_is_name(cell, second) &&
		           find_word(cell, &statement, second, SLICE("import")) <=
		                   statement.last_token) {
			name_set_add(&set, statement_token(cell, second));
		}
	}
	for (size_t i = 0; i < set.names.count; i++)
		vec_push(arena, out, set.names.items[i]);
}

static bool is_star_import(const struct lexed_cell *cell, const struct syntax_statement *statement)
{
	if (!syntax_is(cell, statement->first_token, SLICE("from")))
		return false;
	uint32_t at = find_word(cell, statement, statement->first_token, SLICE("import"));
	if (at > statement->last_token)
		return false;
	at = statement_step(cell, statement, at);
	return at <= statement->last_token && syntax_is(cell, at, SLICE("*"));
}

static void add_name(struct arena *arena, struct name_set *set, struct slice name, bool annotated,
                     syntax_name_list *out)
{
	size_t index = name_set_add(set, name);
	if (index == out->count)
		vec_push(arena, out, (struct syntax_name){.name = name});
	out->items[index].annotated |= annotated;
}

/* True if NAME can certainly be declared global: ASCII only, and not a keyword. */
static bool is_plain_name(struct slice name)
{
	for (size_t i = 0; i < name.len; i++) {
		if ((unsigned char)name.ptr[i] >= 0x80)
			return false;
	}
	return name.len > 0 && !ascii_is_digit(name.ptr[0]) && !syntax_is_keyword(name);
}

/* "f'{(x := 1)}'" assigns to x. False matches are harmless: the caller needs all names. */
static void add_walrus_names(struct arena *arena, struct name_set *set, struct slice text,
                             syntax_name_list *out)
{
	for (size_t at = slice_find_slice(text, SLICE(":="), 0); at < text.len;
	     at = slice_find_slice(text, SLICE(":="), at + 2)) {
		size_t end = slice_trim_end(slice_sub(text, 0, at)).len, start = end;
		while (start > 0 && is_name_byte(text.ptr[start - 1]))
			start--;
		struct slice name = slice_sub(text, start, end);
		if (is_plain_name(name))
			add_name(arena, set, name, false, out);
	}
}

static bool is_annotation(const struct lexed_cell *cell, const struct syntax_statement *statement)
{
	uint32_t second = statement_step(cell, statement, statement->first_token);
	return !statement->header && second <= statement->last_token &&
	       statement_is_name(cell, statement->first_token) &&
	       syntax_is(cell, second, SLICE(":"));
}

void syntax_annotations(struct arena *arena, const struct lexed_cell *cell, syntax_token_list *out)
{
	struct statement_scope scope = {.classes = true};
	struct syntax_cursor cursor = {0};
	struct syntax_statement statement;
	while (syntax_next_statement(cell, &cursor, &statement)) {
		if (!statement_inside(cell, &statement, &scope) && is_annotation(cell, &statement))
			vec_push(arena, out, statement.first_token);
	}
}

static void add_statement_names(struct arena *arena, const struct lexed_cell *cell,
                                const struct syntax_statement *statement, bool inside,
                                struct name_set *set, syntax_name_list *out)
{
	uint32_t first = statement->first_token;
	bool annotates = !inside && is_annotation(cell, statement);
	bool attribute = false;
	for (uint32_t at = first; at <= statement->last_token;
	     at = statement_step(cell, statement, at)) {
		struct slice text = statement_token(cell, at);
		if (cell->tokens.items[at].kind == TOKEN_FSTRING)
			add_walrus_names(arena, set, text, out);
		else if (!attribute && statement_is_name(cell, at))
			add_name(arena, set, text, annotates && at == first, out);
		attribute = syntax_is(cell, at, SLICE("."));
	}
}

bool syntax_names(struct arena *arena, const struct lexed_cell *cell, syntax_name_list *out)
{
	struct statement_scope scope = {.classes = true};
	struct syntax_cursor cursor = {0};
	struct syntax_statement statement;
	struct name_set set;
	bool star = false;
	name_set_init(&set, arena);
	while (syntax_next_statement(cell, &cursor, &statement)) {
		bool inside = statement_inside(cell, &statement, &scope);
		star |= !inside && is_star_import(cell, &statement);
		add_statement_names(arena, cell, &statement, inside, &set, out);
	}
	return star;
}
