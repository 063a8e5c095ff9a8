#include <stdint.h>

#include "base/quote.h"
#include "emit/emit.h"
#include "emit/prelude.h"
#include "emit/python_cell.h"
#include "ir/ir.h"

enum { INDENT = 4 };

struct python_writer {
	const struct program *program;
	enum script_layout layout;
	struct strbuf *out;
	struct source_map *map;
	size_t lines;      /* script lines that are written and counted */
	size_t counted_to; /* bytes of out that are counted */
};

/* Line ends as Python counts them. */
static size_t count_lines(struct slice text)
{
	size_t count = 0;
	struct slice line;
	while (slice_next_line(&text, &line))
		count++;
	return count;
}

static size_t current_line(struct python_writer *writer)
{
	struct slice all = strbuf_slice(writer->out);
	writer->lines += count_lines(slice_sub(all, writer->counted_to, all.len));
	writer->counted_to = all.len;
	return writer->lines + 1;
}

static void emit_futures(struct strbuf *out, const struct program *program)
{
	for (size_t i = 0; i < program->futures.count; i++) {
		strbuf_puts(out, i == 0 ? "from __future__ import " : ", ");
		strbuf_add(out, program->futures.items[i]);
	}
	if (program->futures.count > 0)
		strbuf_addc(out, '\n');
}

static void emit_frame(struct strbuf *out, enum frame frame, struct slice region, unsigned indent)
{
	if (frame == FRAME_NONE)
		return;
	strbuf_fill(out, ' ', indent);
	strbuf_puts(out, frame == FRAME_REGION ? "with scorep.user.region("
	                                       : "with scorep.instrumenter.disable(");
	if (region.len > 0)
		python_string(out, region);
	strbuf_puts(out, "):\n");
}

/* Editors cut a script at the markers. Those of included cells are indented with what they stand in,
 * so that editors leave the cell that includes them in one piece. */
static void emit_marker(struct strbuf *out, const struct block *block, unsigned indent)
{
	strbuf_addc(out, '\n');
	strbuf_fill(out, ' ', block->notebook.len > 0 ? indent : 0);
	strbuf_puts(out, "# %% ");
	if (block->kind == BLOCK_MARKDOWN || block->kind == BLOCK_RAW)
		strbuf_printf(out, "[%s]", block_kind_name(block->kind));
	else
		comment_inline(out, block_title(out->arena, block));
	strbuf_addc(out, '\n');
}

/* A cell that is not code here: all of it as comments. */
static void emit_comment_cell(struct python_writer *writer, const struct block *block,
                              unsigned indent)
{
	emit_marker(writer->out, block, indent);
	struct slice text = slice_trim_end(block->source);
	if (text.len == 0)
		return;
	python_comment(writer->out, text, indent);
	strbuf_addc(writer->out, '\n');
}

/* Notes where the lines of a cell's text are, from the next line on. */
static struct source_map_entry begin_lines(struct python_writer *writer, const struct block *block,
                                           unsigned indent)
{
	return (struct source_map_entry){
	        .cell = block->cell,
	        .notebook = block->is_text ? slice_make(NULL, 0) : block->notebook,
	        .text = block->is_text ? block->notebook : slice_make(NULL, 0),
	        .id = block->id,
	        .kind = slice_from(block_kind_name(block->kind)),
	        .block = block,
	        .first_line = 1,
	        .script_line = current_line(writer),
	        .indent = indent,
	};
}

static void end_lines(struct python_writer *writer, struct source_map_entry *entry)
{
	entry->lines = current_line(writer) - entry->script_line;
	entry->span = entry->lines;
	vec_push(writer->out->arena, &writer->map->entries, *entry);
}

/* Behind what a cell takes in, its own lines go on, if there are any left. */
static void go_on_with_lines(struct python_writer *writer, struct source_map_entry *entry)
{
	entry->first_line += entry->lines;
	entry->script_line = current_line(writer);
}

static void emit_pass(struct strbuf *out, unsigned indent)
{
	strbuf_fill(out, ' ', indent);
	strbuf_puts(out, "pass\n");
}

static void emit_include(struct python_writer *writer, const struct block *block,
                         const struct include *include, unsigned indent);

