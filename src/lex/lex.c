#include "lex/lex.h"

#include "lex/magic_lexer.h"
#include "lex/python_lexer.h"
#include "lex/scan.h"
#include "lex/syntax.h"
#include "notebook/notebook.h"

enum { STACKED_HEADS_MAX = 100 }; /* each costs a pass over the cell */

/* Until make_text(), the lines of a cell are all lines of its source, and their offsets are those
 * in it. */

/* The remaining part of a line, without its line end. */
static struct slice line_left(const struct lexed_cell *cell, size_t line)
{
	const struct physical_line *item = &cell->lines.items[line];
	return slice_sub(cell->source, item->source + item->removed, item->source + item->len);
}

/* ---- clean-up ---- */

/* The clean-up of IPython's inputtransformer2 (9.0.2 and later) before it looks for magics: it removes the
 * indentation that all lines have, and prompts pasted from a session. (Up to 9.0.1 it removes that of the first
 * line, which counts here where the other rule leaves an error.) IPython also removes leading blank lines; they
 * stay here because they have no effect and keep the line numbers. It also empties lines of blanks, in strings,
 * too; they stay as they are. */

static size_t line_indentation(struct slice line)
{
	size_t n = 0;
	while (n < line.len && (line.ptr[n] == ' ' || line.ptr[n] == '\t'))
		n++;
	return n;
}

static void cut_indent(struct lexed_cell *cell, size_t first)
{
	struct slice line = line_left(cell, first);
	struct slice space = slice_sub(line, 0, line_indentation(line)), common = space;
	size_t code = cell->lines.count;
	for (size_t i = first; i < cell->lines.count && space.len > 0; i++) {
		line = line_left(cell, i);
		if (scan_is_blank(line))
			continue;
		while (!slice_starts_with(line, common))
			common.len--;
		if (code == cell->lines.count && line.ptr[line_indentation(line)] != '#')
			code = i;
	}
	/* Else an error in IPython 9. What ran before runs here, too. */
	if (code == cell->lines.count || line_indentation(line_left(cell, code)) == common.len)
		space = common;
	for (size_t i = first; i < cell->lines.count && space.len > 0; i++) {
		if (slice_starts_with(line_left(cell, i), space))
			cell->lines.items[i].removed += (uint32_t)space.len;
	}
}

/* The length of the PROMPT that LINE begins with, or 0. Most lines need no search. */
static size_t prompt_length(struct arena *arena, struct slice line, enum scan_pattern prompt)
{
	size_t from, to;
	struct slice text = slice_trim(line);
	bool may = text.len > 0 && slice_has(SLICE(">.[I"), text.ptr[0]);
	return may && scan_find(arena, prompt, line, &from, &to) ? to : 0;
}

/* INITIAL: the prompt of the first line. */
static void cut_prompts(struct lexed_cell *cell, struct arena *arena, size_t first,
                        enum scan_pattern initial, enum scan_pattern prompt)
{
	bool found = prompt_length(arena, line_left(cell, first), initial) > 0;
	if (!found && first + 1 < cell->lines.count)
		found = prompt_length(arena, line_left(cell, first + 1), prompt) > 0;
	for (size_t i = first; found && i < cell->lines.count; i++)
		cell->lines.items[i].removed +=
		        (uint32_t)prompt_length(arena, line_left(cell, i), prompt);
}

/* ---- the cell ---- */

/* Removes the cell magics from the start. As in IPython, the text below a magic that runs its body
 * as a cell is cleaned up again and may begin with another magic. Sets text_line and is_python. */
static void read_heads(struct lexed_cell *cell, struct arena *arena)
{
	cell->is_python = true;
	while (cell->is_python && cell->cell_magics.count < STACKED_HEADS_MAX) {
		size_t first = cell->text_line;
		for (; first < cell->lines.count && scan_is_blank(line_left(cell, first));
		     first++) {
			/* Python accepts only spaces, tabs and form feeds as blanks. */
			struct slice left = line_left(cell, first);
			if (scan_blanks(left) < left.len)
				cell->lines.items[first].removed += (uint32_t)left.len;
		}
		if (first == cell->lines.count)
			return;
		cut_indent(cell, first);
		cut_prompts(cell, arena, first, SCAN_FIRST_PROMPT, SCAN_PROMPT);
		cut_prompts(cell, arena, first, SCAN_IPYTHON_PROMPT, SCAN_IPYTHON_PROMPT);
		struct slice line = line_left(cell, first);
		struct magic head;
		if (!magic_head(line, (uint32_t)(line.ptr - cell->source.ptr), arena, &head))
			return;
		vec_push(arena, &cell->cell_magics, head);
		cell->text_line = (uint32_t)first + 1;
		cell->is_python = head.row != NULL && head.row->body_is_python;
	}
}

/* Makes the text of the lines after the heads: a part of the source if nothing is removed from it.
 * Keeps these lines, and sets their places in the text. */
