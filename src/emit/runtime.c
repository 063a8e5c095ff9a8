#include "emit/runtime.h"

#include "base/quote.h"
#include "emit/emit.h"
#include "emit/template.h"
#include "emit/told_cells.h"
#include "ir/ir.h"

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

static void add_names(struct strbuf *out, const char *key, const struct slice *names, size_t count)
{
	strbuf_printf(out, ", %s=(", key);
	for (size_t i = 0; i < count; i++) {
		python_string(out, names[i]);
		strbuf_puts(out, ", ");
	}
	strbuf_addc(out, ')');
}

static void add_call(struct strbuf *out, const struct program *program,
                     const struct runtime_wishes *wishes)
{
	bool piped = (wishes->progress & PROGRESS_PIPE) != 0;
	strbuf_printf(out, "%s%s.surround.begin(told_to=%s", piped ? "(lambda told_to: " : "",
	              runtime_package_name, piped ? "told_to" : "None");
	if ((wishes->progress & PROGRESS_LINES) != 0)
		strbuf_puts(out, ", lines=True");
	if (program->uses_mpi)
		strbuf_puts(out, ", agrees=True");
	if (program->all_ranks)
		strbuf_puts(out, ", all_ranks=True");
	if (wishes->records_imports)
		strbuf_puts(out, ", records_imports=True");
	if (wishes->all_regions && adds_regions(program, wishes))
		strbuf_puts(out, ", regions=\"defs\"");
	else if (wishes->regions.count > 0)
		add_names(out, "regions", wishes->regions.items, wishes->regions.count);
	if (wishes->modules.count > 0)
		add_names(out, "modules", wishes->modules.items, wishes->modules.count);
	strbuf_puts(out, piped ? "))" : ")");
}

void emit_runtime(struct strbuf *out, const struct program *program,
                  const struct runtime_wishes *wishes)
{
	struct strbuf call;
	strbuf_init(&call, out->arena);
	add_call(&call, program, wishes);
	const struct template_value values[] = {
	        {SLICE("package"), slice_from(runtime_package_name)},
	        {SLICE("begin"), strbuf_slice(&call)},
	};
	template_expand(out, NULL, "surround.py", values, 2);
	if ((wishes->progress & PROGRESS_PIPE) != 0)
		out->len--; /* the argument follows */
}
