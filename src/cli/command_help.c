#include "cli/command_help.h"
#include "cli/cli.h"
#include "cli/man_tables.h"

enum { HELP_COLUMN = 28, HELP_WIDTH = 80 };

/* "-o, --output=FILE", "    --dry-run", "-MD". */
static struct slice spelling(struct arena *arena, const struct option_row *row)
{
	struct strbuf out;
	strbuf_init(&out, arena);
	bool dashed = option_is_dashed(row);
	if (row->short_name != '\0')
		strbuf_printf(&out, "-%c", row->short_name);
	if (row->short_name != '\0' && row->setting.name != NULL)
		strbuf_puts(&out, ", ");
	if (row->setting.name != NULL)
		strbuf_printf(&out, "%s%s", dashed ? "-" : "--", row->setting.name);
	if (row->setting.argument == NULL)
		return strbuf_slice(&out);
	const char *before = dashed                      ? " "
	                     : option_is_optional(row)   ? "[="
	                     : row->setting.name == NULL ? ""
	                                                 : "=";
	strbuf_printf(&out, "%s%s%s", before, row->setting.argument,
	              option_is_optional(row) ? "]" : "");
	return strbuf_slice(&out);
}

/* TEXT filled to HELP_WIDTH, each line after HELP_COLUMN blanks; the first line begins at COLUMN. */
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

/* Calls ADD for each option of COMMAND, group by group, and TITLE before the first one of a group. */
static void walk_groups(struct strbuf *out, enum command_id command,
                        void (*title)(struct strbuf *out, const char *title),
                        void (*add)(struct strbuf *out, const struct option_row *row))
{
	size_t count;
	const struct option_row *rows = option_rows(&count);
	for (int group = 0; group < OPTION_GROUP_COUNT; group++) {
		bool has_title = false;
		for (size_t i = 0; i < count; i++) {
			if (rows[i].group != (enum option_group)group ||
			    !(rows[i].commands & (1u << command)))
				continue;
			if (!has_title)
				title(out, option_group_title((enum option_group)group));
			has_title = true;
			add(out, &rows[i]);
		}
	}
}

static void add_help_title(struct strbuf *out, const char *title)
{
	strbuf_printf(out, "\n%s:\n", title);
}

static void add_help_option(struct strbuf *out, const struct option_row *row)
{
	struct slice name = spelling(out->arena, row);
	bool has_short = row->short_name != '\0';
	strbuf_puts(out, has_short ? "  " : "      ");
	strbuf_add(out, name);
	add_filled(out, name.len + (has_short ? 2 : 6), row->setting.help);
}

static void add_examples(struct strbuf *out, enum command_id command)
{
	static const struct {
		enum command_id command;
		const char *line, *what;
	} examples[] = {
#define EXAMPLE(id, line, what) {COMMAND_##id, line, what},
#include "cli/examples.def"
#undef EXAMPLE
	};
	strbuf_puts(out, "\nExamples:\n");
	for (size_t i = 0; i < sizeof examples / sizeof *examples; i++) {
		if (examples[i].command == command)
			strbuf_printf(out, "  %s\n      %s\n", examples[i].line, examples[i].what);
	}
}

void help_text(struct strbuf *out, enum command_id command)
{
	if (command == COMMAND_COUNT) {
		add_general_help(out);
		return;
	}
	const struct command_row *command_row = &command_rows()[command];
	strbuf_printf(out, "usage: nbscorep %s [OPTION...] %s\n%c%s.\n", command_row->name,
	              command_row->operands, command_row->summary[0] - 'a' + 'A',
	              command_row->summary + 1);
	walk_groups(out, command, add_help_title, add_help_option);
	add_examples(out, command);
}

static void add_man_title(struct strbuf *out, const char *title)
{
	strbuf_printf(out, ".SS %s\n", title);
}

static void add_man_option(struct strbuf *out, const struct option_row *row)
{
	strbuf_puts(out, ".TP\n.B ");
	man_text(out, spelling(out->arena, row));
	strbuf_addc(out, '\n');
	man_sentence(out, slice_from(row->setting.help));
}

int command_help(struct invocation *invocation)
{
	const struct options *options = invocation->options;
	enum command_id command = COMMAND_COUNT;
	struct strbuf error, out;
	strbuf_init(&error, invocation->arena);
	strbuf_init(&out, invocation->arena);
	if (options->operands.count > 1)
		return message_usage(invocation->arena, "'help' takes one command");
	if (options->help_format == HELP_FORMAT_MAN && options->operands.count > 0 &&
	    man_table(&out, slice_from(options->operands.items[0])))
		return message_print(invocation->arena, strbuf_slice(&out));
	if (options->operands.count > 0)
		command = command_find(options->operands.items[0], &error);
	if (error.len > 0)
		return message_usage(invocation->arena, "%.*s", SLICE_ARG(strbuf_slice(&error)));
	if (options->help_format == HELP_FORMAT_MAN && command != COMMAND_COUNT)
		walk_groups(&out, command, add_man_title, add_man_option);
	else
		help_text(&out, command);
	return message_print(invocation->arena, strbuf_slice(&out));
}
