/* The names that a cell defines, imports, sets and uses. */
#include "lex/syntax_names.h"

#include "base/name_set.h"
#include "base/paths.h"

/* ---- imports ---- */

/* The state of reading an import statement. */
struct import_reader {
	struct name_set *seen;
	const struct lexed_cell *cell;
	const struct syntax_statement *statement;
	uint32_t at;
	syntax_import_list *out;
};

static bool is_here(const struct import_reader *reader, struct slice text)
{
	return reader->at <= reader->statement->last_token &&
	       syntax_is(reader->cell, reader->at, text);
}

static void next_import_token(struct import_reader *reader)
{
	reader->at = statement_step(reader->cell, reader->statement, reader->at);
}

static bool is_name_here(const struct import_reader *reader)
{
	return reader->at <= reader->statement->last_token &&
	       statement_is_name(reader->cell, reader->at);
}

/* Adds PATH, which is at token AT, and the packages that contain it, which are imported first. */
static void add_path(struct import_reader *reader, struct slice path, uint32_t at)
{
	enum { PARTS_MAX = 64 };
	size_t parts = 0;
	for (size_t end = 0; end < path.len && parts < PARTS_MAX; end++, parts++) {
		end += slice_find(slice_tail(path, end), '/', 0);
		struct slice part = slice_sub(path, 0, end);
		size_t count = reader->seen->names.count;
		/* "pkg/__init__" is the file of "pkg". */
		bool is_package = slice_eq(path_file(part), SLICE("__init__"));
		if (part.len > 0 && part.ptr[part.len - 1] != '.' && !is_package &&
		    name_set_add(reader->seen, part) == count)
			vec_push(reader->seen->arena, reader->out,
			         ((struct syntax_import){part, at}));
	}
}

/* Reads "a.b", "..a" or "." as a path with "/" as the separator. */
static struct slice read_path(struct import_reader *reader)
{
	struct strbuf path = {.arena = reader->seen->arena};
	size_t dots = 0;
	for (; is_here(reader, SLICE(".")) || is_here(reader, SLICE("..."));
	     next_import_token(reader))
		dots += is_here(reader, SLICE(".")) ? 1 : 3;
	for (size_t i = 0; i < dots; i++)
		strbuf_puts(&path, i > 0 ? "../" : dots == 1 ? "./" : "");
	while (is_name_here(reader)) {
		struct slice name = statement_token(reader->cell, reader->at);
		next_import_token(reader);
		bool ends = !is_here(reader, SLICE("."));
		if (ends && path.len == 0)
			return name;
		strbuf_add(&path, name);
		if (ends)
			break;
		strbuf_addc(&path, '/');
		next_import_token(reader);
	}
	return strbuf_slice(&path);
}

static void skip_alias(struct import_reader *reader)
{
	if (!is_here(reader, SLICE("as")))
		return;
	next_import_token(reader);
	next_import_token(reader);
}

void syntax_imports(struct arena *arena, const struct lexed_cell *cell, syntax_import_list *out)
{
	if (!name_filter_may_have(&cell->names, SLICE("import")))
		return;
	struct name_set seen = {.arena = arena};
	vec_each(const struct syntax_statement, statement, &cell->statements) {
		struct import_reader reader = {&seen, cell, statement, statement->first_token, out};
		if (is_here(&reader, SLICE("import"))) {
			/* import a.b as c, d */
			do {
				next_import_token(&reader);
				uint32_t at = reader.at;
				add_path(&reader, read_path(&reader), at);
				skip_alias(&reader);
			} while (is_here(&reader, SLICE(",")));
			continue;
		}
		if (!is_here(&reader, SLICE("from")))
			continue;
		/* from a.b import (c as d, e): c and e may be modules. */
		next_import_token(&reader);
		uint32_t at = reader.at;
		struct slice path = read_path(&reader);
		enum { PATH_MOST = 4096 }; /* Linux' PATH_MAX: longer paths do not exist */
		if (!is_here(&reader, SLICE("import")) || path.len > PATH_MOST)
			continue;
		add_path(&reader, path, at);
		bool ends = path.len == 0 || path.ptr[path.len - 1] == '/';
		do {
			next_import_token(&reader);
			if (is_here(&reader, SLICE("(")))
				next_import_token(&reader);
			at = reader.at;
			if (is_name_here(&reader))
				add_path(&reader,
				         arena_printf(arena, "%.*s%s%.*s", SLICE_ARG(path),
				                      ends ? "" : "/",
				                      SLICE_ARG(statement_token(cell, at))),
				         at);
			next_import_token(&reader);
			skip_alias(&reader);
		} while (is_here(&reader, SLICE(",")));
	}
}

/* The token "import" in STATEMENT, or last_token + 1. */
static uint32_t statement_find_import(const struct lexed_cell *cell,
                                      const struct syntax_statement *statement)
{
	uint32_t at = statement->first_token;
	while (at <= statement->last_token && !syntax_is(cell, at, SLICE("import")))
		at = statement_step(cell, statement, at);
	return at;
}

