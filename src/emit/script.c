#include "emit/script.h"

#include <stdint.h>

#include "base/name_set.h"
#include "base/python_value.h"
#include "base/quote.h"
#include "emit/emit.h"
#include "emit/prelude.h"
#include "emit/script_cell.h"
#include "emit/template.h"
#include "ir/ir.h"

enum { INDENT = 4, ROW_WIDTH = 80 };

/* Maps a script line, and the lines after it, to lines of a cell. */
struct place {
	size_t line;
	unsigned cell;
	long cell_line;    /* or PLACE_FRONT, PLACE_BEHIND */
	struct slice file; /* the included file; empty: the notebook */
};

/* A struct place's cell_line for lines before the cell's text, and after it. */
enum { PLACE_FRONT = 0, PLACE_BEHIND = -1 };
enum { PLACE_COLUMNS = 4 };

struct python_writer {
	const struct program *program;
	VECTOR(struct place) places;
	enum script_layout layout;
	unsigned indent; /* of the whole program */
	struct strbuf *out;
	struct source_map *map;
	size_t lines;      /* script lines written and counted so far */
	size_t counted_to; /* bytes of OUT in which lines have been counted */
};

/* Counts lines as Python does. */
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

/* Editors split a script at the markers. Markers of included cells are indented with their code, so
 * that editors do not split the cell that includes them. */
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

/* Adds a cell that is not code here as comments. */
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

/* Records the place of the next lines. */
static void put_place(struct python_writer *writer, const struct block *block, long cell_line)
{
	struct place place = {
	        .line = current_line(writer),
	        .cell = block->is_text ? 0 : block->cell,
	        .cell_line = cell_line,
	        .file = block->notebook,
	};
	vec_push(writer->out->arena, &writer->places, place);
}

/* Begins a source map entry for the lines of a cell's text at the next script line. */
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
	put_place(writer, entry->block, PLACE_BEHIND);
	entry->lines = current_line(writer) - entry->script_line;
	entry->span = entry->lines;
	vec_push(writer->out->arena, &writer->map->entries, *entry);
}

/* Continues with the cell's own lines after an included file, if lines are left. */
static void go_on_with_lines(struct python_writer *writer, struct source_map_entry *entry)
{
	entry->first_line += entry->lines;
	entry->script_line = current_line(writer);
	put_place(writer, entry->block, (long)entry->first_line);
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
	put_place(writer, block, 1);
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

/* Adds the frame of a block and the contexts of its magics. Returns the indentation inside. */
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
	put_place(writer, block, PLACE_FRONT);
	strbuf_fill(out, ' ', emit_surroundings(out, block, indent));
	strbuf_printf(out, "_nbscorep_await(_cell_%u, ", block->cell);
	python_string(out, block_title(out->arena, block));
	strbuf_puts(out, ")\n");
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
	/* Tabs require a deeper indentation than the code around the cell. */
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
	strbuf_add(out, block->shows_value ? block->echo : slice_make("", 0));
	strbuf_add(out, block->function);
	strbuf_addc(out, '(');
	if (block->place.len > 0) {
		python_string(out, block->place);
		strbuf_puts(out, ", ");
	}
	python_string(out, block->argument);
	strbuf_puts(out, ", (\n");
}

/* Returns the cell's first line of code, from which helpers number the lines of a text. */
static long first_line_of_text(const struct block *block)
{
	long number = 1 + (long)block->code.head_lines;
	struct slice line, rest = block->code.text;
	while (slice_next_line(&rest, &line) && slice_trim(line).len == 0)
		number++;
	return number;
}

/* Adds the text of a cell for a helper: one string for each line, so that line numbers stay the
 * same. */
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
	put_place(writer, block, first_line_of_text(block));
	python_cell_strings(out, block, indent + INDENT);
	end_lines(writer, &entry);
	strbuf_fill(out, ' ', indent);
	strbuf_puts(out, block->code.text.len > 0 ? "), globals(), locals())"
	                                          : "\"\"), globals(), locals())");
	strbuf_puts(out, block->shows_value ? ")\n" : "\n");
}

/* Sets the label of the cell's figures. */
static void emit_cell_begins(struct strbuf *out, const struct block *block, unsigned indent)
{
	strbuf_fill(out, ' ', indent);
	strbuf_puts(out, "with scorep.instrumenter.disable(): _nbscorep_begin_cell(");
	python_string(out, block_label(out->arena, block));
	strbuf_puts(out, ")\n");
}

