/* For the tests of the lexer: lexes a string literal, and says what came out in short. */
#ifndef NBSCOREP_TESTS_LEX_HELPERS_H
#define NBSCOREP_TESTS_LEX_HELPERS_H

#include "base/strbuf.h"
#include "lex/lex.h"
#include "notebook/notebook.h"
#include "unit.h"

struct lexed {
	struct arena arena;
	struct diags diags;
	struct lexed_cell cell;
};

static inline void lexed_init(struct lexed *l, struct slice source)
{
	arena_init(&l->arena, NULL);
	diags_init(&l->diags, &l->arena);
	struct cell cell = {.type = CELL_CODE, .number = 3, .source = source};
	lex_cell(&l->arena, &cell, &l->diags, &l->cell);
}

static inline void lexed_release(struct lexed *l)
{
	arena_release(&l->arena);
}

#define LEX(l, literal) lexed_init((l), SLICE(literal))

static inline const char *lexed_text(struct lexed *l, struct slice s)
{
	return arena_cstr(&l->arena, s);
}

/* "x|=|1" : the significant tokens; errors stand in <>, magics in {}, f-strings behind f:. */
static inline const char *lexed_tokens(struct lexed *l)
{
	struct strbuf out;
	strbuf_init(&out, &l->arena);
	for (size_t i = 0; i < l->cell.tokens.count; i++) {
		const struct token *token = &l->cell.tokens.items[i];
		if (token->kind >= TOKEN_COMMENT && token->kind <= TOKEN_CONTINUATION)
			continue;
		strbuf_puts(&out, out.len > 0 ? "|" : "");
		strbuf_puts(&out, token->kind == TOKEN_ERROR     ? "<"
		                  : token->kind == TOKEN_MAGIC   ? "{"
		                  : token->kind == TOKEN_FSTRING ? "f:"
		                                                 : "");
		strbuf_add(&out, token_text(&l->cell, token));
		strbuf_puts(&out, token->kind == TOKEN_ERROR   ? ">"
		                  : token->kind == TOKEN_MAGIC ? "}"
		                                               : "");
	}
	return lexed_text(l, strbuf_slice(&out));
}

/* "magic-position lex": the names of all diagnostics. */
static inline const char *lexed_diags(struct lexed *l)
{
	struct strbuf out;
	strbuf_init(&out, &l->arena);
	for (size_t i = 0; i < l->diags.list.count; i++)
		strbuf_printf(&out, "%s%s", i > 0 ? " " : "",
		              diag_row(l->diags.list.items[i].kind)->name);
	return lexed_text(l, strbuf_slice(&out));
}

static inline void assert_tokens(const char *source, const char *expected)
{
	struct lexed l;
	lexed_init(&l, slice_from(source));
	assert_string_equal(lexed_tokens(&l), expected);
	lexed_release(&l);
}

#endif
