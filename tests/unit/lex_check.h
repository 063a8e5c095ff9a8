/* What holds for each lexed cell, whatever its text: for lex_dump and the fuzz targets. A violation
 * aborts. */
#pragma once

#include <stdio.h>
#include <stdlib.h>

#include "lex/lex.h"

static inline void lex_require(bool holds, const char *property)
{
	if (holds)
		return;
	fprintf(stderr, "lexer: violated: %s\n", property);
	abort();
}

static inline void lex_check_logical(const struct lexed_cell *cell)
{
	uint32_t token = 0, line = 0;
	for (size_t i = 0; i < cell->logical.count; i++) {
		const struct logical_line *logical = &cell->logical.items[i];
		lex_require(logical->first_token == token && logical->token_count > 0,
		            "logical lines hold all tokens");
		lex_require(logical->first_line == line && logical->line_count > 0,
		            "logical lines hold all physical lines");
		lex_require(logical->kind != LINE_MAGIC || logical->magic < cell->magics.count,
		            "a magic line has its magic");
		token += logical->token_count;
		line += logical->line_count;
	}
	lex_require(token == cell->tokens.count, "logical lines reach the last token");
	lex_require(!cell->is_python || line == cell->lines.count, "and the last line");
}

static inline void lex_check(const struct lexed_cell *cell, const struct diags *diags)
{
	size_t at = 0, lex = 0;
	for (size_t i = 0; i < cell->tokens.count; i++) {
		lex_require(cell->tokens.items[i].offset == at && cell->tokens.items[i].len > 0,
		            "tokens follow each other");
		at += cell->tokens.items[i].len;
	}
	lex_require(!cell->is_python || at == cell->text.len, "tokens end with the text");
	lex_check_logical(cell);
	for (size_t i = 0; i < cell->magics.count; i++) {
		const struct magic *magic = &cell->magics.items[i];
		lex_require(magic->offset + magic->len <= cell->text.len, "magics lie in the text");
		lex_require(magic->args_offset <= cell->text.len, "their arguments too");
	}
	for (size_t i = 0; i < diags->list.count; i++)
		lex += diags->list.items[i].kind == DIAG_LEX;
	lex_require(lex <= 1, "one problem per cell");
}