static void emit_body(struct python_writer *writer, const struct block *block, unsigned indent)
{
	struct cell_writer lines;
	struct source_map_entry entry = begin_lines(writer, block, indent);
	python_cell_heads(writer->out, block, indent);
	python_cell_begin(&lines, writer->out, block, indent);
	size_t done = 0, first = writer->map->entries.count;
	for (size_t i = 0; writer->layout == LAYOUT_SCRIPT && i < block->includes.count; i++) {
		done = block->includes.items[i].end_line;
		python_cell_lines(&lines, done);
		end_lines(writer, &entry);
		emit_include(writer, block, &block->includes.items[i], indent);
		go_on_with_lines(writer, &entry);
	}
	python_cell_lines(&lines, block->code.lines.count);
	if (done == 0 || lines.line > done)
		end_lines(writer, &entry);
	struct source_map_entry *whole = &writer->map->entries.items[first];
	whole->span = current_line(writer) - whole->script_line;
	for (size_t i = 0; writer->layout == LAYOUT_APART && i < block->includes.count; i++)
		emit_include(writer, block, &block->includes.items[i], indent);
}

/* What a block runs in: its frame, and what magics put around it. Returns the indentation inside. */
static unsigned emit_surroundings(struct strbuf *out, const struct block *block, unsigned indent)
{
	emit_frame(out, block->frame, block->region, indent);
	indent += block->frame == FRAME_NONE ? 0 : INDENT;
	for (size_t i = 0; i < block->contexts.count; i++) {
		strbuf_fill(out, ' ', indent);
		strbuf_printf(out, "with %.*s:\n", SLICE_ARG(block->contexts.items[i]));
		indent += INDENT;
	}
	return indent;
}

static void emit_globals(struct strbuf *out, const struct block *block, unsigned indent)
{
	for (size_t i = 0; i < block->globals.count; i++) {
		if (i == 0)
			strbuf_fill(out, ' ', indent);
		strbuf_puts(out, i == 0 ? "global " : ", ");
		strbuf_add(out, block->globals.items[i]);
	}
	if (block->globals.count > 0)
		strbuf_addc(out, '\n');
}

/* Top-level await: the cell is an async function that shares its names with the module. */
static void emit_async_cell(struct python_writer *writer, const struct block *block,
                            unsigned indent)
{
	struct strbuf *out = writer->out;
	strbuf_fill(out, ' ', indent);
	strbuf_printf(out, "async def _cell_%u():\n", block->cell);
	unsigned body = python_cell_indent(block, indent + INDENT);
	emit_globals(out, block, body);
	emit_body(writer, block, body);
	strbuf_fill(out, ' ', emit_surroundings(out, block, indent));
	strbuf_printf(out, "_nbscorep_await(_cell_%u())\n", block->cell);
}

static void emit_code_cell(struct python_writer *writer, const struct block *block, unsigned indent)
{
	if (block->is_async) {
		emit_async_cell(writer, block, indent);
		return;
	}
	unsigned inside = emit_surroundings(writer->out, block, indent);
	unsigned body = python_cell_indent(block, inside);
	bool framed = inside > indent;
	/* Tabs want another indentation than what the cell stands beside. */
	if (!framed && body > inside) {
		strbuf_fill(writer->out, ' ', inside);
		strbuf_puts(writer->out, "if True:\n");
		framed = true;
	}
	emit_body(writer, block, body);
	if (framed && !block->has_statement)
		emit_pass(writer->out, body);
}

static void emit_call_start(struct strbuf *out, const struct block *block, unsigned indent)
{
	strbuf_fill(out, ' ', indent);
	strbuf_puts(out, block->shows_value ? "_nbscorep_echo(" : "");
	strbuf_add(out, block->function);
	strbuf_addc(out, '(');
	if (block->place.len > 0) {
		python_string(out, block->place);
		strbuf_puts(out, ", ");
	}
	python_string(out, block->argument);
	strbuf_puts(out, ", (\n");
}

/* The text of a cell for a helper: a string for each line, so that lines are lines. */
static void emit_called_cell(struct python_writer *writer, const struct block *block,
                             unsigned indent)
{
	struct strbuf *out = writer->out;
	indent = emit_surroundings(out, block, indent);
	if (block->frame == FRAME_REGION && !block->measured) {
		emit_frame(out, FRAME_DISABLE, slice_make(NULL, 0), indent);
		indent += INDENT;
	}
	emit_call_start(out, block, indent);
	struct source_map_entry entry = begin_lines(writer, block, indent + INDENT);
	python_cell_heads(out, block, indent + INDENT);
	python_cell_strings(out, block, indent + INDENT);
	end_lines(writer, &entry);
	strbuf_fill(out, ' ', indent);
	strbuf_puts(out, block->code.text.len > 0 ? "), globals(), locals())"
	                                          : "\"\"), globals(), locals())");
	strbuf_puts(out, block->shows_value ? ")\n" : "\n");
}

/* The cell's figures get its name. */
static void emit_cell_begins(struct strbuf *out, const struct block *block, unsigned indent)
{
	strbuf_fill(out, ' ', indent);
	strbuf_puts(out, "with scorep.instrumenter.disable(): _nbscorep_begin_cell(");
	python_string(out, block_label(out->arena, block));
	strbuf_puts(out, ")\n");
}

