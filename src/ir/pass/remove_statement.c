/* Removes a statement that has another meaning in a script than in a cell. */
#include "ir/pass/remove_statement.h"

#include "base/quote.h"
#include "ir/pass.h"
#include "lex/lex.h"

/* Returns the replacement: `pass`, or empty parentheses for a statement over several lines, since
 * line ends have no meaning in them. The text stays as a comment if no code follows it on its
 * line. */
static struct slice left_behind(struct arena *arena, struct slice statement, bool alone)
{
	struct strbuf out;
	strbuf_init(&out, arena);
	struct slice line, rest = statement;
	slice_next_line(&rest, &line);
	bool single = rest.len == 0;
	strbuf_puts(&out, single ? "pass" : "(");
	if (!single || alone) {
		strbuf_puts(&out, "  # ");
		comment_inline(&out, line);
	}
	while (slice_next_line(&rest, &line)) {
		strbuf_addc(&out, '\n');
		if (rest.len == 0)
			break;
		strbuf_puts(&out, "# ");
		comment_inline(&out, line);
	}
	if (!single)
		strbuf_addc(&out, ')');
	return strbuf_slice(&out);
}

void block_remove_statement(struct arena *arena, struct block *block, uint32_t first_token,
                            uint32_t last_token, bool alone)
{
	const struct token *tokens = block->lexed->tokens.items;
	uint32_t start = tokens[first_token].offset;
	uint32_t end = tokens[last_token].offset + tokens[last_token].len;
	struct slice statement = slice_sub(block->code.text, start, end);
	block_add_edit(arena, block, start, end - start, left_behind(arena, statement, alone));
}
