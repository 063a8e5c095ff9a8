/* Lists the cells that are reported to the user. */
#include "emit/told_cells.h"

#include "base/quote.h"
#include "base/utf8.h"
#include "emit/emit.h"
#include "ir/ir.h"

enum { TITLE_MAX = 72 };

static struct slice first_line(struct slice text)
{
	struct slice line = slice_make("", 0);
	while (slice_trim(line).len == 0 && slice_next_line(&text, &line))
		;
	return slice_trim(line);
}

/* Returns the first line below the cell's magics that is not blank, or else its first line. */
static struct slice title_of(struct arena *arena, const struct block *block)
{
	struct slice line = first_line(block->code.text);
	struct strbuf out;
	strbuf_init(&out, arena);
	line = line.len > 0 ? line : first_line(block->source);
	size_t at = 0, len = 0;
	for (size_t i = 0; at < line.len && i < TITLE_MAX; i++, at += len)
		utf8_decode(slice_sub(line, at, line.len), &len);
	terminal_text(&out, slice_sub(line, 0, at));
	strbuf_puts(&out, at < line.len ? "..." : "");
	return strbuf_slice(&out);
}

static void list_cell(struct arena *arena, const struct block *block, cell_list *out)
{
	bool runs = (block_is_code(block) || block_is_called(block)) &&
	            (block->frame != FRAME_NONE || block->has_statement);
	struct told_cell cell = {
	        .number = block->cell,
	        .instrumented = block_is_instrumented(block),
	        .source = block->source,
	};
	if (!runs || slice_trim(block->source).len == 0)
		return;
	cell.title = title_of(arena, block);
	vec_push(arena, out, cell);
}

void emit_list_cells(struct arena *arena, const struct program *program, cell_list *out)
{
	for (size_t i = 0; i < program->blocks.count; i++) {
		const struct block *block = &program->blocks.items[i];
		list_cell(arena, block, out);
		for (size_t k = 0; k < block->blocks.count; k++)
			list_cell(arena, &block->blocks.items[k], out);
	}
}
