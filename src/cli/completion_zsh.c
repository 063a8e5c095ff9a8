#include "cli/command_completion.h"

#include "emit/template.h"

/* Adds a text to a specification of _arguments, which is in single quotes. */
static void add_text(struct strbuf *out, const char *text)
{
	for (; *text != '\0'; text++) {
		if (*text == '\'') {
			strbuf_puts(out, "'\\''");
			continue;
		}
		if (*text == '[' || *text == ']' || *text == ':' || *text == '\\')
			strbuf_addc(out, '\\');
		strbuf_addc(out, *text);
	}
}

/* The text after the option's name: + and = define where its argument may begin. */
static const char *join(const struct option_row *row, bool is_long)
{
	if (row->setting.argument == NULL)
		return "";
	if (!is_long)
		return option_is_dashed(row) ? "" : "+";
	return option_is_optional(row) ? "=-" : "=";
}

static void add_names(struct strbuf *out, const struct option_row *row)
{
	const char *many =
	        row->setting.type == SETTING_LIST || row->setting.type == SETTING_PARAMETERS ? "*"
	                                                                                     : "";
	if (option_is_dashed(row))
		strbuf_printf(out, "'%s-%s", many, row->setting.name);
	else if (row->setting.name == NULL)
		strbuf_printf(out, "'%s-%c%s", many, row->short_name, join(row, false));
	else if (row->short_name == '\0')
		strbuf_printf(out, "'%s--%s%s", many, row->setting.name, join(row, true));
	else
		strbuf_printf(out, "'%s'{-%c%s,--%s%s}'", many, row->short_name, join(row, false),
		              row->setting.name, join(row, true));
}

static void add_argument(struct strbuf *out, const struct option_row *row)
{
	enum completion_kind kind = completion_kind_of(row);
	if (kind == COMPLETION_CHOICE) {
		strbuf_puts(out, ":word:(");
		completion_add_choices(out, row->setting.argument);
		strbuf_addc(out, ')');
		return;
	}
	strbuf_puts(out, kind == COMPLETION_NONE ? "::" : ":");
	add_text(out, row->setting.argument);
	strbuf_puts(out, kind == COMPLETION_FOLDER ? ":_files -/"
	                 : kind == COMPLETION_TEXT ? ": "
	                                           : ":_files");
}

static void add_option(struct strbuf *out, const struct option_row *row)
{
	strbuf_puts(out, "        ");
	add_names(out, row);
	strbuf_addc(out, '[');
	add_text(out, row->setting.help);
	strbuf_addc(out, ']');
	if (row->setting.argument != NULL)
		add_argument(out, row);
	strbuf_puts(out, "' \\\n");
}

static void add_command(struct strbuf *out, int command)
{
	size_t count;
	const struct option_row *rows = option_rows(&count);
	strbuf_printf(out, "    %s)\n      _arguments -s -S \\\n", command_rows()[command].name);
	for (size_t i = 0; i < count; i++) {
		if (rows[i].commands & (1u << command))
			add_option(out, &rows[i]);
	}
	strbuf_puts(out, "        ");
	if (completion_suffix(command) != NULL) {
		strbuf_printf(out, "'*:file:_files -g \"*%s\"'", completion_suffix(command));
	} else if (command == COMMAND_HELP) {
		strbuf_puts(out, "'1:command:(");
		completion_add_commands(out);
		strbuf_puts(out, ")'");
	} else if (completion_operands(command) != NULL) {
		strbuf_puts(out, "'1:word:(");
		completion_add_choices(out, completion_operands(command));
		strbuf_puts(out, ")'");
	} else {
		strbuf_puts(out, "'*: :'");
	}
	strbuf_puts(out, "\n      ;;\n");
}

void completion_zsh(struct strbuf *out)
{
	struct strbuf commands, options;
	strbuf_init(&commands, out->arena);
	strbuf_init(&options, out->arena);
	for (int i = 0; i < COMMAND_COUNT; i++) {
		strbuf_printf(&commands, "      '%s:", command_rows()[i].name);
		add_text(&commands, command_rows()[i].summary);
		strbuf_puts(&commands, "'\n");
		add_command(&options, i);
	}
	const struct template_value values[] = {{SLICE("commands"), strbuf_slice(&commands)},
	                                        {SLICE("options"), strbuf_slice(&options)}};
	template_expand(out, NULL, "completion.zsh", values, 2);
}
