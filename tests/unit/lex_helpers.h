/* For the tests of the lexer: lexes a string literal, and says what came out in short. */
#pragma once

#include "arena_fixture.h"
#include "base/strbuf.h"
#include "lex/lex.h"
#include "notebook/notebook.h"

/* The cell that was lexed last; the arena owns all of it. */
static struct lexed {
	struct diags diags;
	struct lexed_cell cell;
} l;

static inline void lexed_init(struct slice source)
{
	struct cell cell = {.type = CELL_CODE, .number = 3, .source = source};
	diags_init(&l.diags, &arena);
	lex_cell(&arena, &cell, &l.diags, &l.cell);
}

/* SHOW must say of each text what stands behind it. */
static inline void assert_each(const char *const cases[][2], size_t count,
                               const char *(*show)(void))
{
	for (size_t i = 0; i < count; i++) {
		lexed_init(slice_from(cases[i][0]));
		assert_string_equal(show(), cases[i][1]);
	}
}

/* "x|=|1" : the significant tokens; errors stand in <>, magics in {}, f-strings behind f:. */
static inline const char *lexed_tokens(void)
{
	struct strbuf out = {.arena = &arena};
	for (size_t i = 0; i < l.cell.tokens.count; i++) {
		const struct token *token = &l.cell.tokens.items[i];
		if (token->kind >= TOKEN_COMMENT && token->kind <= TOKEN_CONTINUATION)
			continue;
		strbuf_puts(&out, out.len > 0 ? "|" : "");
		strbuf_puts(&out, token->kind == TOKEN_ERROR     ? "<"
		                  : token->kind == TOKEN_MAGIC   ? "{"
		                  : token->kind == TOKEN_FSTRING ? "f:"
		                                                 : "");
		strbuf_add(&out, token_text(&l.cell, token));
		strbuf_puts(&out, token->kind == TOKEN_ERROR   ? ">"
		                  : token->kind == TOKEN_MAGIC ? "}"
		                                               : "");
	}
	return arena_cstr(&arena, strbuf_slice(&out));
}

/* "magic-position lex": the names of all diagnostics. */
static inline const char *lexed_diags(void)
{
	struct strbuf out = {.arena = &arena};
	for (size_t i = 0; i < l.diags.list.count; i++)
		strbuf_printf(&out, "%s%s", i > 0 ? " " : "",
		              diag_row(l.diags.list.items[i].kind)->name);
	return arena_cstr(&arena, strbuf_slice(&out));
}
