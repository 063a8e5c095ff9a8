#include "emit/sweep_table.h"
#include "settings/sweep.h"

#include "base/quote.h"
#include "base/value_json.h"
#include "emit/emit.h"
#include "emit/run_script.h"

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
