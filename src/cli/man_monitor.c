/* The tables of src/sample/ and src/report/. */
#include "cli/man_monitor.h"

#include "cli/man_tables.h"
#include "report/signatures.h"

static void add_item(struct strbuf *out, struct slice name, const char *more)
{
	strbuf_puts(out, ".TP\n\\fB");
	man_text(out, name);
	strbuf_printf(out, "\\fR%s\n", more);
}

void man_table_metrics(struct strbuf *out)
{
	for (unsigned i = 0; i < METRIC_COUNT; i++) {
		const struct metric_row *row = metric_row(i);
		bool grows = row->kind == METRIC_IS_COUNTER, has_unit = row->unit.len > 0;
		struct slice more =
		        arena_printf(out->arena, " (%s%s%.*s)", grows ? "counter" : "gauge",
		                     has_unit ? ", " : "", SLICE_ARG(row->unit));
		add_item(out, row->name, more.ptr);
		man_sentence(out, row->title);
	}
}

void man_table_signatures(struct strbuf *out)
{
	static const struct {
		struct slice name, text;
	} rows[] = {
#define SIGNATURE(id, name, text) {SLICE_INIT(name), SLICE_INIT(text)},
#include "report/signatures.def"
#undef SIGNATURE
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		add_item(out, rows[i].name, "");
		man_sentence(out, rows[i].text);
	}
}
