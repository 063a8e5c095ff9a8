#include "emit/prelude.h"

#include "base/name_set.h"
#include "base/paths.h"
#include "base/quote.h"
#include "emit/template.h"
#include "ir/ir.h"
#include "ir/lower/lowering.h"

enum { INDENT = 4 };

static void add_lines(struct strbuf *out, struct slice text, unsigned indent)
{
	struct slice line;
	while (slice_next_line(&text, &line)) {
		strbuf_fill(out, ' ', line.len == 0 ? 0 : indent);
		strbuf_add(out, line);
		strbuf_addc(out, '\n');
	}
}

/* Adds NAME to NAMES after the snippets that its first line, "# requires: a b", lists. Requirements
 * of snippets must not be cyclic. */
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

static void emit_figures_folder(struct strbuf *out, const struct program *program)
{
	strbuf_fill(out, ' ', INDENT);
	strbuf_puts(out, "_nbscorep_figures_to(");
	if (program->figures.len > 0)
		python_string(out, program->figures);
	else
		strbuf_puts(out, "None");
	strbuf_puts(out, program->all_ranks ? ", True)\n" : ")\n");
}

/* The script reads values of parameters when it starts. */
static void emit_parameters(struct strbuf *out, const struct program *program)
{
	strbuf_fill(out, ' ', INDENT);
	strbuf_puts(out, "_nbscorep_take_parameters((");
	for (size_t i = 0; i < program->parameters.count; i++) {
		strbuf_puts(out, i > 0 ? " " : "");
		python_string(out, program->parameters.items[i].name);
		strbuf_addc(out, ',');
	}
	strbuf_printf(out, "), %s)\n", program->takes_any_parameter ? "True" : "False");
}

static void emit_cell_text(struct strbuf *out, const struct block *block)
{
	bool runs = block_is_code(block) || block_is_called(block);
	if (!runs || slice_trim(block->source).len == 0)
		return;
	strbuf_fill(out, ' ', (size_t)2 * INDENT);
	strbuf_printf(out, "%u: ", block->cell);
	python_string(out, block->source);
	strbuf_puts(out, ",\n");
}

/* Adds the sources of all cells that run. */
static void emit_cell_texts(struct strbuf *out, const struct program *program)
{
	strbuf_fill(out, ' ', INDENT);
	strbuf_puts(out, "_nbscorep_cells_are(");
	python_string(out, path_file(program->name));
	strbuf_printf(out, ", %u, {\n", program->jumper_cell);
	for (size_t i = 0; i < program->blocks.count; i++) {
		const struct block *block = &program->blocks.items[i];
		emit_cell_text(out, block);
		for (size_t k = 0; k < block->blocks.count; k++)
			emit_cell_text(out, &block->blocks.items[k]);
	}
	strbuf_fill(out, ' ', INDENT);
	strbuf_puts(out, "})\n");
}

static bool is_linked(const struct name_set *names, struct slice snippet)
{
	for (size_t i = 0; i < names->names.count; i++) {
		if (slice_eq(names->names.items[i], snippet))
			return true;
	}
	return false;
}

static void emit_magic(struct strbuf *out, struct slice name, enum magic_form form)
{
	strbuf_fill(out, ' ', (size_t)2 * INDENT);
	strbuf_addc(out, '(');
	python_string(out, name);
	strbuf_puts(out, form == FORM_CELL ? ", \"cell\"): " : ", \"line\"): ");
}

/* Adds the magics of get_ipython(): those whose helpers are in the script, and those without
 * effect. */
static void emit_magic_table(struct strbuf *out, const struct program *program,
                             const struct name_set *names)
{
	if (!is_linked(names, SLICE("get_ipython")))
		return;
	strbuf_fill(out, ' ', INDENT);
	strbuf_puts(out, "_nbscorep_magics = {\n");
	size_t count;
	const struct lowering *rows = lowering_rows(&count);
	for (size_t i = 0; i < count; i++) {
		bool called = rows[i].use == USE_CALL || rows[i].use == USE_MEASURED;
		bool behind = slice_find_slice(rows[i].front, SLICE("%l"), 0) == rows[i].front.len;
		if (rows[i].form == FORM_ESCAPE || !called || !behind ||
		    !is_linked(names, rows[i].snippet))
			continue;
		emit_magic(out, rows[i].name, rows[i].form);
		strbuf_printf(out, "(%.*s, ", SLICE_ARG(rows[i].function));
		python_string(out, rows[i].front);
		strbuf_puts(out, "),\n");
	}
	for (size_t i = 0; i < program->idle_magics.count; i++) {
		emit_magic(out, program->idle_magics.items[i], FORM_LINE);
		strbuf_puts(out, "None,\n");
		emit_magic(out, program->idle_magics.items[i], FORM_CELL);
		strbuf_puts(out, "None,\n");
	}
	strbuf_fill(out, ' ', INDENT);
	strbuf_puts(out, "}\n");
}

/* `import scorep.instrumenter` comes first: the bindings have loaded it, so it records nothing. The
 * instrumenter is off for the rest. */
static void add_prelude(struct strbuf *out, const struct program *program)
{
	struct name_set names;
	name_set_init(&names, out->arena);
	order_snippet(out->arena, SLICE("user"), &names);
	order_snippet(out->arena, SLICE("lines"), &names);
	for (size_t i = 0; i < program->snippets.count; i++)
		order_snippet(out->arena, program->snippets.items[i], &names);
	strbuf_add(out, template_text(SLICE("prelude/scorep.py")));
	strbuf_puts(out, "with scorep.instrumenter.disable():\n");
	for (size_t i = 0; i < names.names.count; i++) {
		struct slice line, text = template_snippet(out->arena, names.names.items[i]);
		if (slice_starts_with(text, SLICE("# requires:")))
			slice_next_line(&text, &line);
		add_lines(out, text, INDENT);
	}
	emit_magic_table(out, program, &names);
	if (program->tells_cells)
		emit_cell_texts(out, program);
	if (program->has_figures)
		emit_figures_folder(out, program);
	if (program->takes_parameters)
		emit_parameters(out, program);
}

void emit_prelude(struct strbuf *out, const struct program *program, unsigned indent)
{
	struct strbuf text;
	strbuf_init(&text, out->arena);
	add_prelude(&text, program);
	add_lines(out, strbuf_slice(&text), indent);
}
