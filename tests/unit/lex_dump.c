/* Prints what the lexer makes of cells, one JSON object per cell and line: for the scripts that
 * compare it with CPython and IPython, and for fuzzing.
 *
 *     lex_dump < cell            one cell, the whole input
 *     lex_dump --many < cells    cells, each behind a line that holds its length in bytes
 *     lex_dump --check ...       checks the lexer's properties only, prints nothing
 *     lex_dump --time ...        lexes only, for timing */
#include <stdio.h>
#include <stdlib.h>

#include "base/json_writer.h"
#include "base/strbuf.h"
#include "lex/lex.h"
#include "lex/syntax.h"
#include "lex/syntax_names.h"
#include "lex/syntax_values.h"
#include "lex_check.h"
#include "notebook/notebook.h"

static const char *const kind_names[] = {
#define TOKEN(id, name) (name),
#include "lex/token.def"
};

static const char *const magic_kinds[] = {"line",       "cell", "shell",
                                          "shell-list", "help", "autocall"};

static void dump_magic(struct strbuf *out, const struct magic *magic)
{
	strbuf_printf(out, "{\"kind\":\"%s\",\"offset\":%u,\"len\":%u,\"assigned\":%s,\"level\":%u",
	              magic_kinds[magic->kind], magic->offset, magic->len,
	              magic->assigned ? "true" : "false", magic->help_level);
	strbuf_puts(out, ",\"name\":");
	json_quote(out, magic->name);
	strbuf_puts(out, ",\"args\":");
	json_quote(out, magic->args);
	strbuf_puts(out, ",\"target\":");
	json_quote(out, magic->target);
	strbuf_printf(out, ",\"args_offset\":%u,\"row\":%s}", magic->args_offset,
	              magic->row != NULL ? "true" : "false");
}

static void dump_tokens(struct strbuf *out, const struct lexed_cell *cell)
{
	strbuf_puts(out, ",\"tokens\":[");
	for (size_t i = 0; i < cell->tokens.count; i++)
		strbuf_printf(out, "%s[\"%s\",%u,%u]", i > 0 ? "," : "",
		              kind_names[cell->tokens.items[i].kind], cell->tokens.items[i].offset,
		              cell->tokens.items[i].len);
	strbuf_puts(out, "]");
}

static void dump_lines(struct strbuf *out, const struct lexed_cell *cell)
{
	strbuf_puts(out, ",\"lines\":[");
	for (size_t i = 0; i < cell->lines.count; i++)
		strbuf_printf(out, "%s[%u,%u,%d,%u]", i > 0 ? "," : "", cell->lines.items[i].offset,
		              cell->lines.items[i].len, cell->lines.items[i].inside_token,
		              cell->lines.items[i].removed);
	strbuf_puts(out, "],\"logical\":[");
	for (size_t i = 0; i < cell->logical.count; i++)
		strbuf_printf(out, "%s[%u,%u,%u,%u,%u,%u]", i > 0 ? "," : "",
		              cell->logical.items[i].kind, cell->logical.items[i].first_token,
		              cell->logical.items[i].token_count, cell->logical.items[i].first_line,
		              cell->logical.items[i].line_count, cell->logical.items[i].column);
	strbuf_puts(out, "]");
}

static void dump_slices(struct strbuf *out, const struct slice *items, size_t count)
{
	strbuf_puts(out, "[");
	for (size_t i = 0; i < count; i++) {
		strbuf_puts(out, i > 0 ? "," : "");
		json_quote(out, items[i]);
	}
	strbuf_puts(out, "]");
}

static void dump_names(struct strbuf *out, struct arena *arena, const struct lexed_cell *cell)
{
	syntax_token_list annotations = {0};
	struct name_set names = {.arena = arena};
	struct name_set annotated = {.arena = arena};
	bool star = syntax_names(cell, &names);
	strbuf_printf(out, ",\"star\":%s,\"names\":", star ? "true" : "false");
	dump_slices(out, names.names.items, names.names.count);
	syntax_annotations(arena, cell, &annotations);
	for (size_t i = 0; i < annotations.count; i++)
		name_set_add(&annotated, statement_token(cell, annotations.items[i]));
	strbuf_puts(out, ",\"annotated\":");
	dump_slices(out, annotated.names.items, annotated.names.count);
}

