#include "base/quote.h"
#include "emit/emit.h"
#include "emit/template.h"
#include "ir/ir.h"

static void add_part(struct strbuf *out, const char *name)
{
	strbuf_puts(out, "\n\n");
	strbuf_add(out, template_text(arena_printf(out->arena, "runtime/%s.py", name)));
}

static void add_parts(struct strbuf *out, const struct runtime_wishes *wishes)
{
	strbuf_add(out, template_text(SLICE("runtime/head.py")));
	add_part(out, "place");
	add_part(out, "leave");
	add_part(out, "uncaught");
	if (wishes->quiet_imports)
		add_part(out, "imports");
	if (wishes->all_regions || wishes->regions.count > 0) {
		add_part(out, "compilers");
		add_part(out, "regions");
	}
	add_part(out, "frames");
	add_part(out, "ending");
	add_part(out, "ranks");
	if (wishes->progress != PROGRESS_NONE)
		add_part(out, "progress");
	add_part(out, "start");
	if (wishes->modules.count > 0) /* what the others call of a module is not measured */
		add_part(out, "modules");
}

static void add_names(struct strbuf *out, const char *key, const struct slice *names, size_t count)
{
	strbuf_printf(out, "'%s': (", key);
	for (size_t i = 0; i < count; i++) {
		python_string(out, names[i]);
		strbuf_puts(out, ", ");
	}
	strbuf_puts(out, "),\n");
}

static void add_wishes(struct strbuf *out, const struct runtime_wishes *wishes)
{
	if (wishes->all_regions)
		strbuf_puts(out, "'regions': 'defs',\n");
	else if (wishes->regions.count > 0)
		add_names(out, "regions", wishes->regions.items, wishes->regions.count);
	if (wishes->modules.count > 0)
		add_names(out, "modules", wishes->modules.items, wishes->modules.count);
}

static void add_titles(struct strbuf *out, const struct program *program)
{
	cell_list cells = {0};
	emit_list_cells(out->arena, program, &cells);
	strbuf_puts(out, "'titles': {");
	for (size_t i = 0; i < cells.count; i++) {
		strbuf_printf(out, "%s%u: ", i > 0 ? ",\n" : "", cells.items[i].number);
		python_string(out, cells.items[i].title);
	}
	strbuf_puts(out, "},\n");
}

/* What progress.py is given. */
static void add_progress(struct strbuf *out, const struct program *program, unsigned progress)
{
	if (progress == PROGRESS_NONE)
		return;
	add_titles(out, program);
	strbuf_printf(out, "'says': %s,\n'told_to': %s,\n",
	              (progress & PROGRESS_LINES) != 0 ? "True" : "False",
	              (progress & PROGRESS_PIPE) != 0 ? "told_to" : "None");
}

/* The parts are executed as a module's text: the bindings execute this file inside a function, where
 * one function of it would not see another. They hold no ''' (tests/e2e/runtime_test.py). */
void emit_runtime(struct strbuf *out, const struct program *program, struct slice cells,
                  const struct runtime_wishes *wishes)
{
	bool piped = (wishes->progress & PROGRESS_PIPE) != 0;
	strbuf_puts(out, piped ? "(lambda told_to: " : "");
	strbuf_puts(out, "exec(compile(r'''");
	add_parts(out, wishes);
	strbuf_puts(out, "''', '<nbscorep>', 'exec'), {'__name__': 'scorep.nbscorep',\n");
	strbuf_printf(out, "'agrees': %s, 'all_ranks': %s,\n", program->uses_mpi ? "True" : "False",
	              program->all_ranks ? "True" : "False");
	add_wishes(out, wishes);
	add_progress(out, program, wishes->progress);
	strbuf_puts(out, "'cells': ");
	strbuf_add(out, cells);
	strbuf_puts(out, piped ? "}))" : "})\n");
}
