#include "cli/report_page.h"
#include "emit/template.h"
#include "report/report_html.h"

static struct slice script(struct arena *arena)
{
	/* The last one begins when all others are there. */
	static const struct slice names[] = {
	        SLICE_INIT("report/data.js"),     SLICE_INIT("report/figures.js"),
	        SLICE_INIT("report/format.js"),   SLICE_INIT("report/panels.js"),
	        SLICE_INIT("report/measures.js"), SLICE_INIT("report/draw.js"),
	        SLICE_INIT("report/charts.js"),   SLICE_INIT("report/tables.js"),
	        SLICE_INIT("report/nodes.js"),    SLICE_INIT("report/pointer.js"),
	        SLICE_INIT("report/main.js"),
	};
	struct strbuf out;
	strbuf_init(&out, arena);
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		strbuf_add(&out, template_text(names[i]));
	return strbuf_slice(&out);
}

void report_page(struct strbuf *out, const struct report *report)
{
	const struct report_page page = {
	        .html = template_text(SLICE("report/page.html")),
	        .style = template_text(SLICE("report/page.css")),
	        .script = script(out->arena),
	};
	report_html(out, report, &page);
}