/* Saves open figures. */
static void emit_cell_ends(struct strbuf *out, unsigned indent)
{
	strbuf_fill(out, ' ', indent);
	strbuf_puts(out, "with scorep.instrumenter.disable(): _nbscorep_flush_figures()\n");
}

/* Reports the cell to JUmPER's magics. */
static void emit_told_cell(struct strbuf *out, const struct block *block, const char *what,
                           unsigned indent)
{
	strbuf_fill(out, ' ', indent);
	strbuf_printf(out, "with scorep.instrumenter.disable(): _nbscorep_cell_%s(%u)\n", what,
	              block->cell);
}

/* Adds the check whether the script must end here. */
static void emit_question(struct strbuf *out, unsigned indent)
{
	strbuf_fill(out, ' ', indent);
	strbuf_puts(out, "with scorep.instrumenter.disable(): _nbscorep_next_cell()\n");
}

/* Adds the given values of parameters, then the values that the script reads when it starts. */
static void emit_parameters(struct python_writer *writer, const struct block *block,
                            unsigned indent)
{
	struct strbuf *out = writer->out;
	struct place nowhere = {.cell_line = PLACE_BEHIND};
	strbuf_puts(out, "\n# %% injected parameters\n");
	nowhere.line = current_line(writer);
	vec_push(out->arena, &writer->places, nowhere);
	emit_frame(out, FRAME_DISABLE, slice_make(NULL, 0), indent);
	indent += INDENT;
	for (size_t i = 0; i < block->values.count; i++) {
		strbuf_fill(out, ' ', indent);
		strbuf_printf(out, "%.*s = ", SLICE_ARG(block->values.items[i].name));
		python_value(out, block->values.items[i].value);
		strbuf_addc(out, '\n');
	}
	strbuf_fill(out, ' ', indent);
	strbuf_puts(out, "_nbscorep_set_parameters()\n");
}

static void emit_block(struct python_writer *writer, const struct block *block, unsigned indent)
{
	if (block->kind == BLOCK_PARAMETERS) {
		emit_parameters(writer, block, indent);
		return;
	}
	if (!block_is_code(block) && !block_is_called(block)) {
		emit_comment_cell(writer, block, indent);
		return;
	}
	/* A text is part of its cell. */
	bool has_figures = writer->program->has_figures && !block->is_text;
	/* Jupyter does not run an empty cell, and JUmPER does not count it. */
	bool told = writer->program->tells_cells && block->notebook.len == 0 &&
	            slice_trim(block->source).len > 0;
	if (!block->is_text)
		emit_marker(writer->out, block, indent);
	put_place(writer, block, PLACE_FRONT);
	if (writer->program->asks_between && block->notebook.len == 0)
		emit_question(writer->out, indent);
	if (has_figures)
		emit_cell_begins(writer->out, block, indent);
	if (told)
		emit_told_cell(writer->out, block, "begins", indent);
	if (block_is_called(block))
		emit_called_cell(writer, block, indent);
	else
		emit_code_cell(writer, block, indent);
	put_place(writer, block, PLACE_BEHIND);
	if (told)
		emit_told_cell(writer->out, block, "ends", indent);
	if (has_figures)
		emit_cell_ends(writer->out, indent);
}

static bool is_statement(const struct block *block)
{
	return block->frame != FRAME_NONE || block->has_statement ||
	       block->kind == BLOCK_PARAMETERS;
}

/* Adds the context of included code, if it has one. Returns the indentation inside. */
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

/* Adds the file that a line of BLOCK includes, at INDENT plus the indentation of the line. */
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
	unsigned indent = writer->indent;
	emit_comment_cell(writer, group, indent);
	put_place(writer, group, PLACE_FRONT);
	emit_frame(writer->out, group->frame, group->region, indent);
	indent += group->frame == FRAME_NONE ? 0 : INDENT;
	bool empty = true;
	for (size_t i = 0; i < group->blocks.count; i++) {
		emit_block(writer, &group->blocks.items[i], indent);
		empty = empty && !is_statement(&group->blocks.items[i]);
	}
	if (empty && indent > writer->indent)
		emit_pass(writer->out, indent);
}