void syntax_future_imports(struct arena *arena, const struct lexed_cell *cell,
                           syntax_future_list *out)
{
	bool may_have = name_filter_may_have(&cell->names, SLICE("__future__"));
	for (size_t i = 0; may_have && i < cell->statements.count; i++) {
		const struct syntax_statement *statement = &cell->statements.items[i];
		uint32_t first = statement->first_token;
		uint32_t second = statement_step(cell, statement, first);
		if (!syntax_is(cell, first, SLICE("from")) || second > statement->last_token ||
		    !syntax_is(cell, second, SLICE("__future__")) || statement->in_suite ||
		    cell->logical.items[statement->logical].column > 0)
			continue;
		struct syntax_future future = {.statement = statement};
		uint32_t at = statement_find_import(cell, statement);
		bool renamed = false;
		while (at <= statement->last_token) {
			if (statement_is_name(cell, at) && !renamed)
				vec_push(arena, &future.names, statement_token(cell, at));
			renamed = syntax_is(cell, at, SLICE("as"));
			at = statement_step(cell, statement, at);
		}
		vec_push(arena, out, future);
	}
}

void syntax_annotations(struct arena *arena, const struct lexed_cell *cell, syntax_token_list *out)
{
	vec_each(const struct syntax_statement, statement, &cell->statements) {
		uint32_t first = statement->first_token,
		         second = statement_step(cell, statement, first);
		if (!statement->in_scope && !statement->header && second <= statement->last_token &&
		    statement_is_name(cell, first) && syntax_is(cell, second, SLICE(":")))
			vec_push(arena, out, first);
	}
}

/* "f'{(x := 1)}'" assigns to x. False matches are harmless: the caller needs all names. */
static void add_walrus_names(struct name_set *names, struct slice text)
{
	for (size_t at = slice_find_slice(text, SLICE(":="), 0); at < text.len;
	     at = slice_find_slice(text, SLICE(":="), at + 2)) {
		size_t end = slice_trim_end(slice_sub(text, 0, at)).len, start = end;
		while (start > 0 && is_name_byte(text.ptr[start - 1]))
			start--;
		struct slice name = slice_sub(text, start, end);
		if (syntax_is_identifier(name))
			name_set_add(names, name);
	}
}

bool syntax_names(const struct lexed_cell *cell, struct name_set *out)
{
	bool star = false;
	vec_each(const struct syntax_statement, statement, &cell->statements) {
		uint32_t first = statement->first_token;
		bool attribute = false;
		if (!statement->in_scope && syntax_is(cell, first, SLICE("from"))) {
			uint32_t import = statement_find_import(cell, statement);
			uint32_t at = statement_step(cell, statement, import);
			star |= at <= statement->last_token && syntax_is(cell, at, SLICE("*"));
		}
		for (uint32_t at = first; at <= statement->last_token;
		     at = statement_step(cell, statement, at)) {
			if (cell->tokens.items[at].kind == TOKEN_FSTRING)
				add_walrus_names(out, statement_token(cell, at));
			else if (!attribute && statement_is_name(cell, at))
				name_set_add(out, statement_token(cell, at));
			attribute = syntax_is(cell, at, SLICE("."));
		}
	}
	return star;
}

/* ---- names that are set ---- */

void syntax_bindings(struct arena *arena, const struct lexed_cell *cell, syntax_token_list *out)
{
	vec_each(const struct syntax_statement, statement, &cell->statements) {
		uint32_t first = statement->first_token, last = statement->last_token;
		struct statement_depth depth = {0};
		/* Names are set at any place. */
		bool all = slice_is_word_of(statement_keyword(cell, statement),
		                            "def import from global nonlocal");
		uint32_t last_equals = 0; /* the last "=" or the like outside of brackets, or 0 */
		unsigned calls = 0; /* open brackets of calls and indices, and brackets in them */
		unsigned loops = 0, lambdas = 0; /* without their "in" or ":" yet */
		for (uint32_t at = first; at <= last; at = statement_step(cell, statement, at)) {
			if (statement_outside(cell, at, &depth) &&
			    statement_is_assignment(cell, at))
				last_equals = at;
		}
		for (uint32_t at = first; at <= last; at = statement_step(cell, statement, at)) {
			uint32_t previous = syntax_previous(cell, at);
			struct slice text = statement_token(cell, at);
			if (statement_is_name(cell, at)) {
				uint32_t next = statement_step(cell, statement, at);
				bool annotated = at == first && syntax_is(cell, next, SLICE(":"));
				bool named = previous < at &&
				             slice_is_word_of(statement_token(cell, previous),
				                              "as class");
				if (!syntax_is_attribute(cell, at) &&
				    (all || loops > 0 || lambdas > 0 || annotated || named ||
				     (at < last_equals && calls == 0) ||
				     syntax_is(cell, next, SLICE(":="))))
					vec_push(arena, out, at);
			} else if (syntax_is(cell, at, SLICE("for"))) {
				loops++;
			} else if (syntax_is(cell, at, SLICE("in")) && loops > 0) {
				loops--;
			} else if (syntax_is(cell, at, SLICE("lambda"))) {
				lambdas++;
			} else if (syntax_is(cell, at, SLICE(":")) && lambdas > 0) {
				lambdas--;
			} else if (slice_is_word_of(text, "( [ {")) {
				bool has_operand = at > first && previous < at &&
				                   statement_is_operand(cell, previous);
				calls += calls > 0 || has_operand;
			} else if (slice_is_word_of(text, ") ] }") && calls > 0) {
				calls--;
			}
		}
	}
}
