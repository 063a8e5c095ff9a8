/* The text of a code cell: tokens, lines, and all that syntax.h answers. */
#include "fuzz.h"
#include "lex/syntax.h"
#include "lex/syntax_names.h"
#include "lex/syntax_values.h"
#include "lex_check.h"

static void check_token(const struct lexed_cell *cell, uint32_t index)
{
	fuzz_require(index < cell->tokens.count, "an answer names tokens of the cell");
}

static void check_lines(const struct lexed_cell *cell)
{
	size_t at = 0;
	for (size_t i = 0; i < cell->lines.count; i++) {
		const struct physical_line *line = &cell->lines.items[i];
		fuzz_require(line->offset == at && line->indent <= line->len,
		             "lines follow each other");
		at += line->len + line->end_len;
		fuzz_require(line->end_len > 0 || i + 1 == cell->lines.count,
		             "only the last line has no end");
	}
	fuzz_require(at == cell->text.len, "lines end with the text");
}

static void check_statements(const struct lexed_cell *cell)
{
	uint32_t next = 0;
	for (size_t i = 0; i < cell->statements.count; i++) {
		struct syntax_statement statement = cell->statements.items[i];
		check_token(cell, statement.last_token);
		fuzz_require(statement.first_token <= statement.last_token &&
		                     statement.first_token >= next,
		             "statements follow each other");
		next = statement.last_token + 1;
	}
}

static void check_filter(const struct lexed_cell *cell)
{
	for (size_t i = 0; i < cell->tokens.count; i++) {
		const struct token *token = &cell->tokens.items[i];
		if (token->kind == TOKEN_NAME)
			fuzz_require(name_filter_may_have(&cell->names, token_text(cell, token)),
			             "names are in the filter");
	}
}

static void check_names(struct arena *arena, const struct lexed_cell *cell)
{
	syntax_token_list annotations = {0};
	syntax_assignment_list assignments = {0};
	struct name_set names = {.arena = arena};
	syntax_names(cell, &names);
	syntax_annotations(arena, cell, &annotations);
	syntax_assignments(arena, cell, &assignments);
	for (size_t i = 0; i < names.names.count; i++)
		fuzz_require(names.names.items[i].len > 0, "a name is not empty");
	for (size_t i = 0; i < annotations.count; i++)
		check_token(cell, annotations.items[i]);
	for (size_t i = 0; i < assignments.count; i++)
		check_token(cell, assignments.items[i].token);
}

static void check_syntax(struct arena *arena, const struct lexed_cell *cell)
{
	struct syntax_value value;
	syntax_future_list futures = {0};
	syntax_statement_list globals = {0};
	struct syntax_fault fault;
	if (syntax_last_expression(cell, &value))
		check_token(cell, value.last_token);
	syntax_future_imports(arena, cell, &futures);
	for (size_t i = 0; i < futures.count; i++)
		check_token(cell, futures.items[i].statement->last_token);
	syntax_outer_statements(arena, cell, SLICE("global"), &globals);
	for (size_t i = 0; i < globals.count; i++)
		check_token(cell, globals.items[i].last_token);
	if (syntax_layout_fault(cell, &fault))
		check_token(cell, fault.token);
	syntax_has_top_level_await(arena, cell);
}

struct answers {
	syntax_future_list futures;
	syntax_statement_list globals;
	syntax_import_list imports;
	bool awaits;
};

static struct answers ask(struct arena *arena, const struct lexed_cell *cell)
{
	struct answers out = {0};
	syntax_future_imports(arena, cell, &out.futures);
	syntax_outer_statements(arena, cell, SLICE("global"), &out.globals);
	syntax_imports(arena, cell, &out.imports);
	out.awaits = syntax_has_top_level_await(arena, cell);
	return out;
}

/* What the filter of names spares must have found nothing. */
static void check_shortcuts(struct arena *arena, const struct lexed_cell *cell)
{
	struct lexed_cell slow = *cell;
	memset(&slow.names, 0xFF, sizeof slow.names);
	struct answers a = ask(arena, cell), b = ask(arena, &slow);
	fuzz_require(a.futures.count == b.futures.count && a.globals.count == b.globals.count &&
	                     a.imports.count == b.imports.count && a.awaits == b.awaits,
	             "the filter of names spares nothing that is there");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct arena arena;
	struct diags diags;
	struct lexed_cell lexed;
	struct notebook notebook = {0};
	struct cell cell = {.type = CELL_CODE, .number = 1, .source = fuzz_input(data, size)};
	arena_init(&arena, NULL);
	diags_init(&diags, &arena);
	vec_push(&arena, &notebook.cells, cell);
	lex_cell(&arena, &cell, &diags, &lexed);
	lex_check(&lexed, &diags);
	fuzz_check_places(&diags, &notebook);
	check_lines(&lexed);
	if (lexed.is_python) {
		check_statements(&lexed);
		check_names(&arena, &lexed);
		check_syntax(&arena, &lexed);
		check_filter(&lexed);
		check_shortcuts(&arena, &lexed);
	}
	arena_release(&arena);
	return 0;
}