/* A file name must not become an encoding declaration, "coding:" or "coding=" in the script's first
 * lines (PEP 263): a backslash before the sign prevents that. */
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

/* Avoids printf, which is slow for the hundreds of rows of a script. */
static void put_row(struct strbuf *out, const long row[PLACE_COLUMNS])
{
	for (size_t i = 0; i < PLACE_COLUMNS; i++) {
		strbuf_decimal(out, row[i]);
		strbuf_addc(out, i + 1 < PLACE_COLUMNS ? ',' : ';');
	}
}

/* Adds the rows of all places. The last place of a line replaces earlier ones. Adds the names of
 * included files to FILES. */
static void emit_rows(struct strbuf *out, const struct python_writer *writer,
                      struct name_set *files)
{
	size_t start = out->len, count = writer->places.count;
	strbuf_puts(out, "\"");
	for (size_t i = 0; i < count; i++) {
		const struct place *place = &writer->places.items[i];
		if (i + 1 < count && place[1].line == place->line)
			continue;
		if (out->len - start > ROW_WIDTH) {
			strbuf_puts(out, "\"\n");
			start = out->len;
			strbuf_puts(out, "\"");
		}
		size_t file = place->file.len > 0 ? 1 + name_set_add(files, place->file) : 0;
		put_row(out, (long[]){(long)place->line, (long)place->cell, place->cell_line,
		                      (long)file});
	}
	strbuf_puts(out, "\")");
}

/* Returns struct emitted_script's CELLS, with BASE lines above the cells. */
static struct slice table_of_cells(struct arena *arena, const struct python_writer *writer,
                                   struct slice notebook, size_t base)
{
	struct strbuf out, rows;
	struct name_set files;
	strbuf_init(&out, arena);
	strbuf_init(&rows, arena);
	name_set_init(&files, arena);
	emit_rows(&rows, writer, &files);
	strbuf_printf(&out, "(%zu, (", base);
	python_string(&out, notebook);
	strbuf_puts(&out, ",");
	for (size_t i = 0; i < files.names.count; i++) {
		strbuf_puts(&out, " ");
		python_string(&out, files.names.items[i]);
		strbuf_puts(&out, ",");
	}
	strbuf_puts(&out, "),\n");
	strbuf_add(&out, strbuf_slice(&rows));
	return strbuf_slice(&out);
}

/* Adds the code that loads the module NAME if the script is imported in its place. The rest of the
 * script is indented below it. */
static void emit_namesake(struct strbuf *out, struct slice name)
{
	strbuf_add(out, template_text(SLICE("namesake.py")));
	strbuf_puts(out, "if __name__ != ");
	python_string(out, name);
	strbuf_puts(out, " or not _nbscorep_gives_way(__name__, __file__):\n");
}

static void emit_cells(struct python_writer *writer)
{
	for (size_t i = 0; i < writer->program->blocks.count; i++) {
		const struct block *block = &writer->program->blocks.items[i];
		if (block->kind == BLOCK_MULTICELL)
			emit_group(writer, block);
		else
			emit_block(writer, block, writer->indent);
	}
}

void emit_python(struct arena *arena, const struct program *program, const struct emit_names *names,
                 enum script_layout layout, struct emitted_script *out, struct source_map *map)
{
	size_t first = map->entries.count;
	struct strbuf cells, body;
	strbuf_init(&cells, arena);
	strbuf_init(&body, arena);
	struct python_writer writer = {
	        .program = program,
	        .layout = layout,
	        .indent = program->namesake.len > 0 ? INDENT : 0,
	        .out = &cells,
	        .map = map,
	};
	emit_cells(&writer);
	out->head = emit_head(arena, names);
	emit_futures(&body, program);
	if (program->namesake.len > 0)
		emit_namesake(&body, program->namesake);
	emit_prelude(&body, program, writer.indent);
	/* The build id's line is between head and body. */
	size_t base = count_lines(out->head) + 1 + count_lines(strbuf_slice(&body));
	strbuf_add(&body, strbuf_slice(&cells));
	out->body = strbuf_slice(&body);
	out->cells = table_of_cells(arena, &writer, names->notebook, base);
	for (size_t i = first; i < map->entries.count; i++)
		map->entries.items[i].script_line += base;
}