static void dump_syntax(struct strbuf *out, struct arena *arena, const struct lexed_cell *cell)
{
	struct syntax_value value;
	if (syntax_last_expression(cell, &value)) {
		const struct token *last = &cell->tokens.items[value.last_token];
		strbuf_printf(out, ",\"last\":[%u,%u,%s]",
		              cell->tokens.items[value.first_token].offset,
		              last->offset + last->len, value.is_tuple ? "true" : "false");
	}
	strbuf_printf(out, ",\"await\":%s",
	              syntax_has_top_level_await(arena, cell) ? "true" : "false");
	syntax_import_list imports = {0};
	syntax_slices paths = {0};
	syntax_imports(arena, cell, &imports);
	for (size_t i = 0; i < imports.count; i++)
		vec_push(arena, &paths, imports.items[i].path);
	strbuf_puts(out, ",\"imports\":");
	dump_slices(out, paths.items, paths.count);
	syntax_future_list futures = {0};
	syntax_future_imports(arena, cell, &futures);
	strbuf_puts(out, ",\"future\":[");
	for (size_t i = 0; i < futures.count; i++) {
		strbuf_puts(out, i > 0 ? ",[" : "[");
		dump_slices(out, futures.items[i].names.items, futures.items[i].names.count);
		strbuf_puts(out, futures.items[i].statement->alone ? ",true]" : ",false]");
	}
	strbuf_puts(out, "]");
	dump_names(out, arena, cell);
}

static void dump_diags(struct strbuf *out, const struct diags *diags)
{
	strbuf_puts(out, ",\"diags\":[");
	for (size_t i = 0; i < diags->list.count; i++) {
		const struct diag *diag = &diags->list.items[i];
		strbuf_printf(out, "%s[\"%s\",%u,%u,", i > 0 ? "," : "", diag_row(diag->kind)->name,
		              diag->where.line, diag->where.column);
		json_quote(out, diag->message);
		strbuf_puts(out, "]");
	}
	strbuf_puts(out, "]");
}

static void dump_cell(struct strbuf *out, struct arena *arena, const struct lexed_cell *cell,
                      const struct diags *diags)
{
	strbuf_puts(out, "{\"text\":");
	json_quote(out, cell->text);
	strbuf_printf(out, ",\"text_line\":%u,\"python\":%s,\"broken\":%s", cell->text_line,
	              cell->is_python ? "true" : "false", cell->broken ? "true" : "false");
	strbuf_puts(out, ",\"heads\":[");
	for (size_t i = 0; i < cell->cell_magics.count; i++) {
		strbuf_puts(out, i > 0 ? "," : "");
		dump_magic(out, &cell->cell_magics.items[i]);
	}
	strbuf_puts(out, "],\"magics\":[");
	for (size_t i = 0; i < cell->magics.count; i++) {
		strbuf_puts(out, i > 0 ? "," : "");
		dump_magic(out, &cell->magics.items[i]);
	}
	strbuf_puts(out, "]");
	dump_tokens(out, cell);
	dump_lines(out, cell);
	dump_syntax(out, arena, cell);
	dump_diags(out, diags);
	strbuf_puts(out, "}\n");
}

static void run_cell(struct slice source, bool check_only, bool lex_only)
{
	struct arena arena;
	struct diags diags;
	struct lexed_cell lexed;
	arena_init(&arena, NULL);
	diags_init(&diags, &arena);
	struct strbuf out = {.arena = &arena};
	struct cell cell = {.type = CELL_CODE, .number = 1, .source = source};
	lex_cell(&arena, &cell, &diags, &lexed);
	if (lex_only) {
		arena_release(&arena);
		return;
	}
	lex_check(&lexed, &diags);
	dump_cell(&out, &arena, &lexed, &diags);
	if (!check_only)
		fwrite(out.ptr, 1, out.len, stdout);
	arena_release(&arena);
}

static struct slice read_all(struct arena *arena)
{
	char block[65536];
	size_t n = 0;
	struct strbuf in = {.arena = arena};
	while ((n = fread(block, 1, sizeof block, stdin)) > 0)
		strbuf_add(&in, slice_make(block, n));
	return strbuf_slice(&in);
}

static void run_many(struct slice input, bool check_only, bool lex_only)
{
	struct slice rest = input;
	while (rest.len > 0) {
		size_t end = slice_find(rest, '\n', 0), len = 0;
		for (size_t i = 0; i < end; i++)
			len = len * 10 + (size_t)(rest.ptr[i] - '0');
		/* A block of its own, so that a sanitizer sees reads behind it. */
		struct slice cell = slice_sub(rest, end + 1, end + 1 + len);
		char *copy = malloc(cell.len + (cell.len == 0));
		if (copy == NULL)
			abort();
		if (cell.len > 0)
			memcpy(copy, cell.ptr, cell.len);
		run_cell(slice_make(copy, cell.len), check_only, lex_only);
		free(copy);
		rest = slice_sub(rest, end + 1 + len, rest.len);
	}
}

int main(int argc, char **argv)
{
	bool many = false, check_only = false, lex_only = false;
	for (int i = 1; i < argc; i++) {
		many |= strcmp(argv[i], "--many") == 0;
		check_only |= strcmp(argv[i], "--check") == 0;
		lex_only |= strcmp(argv[i], "--time") == 0;
	}
	struct arena arena;
	arena_init(&arena, NULL);
	struct slice input = read_all(&arena);
	if (many)
		run_many(input, check_only, lex_only);
	else
		run_cell(input, check_only, lex_only);
	arena_release(&arena);
	return 0;
}
