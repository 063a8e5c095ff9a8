#include "emit/sweep_table.h"
#include "settings/sweep.h"

#include "base/quote.h"
#include "base/value_json.h"
#include "emit/emit.h"
#include "emit/run_script.h"
#include "emit/template.h"

void emit_sweep_table(struct strbuf *out, const struct sweep *sweep, const struct emit_names *names,
                      struct slice build)
{
	strbuf_puts(out, "# Compiled by nbscorep from ");
	comment_inline(out, names->notebook);
	strbuf_puts(out, ": the sets of parameters of a sweep, each after its number. Change the "
	                 "sweep, then build again.\n");
	emit_build_line(out, build);
	for (size_t i = 0; i < sweep->sets.count; i++) {
		const struct sweep_set *set = &sweep->sets.items[i];
		strbuf_printf(out, "%zu\t", i + 1);
		value_json_entries(out, set->values.items, set->values.count);
		strbuf_addc(out, '\n');
	}
}

static struct slice quoted_name(struct arena *arena, struct slice name)
{
	struct strbuf out;
	strbuf_init(&out, arena);
	bash_word(&out, name);
	return strbuf_slice(&out);
}

/* Returns the part that places the job's output, unless the header sets its file. */
static struct slice output_part(struct arena *arena, const struct template_value *count,
                                const struct run_script_parts *parts)
{
	struct strbuf out;
	strbuf_init(&out, arena);
	if (!parts->names_output)
		template_expand(&out, parts->templates, "sweep_output.sh", count, 1);
	return strbuf_slice(&out);
}

struct slice sweep_part(struct arena *arena, const struct run_script_parts *parts)
{
	struct strbuf out;
	strbuf_init(&out, arena);
	if (parts->sets == 0)
		return strbuf_slice(&out);
	const struct template_value count = {SLICE("count"),
	                                     arena_printf(arena, "%zu", parts->sets)};
	const struct template_value values[] = {
	        count,
	        {SLICE("table"), quoted_name(arena, parts->names->table)},
	        {SLICE("results"), quoted_name(arena, parts->names->results)},
	        {SLICE("output"), output_part(arena, &count, parts)},
	};
	template_expand(&out, parts->templates, "sweep.sh", values, sizeof values / sizeof *values);
	return strbuf_slice(&out);
}

struct slice sweep_directory_part(const struct run_script_parts *parts)
{
	return parts->sets == 0 ? slice_make("", 0) : template_text(SLICE("sweep_directory.sh"));
}
