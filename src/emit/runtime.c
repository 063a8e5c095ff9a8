#include "emit/runtime.h"

#include "base/quote.h"
#include "emit/emit.h"
#include "emit/template.h"
#include "emit/told_cells.h"
#include "ir/ir.h"

static void add_part(struct strbuf *out, const char *name)
{
	strbuf_puts(out, "\n\n");
	strbuf_add(out, template_text(arena_printf(out->arena, "runtime/%s.py", name)));
}

/* True if the instrumenter is on wherever code of BLOCKS runs. */
static bool records_all(const block_list *blocks)
{
	for (size_t i = 0; i < blocks->count; i++) {
		const struct block *block = &blocks->items[i];
		bool is_off = block->frame == FRAME_DISABLE && block->has_statement;
		if (is_off ||
		    slice_find_slice(block->source, SLICE("instrumenter"), 0) < block->source.len)
			return false;
		if (!records_all(&block->blocks))
			return false;
		for (size_t k = 0; k < block->includes.count; k++) {
			if (!records_all(&block->includes.items[k].blocks))
				return false;
		}
	}
	return true;
}

static bool starts_instrumenter(const struct program *program)
{
	static const struct slice without[] = {SLICE_INIT("--noinstrumenter"),
	                                       SLICE_INIT("--nopython"),
	                                       SLICE_INIT("--instrumenter-type=dummy")};
	for (size_t i = 0; i < program->arguments.count; i++) {
		const struct argument *argument = &program->arguments.items[i];
		if (argument->expands ||
		    slice_is_one_of(argument->text, without, sizeof without / sizeof *without))
			return false;
	}
	return true;
}

/* True if the runtime adds regions for the script's functions. If the instrumenter is always on, it
 * records them itself, and a check in each call would only cost time. */
static bool adds_regions(const struct program *program, const struct runtime_wishes *wishes)
{
	if (wishes->regions.count > 0) /* names are checked against the script */
		return true;
	return wishes->all_regions &&
	       !(starts_instrumenter(program) && records_all(&program->blocks));
}

/* True if --mpp=mpi may be among the arguments. */
static bool measures_together(const struct program *program)
{
	for (size_t i = 0; i < program->arguments.count; i++) {
		const struct argument *argument = &program->arguments.items[i];
		if (argument->expands || slice_starts_with(argument->text, SLICE("--mp")))
			return true;
	}
	return false;
}

static void add_parts(struct strbuf *out, const struct program *program,
                      const struct runtime_wishes *wishes, bool regions)
{
	strbuf_add(out, template_text(SLICE("runtime/head.py")));
	add_part(out, "place");
	add_part(out, "leave");
	add_part(out, "uncaught");
	if (wishes->quiet_imports)
		add_part(out, "imports");
	if (regions) {
		add_part(out, "compilers");
		add_part(out, "regions");
	}
	add_part(out, "frames");
	add_part(out, "agree");
	add_part(out, "ending");
	add_part(out, "ranks");
	add_part(out, "threads");
	add_part(out, "flushes");
	if (measures_together(program))
		add_part(out, "late_mpi");
	if (wishes->progress != PROGRESS_NONE)
		add_part(out, "progress");
	add_part(out, "start");
	if (wishes->modules.count > 0) /* last, so that calls of the other parts are not measured */
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

static void add_wishes(struct strbuf *out, const struct runtime_wishes *wishes, bool regions)
{
	if (wishes->all_regions && regions)
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

/* Adds the data for progress.py. */
static void add_progress(struct strbuf *out, const struct program *program, unsigned progress)
{
	if (progress == PROGRESS_NONE)
		return;
	add_titles(out, program);
	strbuf_printf(out,
	              "'says':"
	              " %s,\n'told_to': %s,\n",
	              (progress & PROGRESS_LINES) != 0 ? "True" : "False",
	              (progress & PROGRESS_PIPE) != 0 ? "told_to" : "None");
}

/* The parts are executed as the text of a module: the bindings execute this file inside a function,
 * in which its functions could not see each other. Parts must not contain '''
 * (tests/e2e/runtime_test.py). */
void emit_runtime(struct strbuf *out, const struct program *program, struct slice cells,
                  const struct runtime_wishes *wishes)
{
	bool regions = adds_regions(program, wishes);
	bool piped = (wishes->progress & PROGRESS_PIPE) != 0;
	strbuf_puts(out, piped ? "(lambda told_to: " : "");
	strbuf_puts(out, "exec(compile(r'''");
	add_parts(out, program, wishes, regions);
	strbuf_puts(out, "''', '<nbscorep>', 'exec'), {'__name__': 'scorep.nbscorep',\n");
	strbuf_printf(out, "'agrees': %s, 'all_ranks': %s,\n", program->uses_mpi ? "True" : "False",
	              program->all_ranks ? "True" : "False");
	add_wishes(out, wishes, regions);
	add_progress(out, program, wishes->progress);
	strbuf_puts(out, "'cells': ");
	strbuf_add(out, cells);
	strbuf_puts(out, piped ? "}))" : "})\n");
}
