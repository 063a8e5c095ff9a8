#include <stdint.h>

#include "base/name_set.h"
#include "base/quote.h"
#include "emit/emit.h"
#include "emit/python_cell.h"
#include "emit/template.h"
#include "ir/ir.h"

enum { INDENT = 4 };

struct python_writer {
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

static void emit_snippet(struct strbuf *out, struct slice text)
{
	struct slice line;
	while (slice_next_line(&text, &line)) {
		strbuf_fill(out, ' ', line.len == 0 ? 0 : INDENT);
		strbuf_add(out, line);
		strbuf_addc(out, '\n');
	}
}

/* Adds NAME to NAMES behind what its first line, "# requires: a b", asks for. Snippets do not require
 * each other in circles. */
static void order_snippet(struct arena *arena, struct slice name, struct name_set *names)
{
	static const struct slice keyword = SLICE_INIT("# requires:");
	struct slice line, word, text = template_snippet(arena, name);
	if (slice_next_line(&text, &line) && slice_starts_with(line, keyword)) {
		line = slice_sub(line, keyword.len, line.len);
		while ((word = slice_next_word(&line)).len > 0)
			order_snippet(arena, word, names);
	}
	name_set_add(names, name);
}

/* `import scorep.instrumenter` first and alone: the bindings have loaded it, so it records nothing.
 * All else stands where the instrumenter is off. */
static void emit_prelude(struct strbuf *out, const struct program *program)
{
	struct name_set names;
	name_set_init(&names, out->arena);
	order_snippet(out->arena, SLICE("user"), &names);
	for (size_t i = 0; i < program->snippets.count; i++)
		order_snippet(out->arena, program->snippets.items[i], &names);
	strbuf_add(out, template_text(SLICE("prelude/scorep.py")));
	strbuf_puts(out, "with scorep.instrumenter.disable():\n");
	for (size_t i = 0; i < names.names.count; i++) {
		struct slice line, text = template_snippet(out->arena, names.names.items[i]);
		if (slice_starts_with(text, SLICE("# requires:")))
			slice_next_line(&text, &line);
		emit_snippet(out, text);
	}
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

static void emit_marker(struct strbuf *out, const struct block *block)
{
	strbuf_puts(out, "\n# %% ");
	if (block->kind == BLOCK_MARKDOWN || block->kind == BLOCK_RAW)
		strbuf_printf(out, "[%s]\n", block_kind_name(block->kind));
	else
		strbuf_printf(out, "cell %u\n", block->cell);
}

/* A cell that is not code here: all of it as comments. */
static void emit_comment_cell(struct python_writer *writer, const struct block *block,
                              unsigned indent)
{
	emit_marker(writer->out, block);
	struct slice text = slice_trim_end(block->source);
	if (text.len == 0)
		return;
	python_comment(writer->out, text, indent);
	strbuf_addc(writer->out, '\n');
}

static void emit_body(struct python_writer *writer, const struct block *block, unsigned indent)
{
	struct source_map_entry entry = {
	        .cell = block->cell,
	        .id = block->id,
	        .kind = slice_from(block_kind_name(block->kind)),
	        .script_line = current_line(writer),
	        .indent = indent,
	};
	python_cell_emit(writer->out, block, indent);
	entry.lines = current_line(writer) - entry.script_line;
	vec_push(writer->out->arena, &writer->map->entries, entry);
	if (!block->has_statement && block->frame != FRAME_NONE) {
		strbuf_fill(writer->out, ' ', indent);
		strbuf_puts(writer->out, "pass\n");
	}
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
	emit_frame(out, block->frame, block->region, indent);
	strbuf_fill(out, ' ', indent + (block->frame == FRAME_NONE ? 0 : INDENT));
	strbuf_printf(out, "_nbscorep_await(_cell_%u())\n", block->cell);
}

static void emit_code_cell(struct python_writer *writer, const struct block *block, unsigned indent)
{
	emit_marker(writer->out, block);
	if (block->is_async) {
		emit_async_cell(writer, block, indent);
		return;
	}
	emit_frame(writer->out, block->frame, block->region, indent);
	emit_body(writer, block,
	          block->frame == FRAME_NONE ? indent : python_cell_indent(block, indent + INDENT));
}

/* The text of a cell for a helper: a string for each line, so that lines are lines. */
static void emit_foreign_text(struct python_writer *writer, const struct block *block,
                              unsigned indent)
{
	struct strbuf *out = writer->out;
	struct slice line, rest = block->source;
	for (uint32_t i = 0; i < block->code.head_lines && slice_next_line(&rest, &line); i++) {
		if (slice_trim(line).len > 0)
			python_comment_line(out, line, indent);
		strbuf_addc(out, '\n');
	}
	rest = block->code.text;
	while (slice_next_line(&rest, &line)) {
		strbuf_fill(out, ' ', indent);
		python_string(out, arena_printf(out->arena, "%.*s\n", SLICE_ARG(line)));
		strbuf_addc(out, '\n');
	}
}

static void emit_foreign_cell(struct python_writer *writer, const struct block *block,
                              unsigned indent)
{
	struct strbuf *out = writer->out;
	emit_marker(out, block);
	emit_frame(out, block->frame, block->region, indent);
	indent += INDENT;
	if (block->frame == FRAME_REGION) {
		emit_frame(out, FRAME_DISABLE, slice_make(NULL, 0), indent);
		indent += INDENT;
	}
	strbuf_fill(out, ' ', indent);
	strbuf_add(out, block->function);
	strbuf_addc(out, '(');
	python_string(out, block->argument);
	strbuf_puts(out, ", (\n");
	struct source_map_entry entry = {
	        .cell = block->cell,
	        .id = block->id,
	        .kind = slice_from(block_kind_name(block->kind)),
	        .script_line = current_line(writer),
	        .indent = indent + INDENT,
	};
	emit_foreign_text(writer, block, indent + INDENT);
	entry.lines = current_line(writer) - entry.script_line;
	vec_push(out->arena, &writer->map->entries, entry);
	strbuf_fill(out, ' ', indent);
	strbuf_puts(out, block->code.text.len > 0 ? "), globals(), locals())\n"
	                                          : "\"\"), globals(), locals())\n");
}

static void emit_block(struct python_writer *writer, const struct block *block, unsigned indent)
{
	if (block_is_code(block))
		emit_code_cell(writer, block, indent);
	else if (block->kind == BLOCK_FOREIGN)
		emit_foreign_cell(writer, block, indent);
	else
		emit_comment_cell(writer, block, indent);
}

static bool is_statement(const struct block *block)
{
	return block->frame != FRAME_NONE || block->has_statement;
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
	if (empty && indent > 0) {
		strbuf_fill(writer->out, ' ', indent);
		strbuf_puts(writer->out, "pass\n");
	}
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
                 struct emitted_script *out, struct source_map *map)
{
	out->head = emit_head(arena, names);
	struct strbuf body;
	strbuf_init(&body, arena);
	/* The build id's line stands between head and body. */
	struct python_writer writer = {
	        .out = &body, .map = map, .lines = count_lines(out->head) + 1};
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
