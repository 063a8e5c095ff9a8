/* Headers, suites and indentation: checks of a cell's validity that need no parser. */
#include "lex/syntax_layout.h"

#include "lex/statements.h"

/* What the previous line requires of the next one. */
struct layout {
	const struct lexed_cell *cell;
	struct syntax_cursor cursor;
	struct syntax_statement statement;
	bool more; /* statement is valid */
	bool wants_suite;
	uint32_t suite_of; /* last token of the header that requires one */
	uint32_t column;   /* of the previous line */
};

static bool fault(struct syntax_fault *out, const char *message, uint32_t token)
{
	*out = (struct syntax_fault){message, token};
	return true;
}

static bool check_indent(struct layout *layout, const struct logical_line *line,
                         struct syntax_fault *out)
{
	uint32_t end = line->first_token + line->token_count;
	uint32_t first = syntax_next(layout->cell, line->first_token, end);
	if (first == end)
		return false;
	if (layout->wants_suite && line->column <= layout->column)
		return fault(out, "expected an indented block", layout->suite_of);
	if (!layout->wants_suite && line->column > layout->column)
		return fault(out, "unexpected indentation", first);
	layout->column = line->column;
	layout->wants_suite = false;
	return false;
}

/* Checks the statements of logical line INDEX. */
static bool check_statements(struct layout *layout, uint32_t index, struct syntax_fault *out)
{
	struct syntax_statement *now = &layout->statement;
	while (layout->more && now->logical == index) {
		if (!now->header && statement_is_header_keyword(layout->cell, now->first_token))
			return fault(out, "expected ':' after this", now->last_token);
		layout->wants_suite = now->header;
		layout->suite_of = now->last_token;
		layout->more = syntax_next_statement(layout->cell, &layout->cursor, now);
	}
	return false;
}

bool syntax_layout_fault(const struct lexed_cell *cell, struct syntax_fault *out)
{
	struct layout layout = {.cell = cell};
	if (cell->is_flat)
		return false;
	layout.more = syntax_next_statement(cell, &layout.cursor, &layout.statement);
	for (uint32_t i = 0; i < cell->logical.count; i++) {
		const struct logical_line *line = &cell->logical.items[i];
		if (line->kind == LINE_BLANK)
			continue;
		if (check_indent(&layout, line, out) || check_statements(&layout, i, out))
			return true;
	}
	return layout.wants_suite && fault(out, "expected an indented block", layout.suite_of);
}
