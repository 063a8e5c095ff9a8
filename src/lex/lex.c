#include "lex/lex.h"

#include "base/strbuf.h"
#include "lex/magic_lexer.h"
#include "lex/python_lexer.h"
#include "lex/scan.h"
#include "lex/syntax.h"
#include "notebook/notebook.h"

enum { STACKED_HEADS_MAX = 100 }; /* each costs a pass over the cell */

/* The source as lines. */
struct source_lines {
	struct slice text;
	VECTOR(struct physical_line) lines; /* OFFSET is that in the source */
};

/* Splits the text as Python does. */
static void split_lines(struct arena *arena, struct source_lines *source)
{
	struct slice rest = source->text, line;
	for (size_t at = 0; slice_next_line(&rest, &line); at = source->text.len - rest.len) {
		struct physical_line item = {
		        .offset = (uint32_t)at,
		        .len = (uint32_t)line.len,
		        .source = (uint32_t)at,
		        .end_len = (uint8_t)(source->text.len - rest.len - line.len - at),
		};
		vec_push(arena, &source->lines, item);
	}
	vec_trim(arena, &source->lines);
}

/* The remaining part of a line, without its line end. */
static struct slice line_left(const struct source_lines *source, size_t line)
{
	const struct physical_line *item = &source->lines.items[line];
	return slice_sub(source->text, item->source + item->removed, item->source + item->len);
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

static void cut_indent(struct source_lines *source, size_t first)
{
	struct slice line = line_left(source, first);
	struct slice space = slice_sub(line, 0, line_indentation(line)), common = space;
	size_t code = source->lines.count;
	for (size_t i = first; i < source->lines.count && space.len > 0; i++) {
		line = line_left(source, i);
		if (scan_is_blank(line))
			continue;
		while (!slice_starts_with(line, common))
			common.len--;
		if (code == source->lines.count && line.ptr[line_indentation(line)] != '#')
			code = i;
	}
	/* Else an error in IPython 9. What ran before runs here, too. */
	if (code == source->lines.count || line_indentation(line_left(source, code)) == common.len)
		space = common;
	for (size_t i = first; i < source->lines.count && space.len > 0; i++) {
		if (slice_starts_with(line_left(source, i), space))
			source->lines.items[i].removed += (uint32_t)space.len;
	}
}

/* The length of ">>> ", or of ">>>" alone; also of "..." if CONTINUED. */
static size_t classic_prompt(struct slice line, bool continued)
{
	if (!slice_starts_with(line, SLICE(">>>")) &&
	    !(continued && slice_starts_with(line, SLICE("..."))))
		return 0;
	if (line.len == 3)
		return 3;
	return line.ptr[3] == ' ' ? 4 : 0;
}

static size_t skip_literal(struct slice line, size_t at, struct slice literal)
{
	return slice_starts_with(slice_tail(line, at), literal) ? at + literal.len : at;
}

/* The length of "In [7]: ", also after " ", "[ins] " or "[nav] ". */
static size_t numbered_prompt(struct slice line)
{
	size_t at = skip_literal(line, 0, SLICE("[ins]"));
	at = at > 0 ? at : skip_literal(line, 0, SLICE("[nav]"));
	size_t blank = skip_literal(line, at, SLICE(" "));
	if (at > 0 && blank == at)
		return 0;
	at = blank;
	size_t digits = skip_literal(line, at, SLICE("In ["));
	if (digits == at)
		return 0;
	at = digits;
	while (at < line.len && ascii_is_digit(line.ptr[at]))
		at++;
	size_t end = skip_literal(line, at, SLICE("]: "));
	return at > digits && end > at ? end : 0;
}

/* The length of "   ...: ", with three dots or more. */
static size_t dotted_prompt(struct slice line)
{
	size_t at = 0;
	while (at < line.len && ascii_is_blank(line.ptr[at]))
		at++;
	size_t dots = at;
	while (at < line.len && line.ptr[at] == '.')
		at++;
	if (at - dots < 3 || at == line.len || line.ptr[at] != ':')
		return 0;
	return skip_literal(line, at + 1, SLICE(" "));
}

static size_t ipython_prompt(struct slice line, bool continued)
{
	(void)continued;
	size_t n = numbered_prompt(line);
	return n > 0 ? n : dotted_prompt(line);
}

typedef size_t prompt_function(struct slice line, bool continued);

static void cut_prompts(struct source_lines *source, size_t first, prompt_function *prompt)
{
	bool found = prompt(line_left(source, first), false) > 0;
	if (!found && first + 1 < source->lines.count)
		found = prompt(line_left(source, first + 1), true) > 0;
	for (size_t i = first; found && i < source->lines.count; i++)
		source->lines.items[i].removed += (uint32_t)prompt(line_left(source, i), true);
}

/* Python accepts only spaces, tabs and form feeds as blanks. */
static void empty_line(struct source_lines *source, size_t line)
{
	struct slice left = line_left(source, line);
	struct slice blanks = SLICE(" \t\f");
	size_t i = 0;
	while (i < left.len && slice_has(blanks, left.ptr[i]))
		i++;
	if (i < left.len)
		source->lines.items[line].removed += (uint32_t)left.len;
}

/* Applies IPython's clean-up from line FIRST on. Returns the first line that is not blank, or the
 * number of lines. */
static size_t clean_lines(struct source_lines *source, size_t first)
{
	while (first < source->lines.count && scan_is_blank(line_left(source, first)))
		empty_line(source, first++);
	if (first >= source->lines.count)
		return source->lines.count;
	cut_indent(source, first);
	cut_prompts(source, first, classic_prompt);
	cut_prompts(source, first, ipython_prompt);
	return first;
}

/* ---- the cell ---- */

/* Removes the cell magics from the start. As in IPython, the text below a magic that runs its body
 * as a cell is cleaned up again and may begin with another magic. Sets text_line and is_python. */
static void read_heads(struct lexed_cell *cell, struct source_lines *source, struct arena *arena)
{
	cell->is_python = true;
	while (cell->is_python && cell->cell_magics.count < STACKED_HEADS_MAX) {
		size_t first = clean_lines(source, cell->text_line);
		if (first == source->lines.count)
			return;
		struct slice line = line_left(source, first);
		struct magic head;
		if (!magic_head(line, (uint32_t)(line.ptr - cell->source.ptr), arena, &head))
			return;
		vec_push(arena, &cell->cell_magics, head);
		cell->text_line = (uint32_t)first + 1;
		cell->is_python = head.row != NULL && head.row->body_is_python;
	}
}

/* Makes the text of the lines after the heads: a part of the source if nothing is removed from it.
 * Sets the lines' places in it. */
static void make_text(struct lexed_cell *cell, struct source_lines *source, struct arena *arena)
{
	size_t count = source->lines.count - cell->text_line;
	struct strbuf out;
	bool cut = false;
	cell->text = slice_tail(cell->source, cell->source.len);
	if (source->lines.items == NULL || count == 0)
		return;
	struct physical_line *lines = source->lines.items + cell->text_line;
	size_t begin = lines[0].source;
	strbuf_init(&out, arena);
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
		count--;
	cell->text = cut ? strbuf_slice(&out) : slice_tail(cell->source, begin);
	cell->lines.items = lines;
	cell->lines.count = cell->lines.capacity = count;
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
	struct source_lines source = {.text = out->source};
	split_lines(arena, &source);
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

struct location lexed_head_location(const struct lexed_cell *cell, const struct magic *head)
{
	struct location where =
	        location_in_cell(cell->number, cell->source, head->offset, head->len);
	where.file = cell->file;
	return where;
}

/* ---- the table of magics ---- */

static const struct magic_row magic_table[] = {
#define MAGIC(name, form, action, body, doc)                                                       \
	{SLICE_INIT(name), FORM_##form, ACTION_##action, body, doc},
#define LOWERED(...)
#include "lex/magics.def"
#undef MAGIC
#undef LOWERED
};

static const char *const action_texts[ACTION_COUNT] = {
#define ACTION(id, text) [ACTION_##id] = (text),
#include "lex/magic_actions.def"
#undef ACTION
};

const struct magic_row *magic_rows(size_t *count)
{
	*count = sizeof magic_table / sizeof *magic_table;
	return magic_table;
}

const struct magic_row *magic_find(struct slice name, enum magic_form form)
{
	for (size_t i = 0; i < sizeof magic_table / sizeof *magic_table; i++) {
		if (((unsigned)magic_table[i].form & (unsigned)form) != 0 &&
		    slice_eq(magic_table[i].name, name))
			return &magic_table[i];
	}
	return NULL;
}

const char *magic_action_text(enum magic_action action)
{
	return action_texts[action];
}
