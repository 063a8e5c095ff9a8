#include "emit/script.h"

#include "base/json_writer.h"
#include "base/paths.h"
#include "base/quote.h"
#include "base/value.h"
#include "emit/template.h"
#include "ir/ir.h"

enum { INDENT = 4 };

/* ---- the text of a code cell: indented, edited, otherwise unchanged ---- */

/* The state of writing a cell's lines. */
struct cell_writer {
	struct strbuf *out;
	const struct block *block;
	unsigned indent;
	size_t line; /* the next line */
	size_t edit; /* the next edit */
	uint32_t at; /* the text before this offset is written */
	bool plain;  /* without edits that only show values */
};

/* True if the line must not be indented. */
static bool is_fixed(const struct physical_line *line)
{
	return line->inside_token || line->lone_backslash;
}

/* Returns the number of blanks before the cell's code if its frame requires AT_LEAST. Python
 * expands tabs to multiples of 8, so a cell that is indented with tabs gets a multiple of 8. Then
 * all columns grow by the same amount, with tabs counted as 8 and as 1, and Python sees the same
 * blocks. */
static unsigned python_cell_indent(const struct block *block, unsigned at_least)
{
	const struct lexed_cell *lexed = block->code->lexed;
	if (at_least == 0 || !slice_has(lexed->text, '\t'))
		return at_least;
	vec_each(const struct physical_line, line, &lexed->lines) {
		struct slice indent =
		        slice_sub(lexed->text, line->offset, line->offset + line->indent);
		if (!is_fixed(line) && slice_has(indent, '\t'))
			return (at_least + 7) / 8 * 8;
	}
	return at_least;
}

/* Appends the source lines above the cell's code, its magics, to OUT as comments. */
static void python_cell_heads(struct strbuf *out, const struct block *block, unsigned indent)
{
	struct slice line, rest = block->source;
	for (uint32_t i = 0; i < block->code->lexed->text_line && slice_next_line(&rest, &line);
	     i++) {
		if (slice_trim(line).len > 0)
			python_comment_line(out, line, indent);
		strbuf_addc(out, '\n');
	}
}

/* Writes the text up to END with its edits. An edit may extend beyond END. An insertion at END
 * itself is written only with AT_END: it belongs to the line that ends there, not to the next
 * one. */
static void write_to(struct cell_writer *writer, uint32_t end, bool at_end)
{
	struct slice text = writer->block->code->lexed->text;
	while (writer->edit < writer->block->code->edits.count) {
		const struct edit *edit = &writer->block->code->edits.items[writer->edit];
		if (edit->offset > end || (edit->offset == end && !(at_end && edit->len == 0)))
			break;
		strbuf_add(writer->out, slice_sub(text, writer->at, edit->offset));
		if (!writer->plain || !edit->is_echo)
			strbuf_add(writer->out, edit->text);
		writer->at = edit->offset + edit->len;
		writer->edit++;
	}
	if (writer->at < end) {
		strbuf_add(writer->out, slice_sub(text, writer->at, end));
		writer->at = end;
	}
}

/* Appends the cell's lines before END: each source line becomes one line, indented. Lines that must
 * not be indented and blank lines are copied unchanged. The output ends with a line end unless nothing is appended. */
static void python_cell_lines(struct cell_writer *writer, size_t end)
{
	const struct lexed_cell *lexed = writer->block->code->lexed;
	size_t first = writer->line;
	for (; writer->line < end && writer->line < lexed->lines.count; writer->line++) {
		const struct physical_line *line = &lexed->lines.items[writer->line];
		struct slice text = lexed->text;
		bool is_blank =
		        line->indent == line->len || text.ptr[line->offset + line->indent] == '\0';
		if (writer->at <= line->offset && !is_fixed(line) && !is_blank) {
			/* A form feed resets the column to 0, so the blanks are put after the last one. */
			uint32_t at = line->indent;
			while (at > 0 && text.ptr[line->offset + at - 1] != '\f')
				at--;
			writer->at = line->offset + at;
			strbuf_add(writer->out, slice_sub(text, line->offset, writer->at));
			strbuf_fill(writer->out, ' ', writer->indent);
		}
		write_to(writer, line->offset + line->len, true);
		write_to(writer, line->offset + line->len + line->end_len, false);
	}
	/* After a CR, too: the next line end would join it to one CR LF. */
	if (writer->line > first && writer->out->ptr[writer->out->len - 1] != '\n')
		strbuf_addc(writer->out, '\n');
}

