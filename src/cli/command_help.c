#include "cli/command_help.h"
#include "cli/cli.h"
#include "cli/man_tables.h"

enum { FORMAT_MAN = 2, HELP_COLUMN = 28, HELP_WIDTH = 80 };

/* "-o, --output=FILE", "    --dry-run", "-MD". */
static struct slice spelling(struct arena *arena, const struct option_row *row)
{
	struct strbuf out;
	strbuf_init(&out, arena);
	bool dashed = row->type == OPTION_FLAG_DASH || row->type == OPTION_TEXT_DASH;
	if (row->short_name != '\0')
		strbuf_printf(&out, "-%c", row->short_name);
	if (row->short_name != '\0' && row->long_name != NULL)
		strbuf_puts(&out, ", ");
	if (row->long_name != NULL)
		strbuf_printf(&out, "%s%s", dashed ? "-" : "--", row->long_name);
	if (row->argument == NULL)
		return strbuf_slice(&out);
	const char *before = dashed                    ? " "
	                     : option_is_optional(row) ? "[="
	                     : row->long_name == NULL  ? ""
	                                               : "=";
	strbuf_printf(&out, "%s%s%s", before, row->argument, option_is_optional(row) ? "]" : "");
	return strbuf_slice(&out);
}

/* TEXT filled to HELP_WIDTH, each line behind HELP_COLUMN blanks; the first one stands at COLUMN. */
static void add_filled(struct strbuf *out, size_t column, const char *text)
{
	struct slice rest = slice_from(text), word;
	if (column >= HELP_COLUMN) {
		strbuf_addc(out, '\n');
		column = 0;
	}
	strbuf_fill(out, ' ', HELP_COLUMN - column);
	column = HELP_COLUMN;
	for (bool first = true; (word = slice_next_word(&rest)).len > 0; first = false) {
		if (!first && column + 1 + word.len > HELP_WIDTH) {
			strbuf_addc(out, '\n');
			strbuf_fill(out, ' ', HELP_COLUMN);
			column = HELP_COLUMN;
		} else if (!first) {
			strbuf_addc(out, ' ');
			column++;
		}
		strbuf_add(out, word);
		column += word.len;
	}
	strbuf_addc(out, '\n');
}

static void add_general_help(struct strbuf *out)
{
	strbuf_puts(out, "usage: nbscorep COMMAND [OPTION...] [OPERAND...]\n"
	                 "Compile Jupyter notebooks with Score-P magics into scripts.\n\n");
	for (int i = 0; i < COMMAND_COUNT; i++) {
		const struct command_row *row = &command_rows()[i];
		size_t start = out->len;
		strbuf_printf(out, "  %s %s", row->name, row->operands);
		add_filled(out, out->len - start, row->summary);
	}
	strbuf_puts(out, "\n'nbscorep COMMAND --help' shows the options of a command.\n");
}

void help_text(struct strbuf *out, enum command_id command)
{
	if (command == COMMAND_COUNT) {
		add_general_help(out);
		return;
	}
	const struct command_row *command_row = &command_rows()[command];
	strbuf_printf(out, "usage: nbscorep %s [OPTION...] %s\n%c%s.\n\n", command_row->name,
	              command_row->operands, command_row->summary[0] - 'a' + 'A',
	              command_row->summary + 1);
	size_t count;
	const struct option_row *rows = option_rows(&count);
	for (size_t i = 0; i < count; i++) {
		if (!(rows[i].commands & (1u << command)))
			continue;
		struct slice name = spelling(out->arena, &rows[i]);
		strbuf_puts(out, rows[i].short_name != '\0' ? "  " : "      ");
		strbuf_add(out, name);
		add_filled(out, name.len + (rows[i].short_name != '\0' ? 2 : 6), rows[i].help);
	}
}

static void add_man(struct strbuf *out, enum command_id command)
{
	size_t count;
	const struct option_row *rows = option_rows(&count);
	for (size_t i = 0; i < count; i++) {
		if (!(rows[i].commands & (1u << command)))
			continue;
		strbuf_puts(out, ".TP\n.B ");
		man_text(out, spelling(out->arena, &rows[i]));
		strbuf_addc(out, '\n');
		man_sentence(out, slice_from(rows[i].help));
	}
}

int command_help(struct invocation *invocation)
{
	const struct options *options = invocation->options;
	enum command_id command = COMMAND_COUNT;
	struct strbuf error, out;
	strbuf_init(&error, invocation->arena);
	strbuf_init(&out, invocation->arena);
	if (options->operands.count > 1)
		return cli_usage_error(invocation->arena, "'help' wants one command");
	if (options->help_format == FORMAT_MAN && options->operands.count > 0 &&
	    man_table(&out, slice_from(options->operands.items[0])))
		return cli_print(invocation->arena, strbuf_slice(&out));
	if (options->operands.count > 0)
		command = command_find(options->operands.items[0], &error);
	if (error.len > 0)
		return cli_usage_error(invocation->arena, "%.*s", SLICE_ARG(strbuf_slice(&error)));
	if (options->help_format == FORMAT_MAN && command != COMMAND_COUNT)
		add_man(&out, command);
	else
		help_text(&out, command);
	return cli_print(invocation->arena, strbuf_slice(&out));
}
