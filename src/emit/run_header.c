#include "emit/run_header.h"

#include "batch/job_header.h"
#include "emit/emit.h"
#include "emit/template.h"

static struct slice value_of(const batch_variable_list *variables, struct slice name)
{
	for (size_t i = 0; i < variables->count; i++) {
		if (slice_eq(variables->items[i].name, name))
			return variables->items[i].value;
	}
	return slice_make("", 0);
}

/* Adds LINE unless one of its variables has no value. */
static void add_line(struct strbuf *out, struct slice line, const batch_variable_list *variables)
{
	size_t begin = out->len;
	struct slice before, name;
	while (batch_next_variable(&line, &before, &name)) {
		struct slice value = value_of(variables, name);
		if (value.len == 0) {
			out->len = begin;
			return;
		}
		strbuf_add(out, before);
		strbuf_add(out, value);
	}
	strbuf_add(out, before);
	strbuf_addc(out, '\n');
}

int emit_header(struct strbuf *out, const struct batch_settings *settings,
                const struct template_set *templates, struct diags *diags)
{
	batch_variable_list variables = {0};
	struct slice line, text = template_text_in(templates, batch_header_name(settings->system));
	if (batch_make_variables(out->arena, settings, diags, &variables) < 0)
		return -1;
	while (slice_next_line(&text, &line))
		add_line(out, line, &variables);
	return 0;
}
