#include "lex/lex.h"

#include "base/strbuf.h"
#include "lex/cleanup.h"
#include "lex/lexer.h"
#include "lex/lines.h"
#include "lex/magic_lexer.h"
#include "lex/magic_table.h"
#include "lex/python_lexer.h"
#include "lex/scan.h"
#include "lex/statements.h"
#include "notebook/notebook.h"

enum { STACKED_HEADS_MAX = 100 }; /* each costs a pass over the cell */

/* The source as lines, and how many bytes clean-up removes from their starts. */
struct source_lines {
	physical_lines lines;
	uint32_t *cut;
};

static struct slice line_left(const struct lexed_cell *cell, const struct source_lines *source,
                              size_t i)
{
	const struct physical_line *line = &source->lines.items[i];
	return slice_sub(cell->source, line->offset + source->cut[i], line->offset + line->len);
}

/* Removes the cell magics from the start. As in IPython, the text below a magic that runs its body
 * as a cell is cleaned up again and may begin with another magic. Sets text_line and is_python. */
static void read_heads(struct lexed_cell *cell, struct source_lines *source, struct arena *arena)
{
	cell->is_python = true;
	while (cell->is_python && cell->cell_magics.count < STACKED_HEADS_MAX) {
		size_t first =
		        cleanup_lines(cell->source, &source->lines, source->cut, cell->text_line);
		if (first == source->lines.count)
			return;
		struct slice line = line_left(cell, source, first);
		struct magic head;
		if (!magic_head(line, (uint32_t)(line.ptr - cell->source.ptr), arena, &head))
			return;
		vec_push(arena, &cell->cell_magics, head);
		cell->text_line = (uint32_t)first + 1;
		cell->is_python = head.row != NULL && head.row->body_is_python;
	}
}

static size_t line_start(const struct lexed_cell *cell, const struct source_lines *source, size_t i)
{
	return i < source->lines.count ? source->lines.items[i].offset : cell->source.len;
}

static struct slice copy_text(const struct lexed_cell *cell, const struct source_lines *source,
                              struct arena *arena)
{
	struct strbuf out;
	strbuf_init(&out, arena);
	for (size_t i = cell->text_line; i < source->lines.count; i++) {
		struct slice left =
		        slice_sub(cell->source, source->lines.items[i].offset + source->cut[i],
		                  line_start(cell, source, i + 1));
		/* An empty rest of a line must not join the CR before it with LF to one line
		 * end. */
		if (out.len > 0 && out.ptr[out.len - 1] == '\r' && left.len > 0 &&
		    left.ptr[0] == '\n')
			strbuf_addc(&out, ' ');
		strbuf_add(&out, left);
	}
	return strbuf_slice(&out);
}

static void make_text(struct lexed_cell *cell, const struct source_lines *source,
                      struct arena *arena)
{
	bool cut = false;
	for (size_t i = cell->text_line; i < source->lines.count; i++) {
		uint32_t left = source->lines.items[i].offset + source->cut[i];
		vec_push(arena, &cell->removed, source->cut[i]);
		vec_push(arena, &cell->line_source, left);
		cut |= source->cut[i] > 0;
	}
	cell->text = cut ? copy_text(cell, source, arena)
	                 : slice_sub(cell->source, line_start(cell, source, cell->text_line),
	                             cell->source.len);
	physical_lines lines = source->lines;
	if (cell->text.ptr != cell->source.ptr || cell->text.len != cell->source.len) {
		lines = (physical_lines){0};
		lines_split(arena, cell->text, &lines);
	}
	cell->lines.items = lines.items;
	cell->lines.count = lines.count;
	cell->lines.capacity = lines.capacity;
}

void lex_cell(struct arena *arena, const struct cell *cell, struct diags *diags,
              struct lexed_cell *out)
{
	*out = (struct lexed_cell){.number = cell->number,
	                           .source = cell->source,
	                           .mark = ARENA_NEW(arena, struct line_mark),
	                           .last_line = UINT32_MAX};
	if (cell->source.len > INT32_MAX) {
		out->broken = true;
		out->text = slice_sub(out->source, 0, 0);
		diag_add(diags, DIAG_LEX, location_in_cell(out->number, out->text, 0, 0),
		         "the cell is longer than 2 GiB");
		return;
	}
	struct source_lines source = {0};
	lines_split(arena, out->source, &source.lines);
	source.cut = arena_calloc(arena, source.lines.count, sizeof *source.cut);
	read_heads(out, &source, arena);
	make_text(out, &source, arena);
	if (!out->is_python)
		return;
	struct lexer lexer;
	lexer_init(&lexer, arena, diags, out);
	lexer_run(&lexer);
	statements_find(arena, out);
	for (uint32_t i = 0; i < out->logical.count; i++) {
		if (out->logical.items[i].kind != LINE_BLANK)
			out->last_line = i;
	}
}

static struct location locate(const struct lexed_cell *cell, uint32_t offset, uint32_t len)
{
	size_t low = 0, high = cell->lines.count;
	while (high - low > 1) {
		size_t middle = low + (high - low) / 2;
		if (cell->lines.items[middle].offset <= offset)
			low = middle;
		else
			high = middle;
	}
	if (low >= cell->lines.count)
		return location_in_cell(cell->number, cell->source, cell->source.len, 0);
	uint32_t start = cell->line_source.items[low] - cell->removed.items[low];
	struct slice line = slice_sub(cell->source, start, cell->source.len);
	line.len = cell->mark->line == line.ptr ? cell->mark->len : scan_to_line_end(line);
	return location_in_marked_line(
	        cell->number, cell->text_line + (unsigned)low + 1, line,
	        cell->removed.items[low] + offset - cell->lines.items[low].offset, len, cell->mark);
}

struct location lexed_location(const struct lexed_cell *cell, uint32_t offset, uint32_t len)
{
	struct location where = locate(cell, offset, len);
	where.file = cell->file;
	return where;
}

struct location lexed_head_location(const struct lexed_cell *cell, const struct magic *head)
{
	struct location where =
	        location_in_cell(cell->number, cell->source, head->offset, head->len);
	where.file = cell->file;
	return where;
}