static void make_text(struct lexed_cell *cell, struct arena *arena)
{
	size_t count = cell->lines.count - cell->text_line;
	bool cut = false;
	cell->text = slice_tail(cell->source, cell->source.len);
	cell->lines.count = cell->lines.capacity = count;
	if (count == 0 || cell->lines.items == NULL)
		return;
	struct physical_line *lines = cell->lines.items += cell->text_line;
	size_t begin = lines[0].source;
	struct strbuf out = {.arena = arena};
	for (size_t i = 0; i < count; i++)
		cut |= lines[i].removed > 0;
	for (size_t i = 0; i < count; i++) {
		struct physical_line *line = &lines[i];
		struct slice left = slice_sub(cell->source, line->source + line->removed,
		                              line->source + line->len + line->end_len);
		line->offset = (uint32_t)(cut ? out.len : line->source - begin);
		/* An empty rest of a line must not join the CR before it with LF to one line
		 * end. */
		bool joins = cut && out.len > 0 && out.ptr[out.len - 1] == '\r' && left.len > 0 &&
		             left.ptr[0] == '\n';
		if (joins)
			strbuf_addc(&out, ' ');
		if (cut)
			strbuf_add(&out, left);
		line->len = line->len - line->removed + joins;
		line->indent = joins ? 1 : (uint32_t)scan_blanks(slice_sub(left, 0, line->len));
	}
	/* The last line may have been only a prompt. */
	if (lines[count - 1].len + lines[count - 1].end_len == 0)
		cell->lines.count = cell->lines.capacity = count - 1;
	cell->text = cut ? strbuf_slice(&out) : slice_tail(cell->source, begin);
}

void lex_cell(struct arena *arena, const struct cell *cell, struct diags *diags,
              struct lexed_cell *out)
{
	*out = (struct lexed_cell){.number = cell->number,
	                           .source = cell->source,
	                           .mark = ARENA_NEW(arena, struct line_mark),
	                           .last_line = UINT32_MAX};
	if (cell->source.len > LEXED_BYTES_MAX) {
		out->is_python = out->broken = true; /* without any line */
		out->text = slice_sub(out->source, 0, 0);
		diag_add(diags, DIAG_LIMIT, location_in_cell(out->number, out->text, 0, 0),
		         "the cell is longer than 128 MiB");
		return;
	}
	struct slice rest = out->source, line;
	for (size_t at = 0; slice_next_line(&rest, &line); at = out->source.len - rest.len)
		vec_push(arena, &out->lines,
		         ((struct physical_line){
		                 .offset = (uint32_t)at,
		                 .len = (uint32_t)line.len,
		                 .source = (uint32_t)at,
		                 .end_len = (uint8_t)(out->source.len - rest.len - line.len - at),
		         }));
	vec_trim(arena, &out->lines);
	read_heads(out, arena);
	make_text(out, arena);
	if (!out->is_python)
		return;
	(void)lexer_run(arena, diags, out);
	statements_find(arena, out);
	for (uint32_t i = 0; i < out->logical.count; i++) {
		if (out->logical.items[i].kind == LINE_BLANK)
			continue;
		out->code_lines++;
		out->last_line = i;
	}
}

void lex_text(struct arena *arena, struct slice text, struct lexed_cell *out)
{
	struct cell cell = {.type = CELL_CODE, .source = text};
	struct diags ignored;
	diags_init(&ignored, arena);
	lex_cell(arena, &cell, &ignored, out);
}

struct location lexed_location(const struct lexed_cell *cell, uint32_t offset, uint32_t len)
{
	struct location where;
	size_t low = 0, high = cell->lines.count;
	while (high - low > 1) {
		size_t middle = low + (high - low) / 2;
		if (cell->lines.items[middle].offset <= offset)
			low = middle;
		else
			high = middle;
	}
	if (low >= cell->lines.count) {
		where = location_in_cell(cell->number, cell->source, cell->source.len, 0);
	} else {
		const struct physical_line *at = &cell->lines.items[low];
		struct slice line = slice_tail(cell->source, at->source);
		line.len = cell->mark->line == line.ptr ? cell->mark->len : scan_to_line_end(line);
		where = location_in_marked_line(cell->number, cell->text_line + (unsigned)low + 1,
		                                line, at->removed + offset - at->offset, len,
		                                cell->mark);
	}
	where.file = cell->file;
	return where;
}

struct location lexed_magic_location(const struct lexed_cell *cell, const struct magic *magic)
{
	if (magic->kind != MAGIC_CELL)
		return lexed_location(cell, magic->offset, magic->len);
	struct location where =
	        location_in_cell(cell->number, cell->source, magic->offset, magic->len);
	where.file = cell->file;
	return where;
}

/* ---- the table of magics ---- */

const struct magic_row magic_rows[] = {
#define MAGIC(name, form, action, body, doc)                                                       \
	{SLICE_INIT(name), FORM_##form, ACTION_##action, body, doc},
#define LOWERED(...)
#include "lex/magics.def"
};

const size_t magic_row_count = sizeof magic_rows / sizeof *magic_rows;

const struct magic_row *magic_find(struct slice name, enum magic_form form)
{
	for (size_t i = 0; i < magic_row_count; i++) {
		if (((unsigned)magic_rows[i].form & (unsigned)form) != 0 &&
		    slice_eq(magic_rows[i].name, name))
			return &magic_rows[i];
	}
	return NULL;
}

const char *magic_action_text(enum magic_action action)
{
	static const char *const texts[ACTION_COUNT] = {
#define ACTION(id, text) [ACTION_##id] = (text),
#include "lex/magic_actions.def"
	};
	return texts[action];
}