/* Figures that are open are saved. */
static void emit_cell_ends(struct strbuf *out, unsigned indent)
{
	strbuf_fill(out, ' ', indent);
	strbuf_puts(out, "with scorep.instrumenter.disable(): _nbscorep_flush_figures()\n");
}

static void emit_block(struct python_writer *writer, const struct block *block, unsigned indent)
{
	if (!block_is_code(block) && !block_is_called(block)) {
		emit_comment_cell(writer, block, indent);
		return;
	}
	/* A text is a part of its cell. */
	bool has_figures = writer->program->has_figures && !block->is_text;
	if (!block->is_text)
		emit_marker(writer->out, block, indent);
	if (has_figures)
		emit_cell_begins(writer->out, block, indent);
	if (block_is_called(block))
		emit_called_cell(writer, block, indent);
	else
		emit_code_cell(writer, block, indent);
	if (has_figures)
		emit_cell_ends(writer->out, indent);
}

static bool is_statement(const struct block *block)
{
	return block->frame != FRAME_NONE || block->has_statement;
}

/* The context in which it runs, if it has one. Returns the indentation inside. */
static unsigned emit_entrance(struct strbuf *out, const struct include *include, unsigned indent)
{
	if (!include->entered)
		return indent;
	strbuf_fill(out, ' ', indent);
	strbuf_puts(out, "with _nbscorep_included(");
	python_string(out, include->name);
	strbuf_puts(out, ", globals()):\n");
	return indent + INDENT;
}

/* What a line of BLOCK takes in, at INDENT and the indentation of the line. */
static void emit_include(struct python_writer *writer, const struct block *block,
                         const struct include *include, unsigned indent)
{
	bool empty = true, begins_cells = false;
	indent += include->indent;
	unsigned inside = emit_entrance(writer->out, include, indent);
	for (size_t i = 0; i < include->blocks.count; i++) {
		const struct block *included = &include->blocks.items[i];
		emit_block(writer, included, inside);
		empty = empty && !is_statement(included);
		begins_cells = begins_cells || !included->is_text;
	}
	if (include->entered && empty)
		emit_pass(writer->out, inside);
	if (begins_cells && writer->program->has_figures)
		emit_cell_begins(writer->out, block, indent);
}

static void emit_group(struct python_writer *writer, const struct block *group)
{
	emit_comment_cell(writer, group, 0);
	emit_frame(writer->out, group->frame, group->region, 0);
	unsigned indent = group->frame == FRAME_NONE ? 0 : INDENT;
	bool empty = true;
	for (size_t i = 0; i < group->blocks.count; i++) {
		emit_block(writer, &group->blocks.items[i], indent);
		empty = empty && !is_statement(&group->blocks.items[i]);
	}
	if (empty && indent > 0)
		emit_pass(writer->out, indent);
}

/* A file name must not become an encoding declaration, "coding:" or "coding=" in the script's first
 * lines (PEP 263): a backslash parts the two. */
static struct slice without_cookie(struct arena *arena, struct slice name)
{
	struct strbuf out;
	strbuf_init(&out, arena);
	for (size_t i = 0; i < name.len; i++) {
		bool ends = slice_ends_with(slice_sub(name, 0, i), SLICE("coding"));
		if (ends && (name.ptr[i] == ':' || name.ptr[i] == '='))
			strbuf_addc(&out, '\\');
		strbuf_addc(&out, name.ptr[i]);
	}
	return strbuf_slice(&out);
}

static struct slice emit_head(struct arena *arena, const struct emit_names *names)
{
	struct strbuf head;
	strbuf_init(&head, arena);
	strbuf_puts(&head, "# Compiled by nbscorep from ");
	comment_inline(&head, without_cookie(arena, names->notebook));
	strbuf_puts(&head, ". Edit the notebook, then build again.\n");
	return strbuf_slice(&head);
}

void emit_python(struct arena *arena, const struct program *program, const struct emit_names *names,
                 enum script_layout layout, struct emitted_script *out, struct source_map *map)
{
	out->head = emit_head(arena, names);
	struct strbuf body;
	strbuf_init(&body, arena);
	/* The build id's line stands between head and body. */
	struct python_writer writer = {.program = program,
	                               .layout = layout,
	                               .out = &body,
	                               .map = map,
	                               .lines = count_lines(out->head) + 1};
	emit_futures(&body, program);
	emit_prelude(&body, program);
	for (size_t i = 0; i < program->blocks.count; i++) {
		const struct block *block = &program->blocks.items[i];
		if (block->kind == BLOCK_MULTICELL)
			emit_group(&writer, block);
		else
			emit_block(&writer, block, 0);
	}
	out->body = strbuf_slice(&body);
}