/* ---- cells ---- */

struct python_writer {
	enum script_layout layout;
	struct strbuf *out;
	source_map *map;
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
	writer->lines += count_lines(slice_tail(all, writer->counted_to));
	writer->counted_to = all.len;
	return writer->lines + 1;
}

/* Adds TEXT after INDENT blanks. */
static void emit_indented(struct strbuf *out, unsigned indent, const char *text)
{
	strbuf_fill(out, ' ', indent);
	strbuf_puts(out, text);
}

/* Adds the `with` statement of a block: its frame and the contexts of its magics, up to ": " or the
 * end of the line. Returns false if the block has none. */
static bool emit_with(struct strbuf *out, const struct block *block, unsigned indent)
{
	bool framed = block->frame != FRAME_NONE;
	size_t contexts = block_runs(block) ? block->code->contexts.count : 0;
	if (!framed && contexts == 0)
		return false;
	emit_indented(out, indent, "with ");
	if (block->frame == FRAME_CELL || (framed && block->origin == NULL && !block->has_region)) {
		strbuf_printf(out, PACKAGE_ALIAS ".cell(%u%s)", block->cell,
		              block->frame == FRAME_CELL ? ", measured=True" : "");
	} else if (framed) {
		strbuf_puts(out, block->frame == FRAME_REGION ? "scorep.user.region("
		                                              : "scorep.instrumenter.disable(");
		if (block->has_region)
			python_string(out, block_region(out->arena, block));
		strbuf_addc(out, ')');
	}
	for (size_t i = 0; i < contexts; i++) {
		strbuf_puts(out, framed || i > 0 ? ", " : "");
		strbuf_add(out, block->code->contexts.items[i]);
	}
	strbuf_addc(out, ':');
	return true;
}

/* Editors split a script at the markers. Markers of included cells are indented with their code, so
 * that editors do not split the cell that includes them. */
static void emit_marker(struct strbuf *out, const struct block *block, unsigned indent)
{
	const struct origin *origin = block->origin;
	strbuf_addc(out, '\n');
	strbuf_fill(out, ' ', origin != NULL ? indent : 0);
	strbuf_puts(out, "# %% ");
	if (block->kind == BLOCK_MARKDOWN || block->kind == BLOCK_RAW)
		strbuf_printf(out, "[%s]", block_kind_name(block->kind));
	else
		comment_inline(out, block_title(out->arena, block));
	if (block->kind == BLOCK_COMMENT && block->left_out.reason.len > 0) {
		strbuf_puts(out, " (left out: ");
		comment_inline(out, block->left_out.reason);
		strbuf_addc(out, ')');
	}
	if (block->kind == BLOCK_ENV || block->kind == BLOCK_ARGS)
		strbuf_puts(out, " (in the run script)");
	strbuf_puts(out, origin != NULL && origin->is_text ? " line 1\n" : "\n");
}

