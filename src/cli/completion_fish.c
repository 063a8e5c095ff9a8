#include "cli/command_completion.h"

/* In single quotes fish knows two escapes. */
static void add_text(struct strbuf *out, const char *text)
{
	strbuf_addc(out, '\'');
	for (; *text != '\0'; text++) {
		if (*text == '\'' || *text == '\\')
			strbuf_addc(out, '\\');
		strbuf_addc(out, *text);
	}
	strbuf_addc(out, '\'');
}

static void add_condition(struct strbuf *out, int command)
{
	strbuf_printf(out, "complete -c nbscorep -n '__fish_seen_subcommand_from %s'",
	              command_rows()[command].name);
}

static void add_argument(struct strbuf *out, const struct option_row *row)
{
	switch (completion_kind_of(row)) {
	case COMPLETION_NONE:
		strbuf_puts(out, row->setting.argument != NULL ? " -f" : "");
		break;
	case COMPLETION_CHOICE:
		strbuf_puts(out, " -x -a '");
		completion_add_choices(out, row->setting.argument);
		strbuf_addc(out, '\'');
		break;
	case COMPLETION_FILE:
		strbuf_puts(out, " -r -F");
		break;
	case COMPLETION_FOLDER:
		strbuf_puts(out, " -x -a '(__fish_complete_directories)'");
		break;
	case COMPLETION_TEXT:
		strbuf_puts(out, " -x");
		break;
	}
}

static void add_option(struct strbuf *out, int command, const struct option_row *row)
{
	add_condition(out, command);
	if (row->short_name != '\0')
		strbuf_printf(out, " -s %c", row->short_name);
	if (row->setting.name != NULL)
		strbuf_printf(out, " -%c %s", option_is_dashed(row) ? 'o' : 'l', row->setting.name);
	add_argument(out, row);
	strbuf_puts(out, " -d ");
	add_text(out, row->setting.help);
	strbuf_addc(out, '\n');
}

static void add_operands(struct strbuf *out, int command)
{
	if (completion_suffix(command) != NULL) {
		add_condition(out, command);
		strbuf_printf(out, " -k -a '(__fish_complete_suffix %s)'\n",
		              completion_suffix(command));
	} else if (command == COMMAND_HELP) {
		add_condition(out, command);
		strbuf_puts(out, " -a '");
		completion_add_commands(out);
		strbuf_puts(out, "'\n");
	} else if (completion_operands(command) != NULL) {
		add_condition(out, command);
		strbuf_puts(out, " -a '");
		completion_add_choices(out, completion_operands(command));
		strbuf_puts(out, "'\n");
	}
}

void completion_fish(struct strbuf *out)
{
	size_t count;
	const struct option_row *rows = option_rows(&count);
	strbuf_puts(out, "# fish completion for nbscorep; made by 'nbscorep completion fish'\n"
	                 "complete -c nbscorep -f\n");
	for (int i = 0; i < COMMAND_COUNT; i++) {
		strbuf_printf(out, "complete -c nbscorep -n __fish_use_subcommand -a %s -d ",
		              command_rows()[i].name);
		add_text(out, command_rows()[i].summary);
		strbuf_addc(out, '\n');
	}
	strbuf_puts(out, "complete -c nbscorep -n __fish_use_subcommand -l help\n"
	                 "complete -c nbscorep -n __fish_use_subcommand -l version\n");
	for (int i = 0; i < COMMAND_COUNT; i++) {
		add_operands(out, i);
		for (size_t k = 0; k < count; k++) {
			if (rows[k].commands & (1u << i))
				add_option(out, i, &rows[k]);
		}
	}
}
