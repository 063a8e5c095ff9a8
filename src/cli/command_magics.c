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

int command_magics(struct arena *arena, struct options *options)
{
	struct strbuf out = {.arena = arena};
	struct slice *names = arena_calloc(arena, magic_row_count, sizeof *names);
	for (size_t i = 0; options->operands.count == 0 && i < magic_row_count; i++)
		print_row(&out, &magic_rows[i]);
	for (size_t i = 0; i < options->operands.count; i++) {
		struct slice name =
		        slice_from(options->operands.items[i]); /* %%time, %time or time */
		bool found = false;
		while (name.len > 1 && name.ptr[0] == '%')
			name = slice_tail(name, 1);
		for (size_t k = 0; k < magic_row_count; k++) {
			names[k] = magic_rows[k].name;
			if (slice_eq(names[k], name)) {
				print_row(&out, &magic_rows[k]);
				found = true;
			}
		}
		if (found)
			continue;
		struct slice near = suggest(name, names, magic_row_count);
		return message_usage(arena,
		                     "no magic '%.*s' is known, so it is handed to IPython when "
		                     "the script runs%s%.*s%s",
		                     SLICE_ARG(name), near.len > 0 ? "; did you mean '" : "",
		                     SLICE_ARG(near), near.len > 0 ? "'?" : "");
	}
	return message_print(arena, strbuf_slice(&out));
}