/* Begins a source map entry for the lines of a cell's text at the next script line. */
static struct source_map_entry begin_lines(struct python_writer *writer, const struct block *block,
                                           unsigned indent)
{
	return (struct source_map_entry){
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
	vec_push(writer->out->arena, writer->map, *entry);
}

/* Adds the blocks of LIST. FRAMED: a `with` is around them, which requires a statement. */
static void emit_blocks(struct python_writer *writer, const block_list *list, unsigned indent,
                        bool framed);

/* Adds an included file, at INDENT plus the indentation of the magic. */
static void emit_include(struct python_writer *writer, const struct include *include,
                         unsigned indent)
{
	unsigned inside = indent + include->indent;
	if (include->entered) {
		emit_indented(writer->out, inside, "with " PACKAGE_ALIAS ".include(");
		python_string(writer->out, include->name);
		strbuf_puts(writer->out, "):\n");
		inside += INDENT;
	}
	emit_blocks(writer, &include->blocks, inside, include->entered);
}

static void emit_body(struct python_writer *writer, const struct block *block, unsigned indent)
{
	struct cell_writer lines = {.out = writer->out,
	                            .block = block,
	                            .indent = indent,
	                            .plain = writer->layout == LAYOUT_APART};
	struct source_map_entry entry = begin_lines(writer, block, indent);
	python_cell_heads(writer->out, block, indent);
	size_t done = 0, first = writer->map->count, count = block->code->lexed->lines.count;
	for (size_t i = 0; writer->layout == LAYOUT_SCRIPT && i < block->code->includes.count;
	     i++) {
		done = block->code->includes.items[i].end_line;
		python_cell_lines(&lines, done);
		end_lines(writer, &entry);
		emit_include(writer, &block->code->includes.items[i], indent);
		/* The cell's own lines continue after a marker with their number. */
		entry.first_line += entry.lines;
		if (done < count) {
			strbuf_addc(writer->out, '\n');
			emit_indented(writer->out, indent, "# %% ");
			comment_inline(writer->out, block_title(writer->out->arena, block));
			strbuf_printf(writer->out, " line %zu\n", entry.first_line);
		}
		entry.script_line = current_line(writer);
	}
	python_cell_lines(&lines, count);
	if (done == 0 || lines.line > done)
		end_lines(writer, &entry);
	struct source_map_entry *whole = &writer->map->items[first];
	whole->span = current_line(writer) - whole->script_line;
	for (size_t i = 0; writer->layout == LAYOUT_APART && i < block->code->includes.count; i++)
		emit_include(writer, &block->code->includes.items[i], indent);
}

static void emit_code_cell(struct python_writer *writer, const struct block *block, unsigned indent)
{
	if (block->code->is_async) {
		/* Top-level await: the cell is an async function that shares its names with the module. */
		struct strbuf *out = writer->out;
		strbuf_fill(out, ' ', indent);
		strbuf_printf(out, "async def _cell_%u():\n", block->cell);
		unsigned body = python_cell_indent(block, indent + INDENT);
		for (size_t i = 0; i < block->code->globals.count; i++) {
			if (i == 0)
				strbuf_fill(out, ' ', body);
			strbuf_puts(out, i == 0 ? "global " : ", ");
			strbuf_add(out, block->code->globals.items[i]);
		}
		if (block->code->globals.count > 0)
			strbuf_puts(out, "  # names of the notebook\n");
		emit_body(writer, block, body);
		strbuf_fill(out, ' ', emit_with(out, block, indent) ? 1 : indent);
		strbuf_printf(out, PACKAGE_ALIAS ".run_async(_cell_%u", block->cell);
		if (block->origin != NULL) {
			strbuf_puts(out, ", ");
			python_string(out, block_title(out->arena, block));
		}
		strbuf_puts(out, ")\n");
		return;
	}
	bool framed = emit_with(writer->out, block, indent);
	unsigned inside = indent + (framed ? INDENT : 0), body = python_cell_indent(block, inside);
	strbuf_puts(writer->out, framed ? "\n" : "");
	/* Tabs require a deeper indentation than the code around the cell. */
	if (!framed && body > inside) {
		emit_indented(writer->out, inside, "if True:\n");
		framed = true;
	}
	emit_body(writer, block, body);
	if (framed && !block->code->has_statement)
		emit_indented(writer->out, body, "pass\n");
}

/* Adds the text of a cell for a helper: one string for each line, so that line numbers stay the
 * same. The call begins on the line of the frame. */
static void emit_called_cell(struct python_writer *writer, const struct block *block,
                             unsigned indent)
{
	struct strbuf *out = writer->out;
	const struct helper_call *helper = &block->code->helper;
	strbuf_fill(out, ' ', emit_with(out, block, indent) ? 1 : indent);
	strbuf_add(out, block->code->echo);
	strbuf_add(out, helper->function);
	strbuf_addc(out, '(');
	if (helper->place.len > 0) {
		python_string(out, helper->place);
		strbuf_puts(out, ", ");
	}
	python_string(out, helper->argument);
	strbuf_puts(out, ", (\n");
	struct source_map_entry entry = begin_lines(writer, block, indent + INDENT);
	python_cell_heads(out, block, indent + INDENT);
	struct strbuf text = {.arena = out->arena};
	struct cell_writer lines = {.out = &text, .block = block};
	write_to(&lines, (uint32_t)block->code->lexed->text.len, true);
	for (struct slice line, rest = strbuf_slice(&text); slice_next_line(&rest, &line);) {
		strbuf_fill(out, ' ', indent + INDENT);
		python_string(out, arena_printf(out->arena, "%.*s\n", SLICE_ARG(line)));
		strbuf_addc(out, '\n');
	}
	end_lines(writer, &entry);
	strbuf_fill(out, ' ', indent);
	strbuf_puts(out, block->code->lexed->text.len > 0 ? "))" : "\"\"))");
	strbuf_puts(out, block->code->echo.len > 0 ? ")\n" : "\n");
}

static void emit_block(struct python_writer *writer, const struct block *block, unsigned indent)
{
	if (block->kind == BLOCK_PARAMETERS) {
		/* The given values, then those that the script reads when it starts. */
		struct strbuf *out = writer->out;
		strbuf_puts(out, "\n# %% injected parameters\n");
		emit_indented(out, indent, "with scorep.instrumenter.disable():\n");
		for (size_t i = 0; i < block->values.count; i++) {
			strbuf_fill(out, ' ', indent + INDENT);
			strbuf_printf(out, "%.*s = ", SLICE_ARG(block->values.items[i].name));
			python_value(out, block->values.items[i].value);
			strbuf_addc(out, '\n');
		}
		emit_indented(out, indent + INDENT,
		              PACKAGE_ALIAS ".set_parameters()  # what the command line gives\n");
		return;
	}
	emit_marker(writer->out, block, indent);
	if (!block_runs(block)) {
		struct slice text = slice_trim_end(block->source);
		if (text.len > 0) {
			python_comment(writer->out, text, indent);
			strbuf_addc(writer->out, '\n');
		}
		if (block->kind == BLOCK_MULTICELL) {
			bool framed = emit_with(writer->out, block, indent);
			strbuf_puts(writer->out, framed ? "\n" : "");
			emit_blocks(writer, &block->group->blocks, indent + (framed ? INDENT : 0),
			            framed);
		}
		return;
	}
	if (block_is_called(block))
		emit_called_cell(writer, block, indent);
	else
		emit_code_cell(writer, block, indent);
}

static void emit_blocks(struct python_writer *writer, const block_list *list, unsigned indent,
                        bool framed)
{
	bool any = false;
	vec_each(const struct block, block, list) {
		emit_block(writer, block, indent);
		any |= block->frame != FRAME_NONE || block->kind == BLOCK_PARAMETERS ||
		       (block_runs(block) && block->code->has_statement);
	}
	if (framed && !any)
		emit_indented(writer->out, indent, "pass\n");
}

/* A file name must not become an encoding declaration, "coding:" or "coding=" in the script's first
 * lines (PEP 263): a backslash before the sign prevents that. */
static struct slice without_cookie(struct arena *arena, struct slice name)
{
	struct strbuf out = {.arena = arena};
	for (size_t i = 0; i < name.len; i++) {
		bool ends = slice_ends_with(slice_sub(name, 0, i), SLICE("coding"));
		if (ends && (name.ptr[i] == ':' || name.ptr[i] == '='))
			strbuf_addc(&out, '\\');
		strbuf_addc(&out, name.ptr[i]);
	}
	return strbuf_slice(&out);
}

struct slice emit_script_head(struct arena *arena, const struct emit_names *names)
{
	struct strbuf head = {.arena = arena};
	strbuf_puts(&head, "# Compiled by nbscorep from ");
	comment_inline(&head, without_cookie(arena, names->notebook));
	strbuf_puts(&head, ". Edit the notebook, then build again.");
	if (names->run_script.len > 0) {
		strbuf_puts(&head, " To run it: ");
		comment_inline(&head, without_cookie(arena, names->run_script));
	}
	strbuf_addc(&head, '\n');
	return strbuf_slice(&head);
}

/* Adds the names that Jupyter has and a script lacks. */
static void emit_names(struct strbuf *out, const struct program *program)
{
	static const struct {
		unsigned need;
		const char *name;
	} features[] = {
	        {NEED_IPYTHON_DISPLAY, "ipython_display"},
	        {NEED_EVENT_LOOP, "event_loop"},
	        {NEED_OLD_BINDINGS, "first_generation"},
	        {NEED_KEPT_NAMES, "kept_names"},
	        {NEED_OUTPUTS, "outputs"},
	        {NEED_FOLDERS, "folders"},
	};
	bool display = (program->effects & NEED_DISPLAY) != 0,
	     get_ipython = (program->effects & NEED_GET_IPYTHON) != 0, any = false;
	if (display && get_ipython)
		strbuf_puts(out, "display, get_ipython = " PACKAGE_ALIAS ".display, " PACKAGE_ALIAS
		                 ".get_ipython\n");
	else if (display)
		strbuf_puts(out, "display = " PACKAGE_ALIAS ".display\n");
	else if (get_ipython)
		strbuf_puts(out, "get_ipython = " PACKAGE_ALIAS ".get_ipython\n");
	for (size_t i = 0; i < sizeof features / sizeof *features; i++) {
		if ((program->effects & features[i].need) == 0)
			continue;
		strbuf_printf(out, "%s\"%s\"", any ? ", " : PACKAGE_ALIAS ".provide(",
		              features[i].name);
		any = true;
	}
	strbuf_puts(out, any ? ")  # what Jupyter has and a script lacks\n" : "");
}

static void emit_head_calls(struct strbuf *out, const struct program *program)
{
	strbuf_printf(
	        out,
	        "import %s as " PACKAGE_ALIAS
	        "  # the folder beside this file: keep them together; its calls are not recorded\n",
	        runtime_package_name);
	strbuf_puts(out,
	            "import scorep.instrumenter, scorep.user"
	            "  # disable(NAME) is a region, too; the calls inside it are not recorded\n");
	emit_names(out, program);
	if ((program->effects & EFFECT_FIGURES) != 0) {
		strbuf_puts(out, PACKAGE_ALIAS ".save_figures(");
		if (program->figures.len > 0)
			python_string(out, program->figures);
		else
			strbuf_puts(out, "None");
		strbuf_puts(out, program->all_ranks ? ", all_ranks=True)\n" : ")\n");
	}
	if ((program->effects & EFFECT_JUMPER) != 0) {
		strbuf_puts(out, PACKAGE_ALIAS ".monitor_cells(");
		python_string(out, path_file(program->name));
		strbuf_printf(out, ", %u)\n", program->jumper_cell);
	}
	if ((program->effects & NEED_PARAMETERS) != 0) {
		bool any = (program->effects & NEED_NEW_PARAMETERS) != 0;
		/* The script reads values of parameters when it starts. */
		strbuf_puts(out, PACKAGE_ALIAS ".take_parameters(");
		for (size_t i = 0; i < program->parameters.names.count; i++) {
			python_string(out, program->parameters.names.items[i].name);
			strbuf_puts(out,
			            i + 1 < program->parameters.names.count || any ? ", " : "");
		}
		strbuf_puts(out, any ? "new=True)" : ")");
		strbuf_puts(out, "  # -p NAME=VALUE or -f FILE on the command line\n");
	}
}

const struct emitted_script *emit_python(struct arena *arena, const struct program *program,
                                         enum script_layout layout)
{
	enum { FRAME = 64 }; /* bytes around a cell */
	size_t expected = 0;
	struct emitted_script *out = ARENA_NEW(arena, struct emitted_script);
	struct strbuf body = {.arena = arena};
	/* A body of megabytes that doubles when it is full would be copied, and take twice the memory. */
	for (size_t i = 0; i < program->blocks.count; i++)
		expected += program->blocks.items[i].source.len / 4 * 5 + FRAME;
	strbuf_reserve(&body, expected);
	out->program = program->name;
	for (size_t i = 0; i < program->futures.count; i++) {
		strbuf_puts(&body, i == 0 ? "from __future__ import " : ", ");
		strbuf_add(&body, program->futures.items[i]);
	}
	if (program->futures.count > 0)
		strbuf_addc(&body, '\n');
	emit_head_calls(&body, program);
	/* The head and the build id's line come before the body. */
	size_t base = 2 + count_lines(strbuf_slice(&body));
	struct python_writer writer = {
	        .layout = layout, .out = &body, .counted_to = body.len, .map = &out->map};
	emit_blocks(&writer, &program->blocks, 0, false);
	if ((program->effects & EFFECT_JUMPER) != 0) {
		/* The sources of all cells that run, for JUmPER's history of cells. */
		strbuf_puts(&body, "\n# %% [raw] sources\n");
		block_refs blocks = blocks_flatten(arena, &program->blocks);
		for (size_t i = 0; i < blocks.count; i++) {
			const struct block *block = blocks.items[i];
			if (block->origin != NULL || !block_runs(block) ||
			    slice_trim(block->source).len == 0)
				continue;
			struct json_writer json = {.out = &body};
			strbuf_printf(&body, "# %u: ", block->cell);
			json_put(&json, "?", J(block->source));
			strbuf_addc(&body, '\n');
		}
	}
	out->body = strbuf_slice(&body);
	vec_each(struct source_map_entry, entry, &out->map)
		entry->script_line += base;
	return out;
}
