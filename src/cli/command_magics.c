#include "base/suggest.h"
#include "cli/cli.h"
#include "lex/lex.h"

static void print_row(struct strbuf *out, const struct magic_row *row)
{
	static const char *const prefixes[] = {
	        [FORM_LINE] = "%", [FORM_CELL] = "%%", [FORM_BOTH] = "%, %%", [FORM_ESCAPE] = ""};
	strbuf_printf(out, "%s%.*s: %s\n    in batch: %s\n", prefixes[row->form],
	              SLICE_ARG(row->name), row->doc, magic_action_text(row->action));
}

static int print_named(struct invocation *invocation, struct strbuf *out, const char *operand)
{
	struct slice name = slice_from(operand); /* %%time, %time or time */
	while (name.len > 1 && name.ptr[0] == '%')
		name = slice_sub(name, 1, name.len);
	struct slice *names = arena_calloc(invocation->arena, magic_row_count, sizeof *names);
	bool found = false;
	for (size_t i = 0; i < magic_row_count; i++) {
		names[i] = magic_rows[i].name;
		if (slice_eq(names[i], name)) {
			print_row(out, &magic_rows[i]);
			found = true;
		}
	}
	if (found)
		return EXIT_DONE;
	struct slice near = suggest(name, names, magic_row_count);
	return message_usage(invocation->arena,
	                     "no magic '%.*s' is known, so it is handed to IPython when "
	                     "the script runs%s%.*s%s",
	                     SLICE_ARG(name), near.len > 0 ? "; did you mean '" : "",
	                     SLICE_ARG(near), near.len > 0 ? "'?" : "");
}

int command_magics(struct invocation *invocation)
{
	const struct options *options = invocation->options;
	struct strbuf out = {.arena = invocation->arena};
	for (size_t i = 0; options->operands.count == 0 && i < magic_row_count; i++)
		print_row(&out, &magic_rows[i]);
	for (size_t i = 0; i < options->operands.count; i++) {
		int status = print_named(invocation, &out, options->operands.items[i]);
		if (status != EXIT_DONE)
			return status;
	}
	return message_print(invocation->arena, strbuf_slice(&out));
}
