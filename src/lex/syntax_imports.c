/* The files that import statements may refer to. */
#include "lex/syntax_imports.h"

#include "base/name_set.h"
#include "base/strbuf.h"
#include "lex/statements.h"

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

static void step(struct import_reader *reader)
{
	reader->at = statement_step(reader->cell, reader->statement, reader->at);
}

static bool is_name_here(const struct import_reader *reader)
{
	return reader->at <= reader->statement->last_token &&
	       statement_is_name(reader->cell, reader->at);
}

/* "pkg/__init__" is the file of "pkg". */
static bool is_file_of_package(struct slice path)
{
	return slice_eq(path, SLICE("__init__")) || slice_ends_with(path, SLICE("/__init__"));
}

/* Adds PATH, which is at token AT, and the packages that contain it, which are imported first. */
static void add_path(struct import_reader *reader, struct slice path, uint32_t at)
{
	enum { PARTS_MAX = 64 };
	size_t parts = 0;
	for (size_t end = 0; end < path.len && parts < PARTS_MAX; end++, parts++) {
		end += slice_find(slice_sub(path, end, path.len), '/', 0);
		struct slice part = slice_sub(path, 0, end);
		size_t count = reader->seen->names.count;
		if (part.len > 0 && part.ptr[part.len - 1] != '.' && !is_file_of_package(part) &&
		    name_set_add(reader->seen, part) == count)
			vec_push(reader->seen->arena, reader->out,
			         ((struct syntax_import){part, at}));
	}
}

/* Reads "a.b", "..a" or "." as a path with "/" as the separator. */
static struct slice read_path(struct import_reader *reader)
{
	struct strbuf path;
	strbuf_init(&path, reader->seen->arena);
	size_t dots = 0;
	for (; is_here(reader, SLICE(".")) || is_here(reader, SLICE("...")); step(reader))
		dots += is_here(reader, SLICE(".")) ? 1 : 3;
	for (size_t i = 0; i < dots; i++)
		strbuf_puts(&path, i > 0 ? "../" : dots == 1 ? "./" : "");
	while (is_name_here(reader)) {
		strbuf_add(&path, statement_token(reader->cell, reader->at));
		step(reader);
		if (!is_here(reader, SLICE(".")))
			break;
		strbuf_addc(&path, '/');
		step(reader);
	}
	return strbuf_slice(&path);
}

static void skip_alias(struct import_reader *reader)
{
	if (!is_here(reader, SLICE("as")))
		return;
	step(reader);
	step(reader);
}

/* from a.b import (c as d, e): c and e may be modules. */
static void read_from(struct import_reader *reader)
{
	step(reader);
	uint32_t at = reader->at;
	struct slice path = read_path(reader);
	enum { PATH_MOST = 4096 }; /* Linux' PATH_MAX: longer paths do not exist */
	if (!is_here(reader, SLICE("import")) || path.len > PATH_MOST)
		return;
	add_path(reader, path, at);
	bool ends = path.len == 0 || path.ptr[path.len - 1] == '/';
	do {
		step(reader);
		if (is_here(reader, SLICE("(")))
			step(reader);
		at = reader->at;
		if (is_name_here(reader))
			add_path(reader,
			         arena_printf(reader->seen->arena, "%.*s%s%.*s", SLICE_ARG(path),
			                      ends ? "" : "/",
			                      SLICE_ARG(statement_token(reader->cell, at))),
			         at);
		step(reader);
		skip_alias(reader);
	} while (is_here(reader, SLICE(",")));
}

void syntax_imports(struct arena *arena, const struct lexed_cell *cell, syntax_import_list *out)
{
	struct syntax_cursor cursor = {0};
	struct syntax_statement statement;
	struct name_set seen;
	if (!name_filter_may_have(&cell->names, SLICE("import")))
		return;
	name_set_init(&seen, arena);
	while (syntax_next_statement(cell, &cursor, &statement)) {
		struct import_reader reader = {&seen, cell, &statement, statement.first_token, out};
		if (is_here(&reader, SLICE("import"))) {
			/* import a.b as c, d */
			do {
				step(&reader);
				uint32_t at = reader.at;
				add_path(&reader, read_path(&reader), at);
				skip_alias(&reader);
			} while (is_here(&reader, SLICE(",")));
		} else if (is_here(&reader, SLICE("from"))) {
			read_from(&reader);
		}
	}
}
