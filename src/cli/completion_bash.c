#include "cli/command_completion.h"

#include <string.h>

#include "emit/template.h"

static void add_option_words(struct strbuf *out, const struct option_row *row)
{
	if (row->short_name != '\0')
		strbuf_printf(out, " -%c", row->short_name);
	if (row->setting.name != NULL)
		strbuf_printf(out, " %s%s", option_is_dashed(row) ? "-" : "--", row->setting.name);
}

/* One case per command: its options. */
static void add_command_case(struct strbuf *out, int command)
{
	size_t count;
	const struct option_row *rows = option_rows(&count);
	strbuf_printf(out, "    %s) words='", command_rows()[command].name);
	for (size_t i = 0; i < count; i++) {
		if (rows[i].commands & (1u << command))
			add_option_words(out, &rows[i]);
	}
	strbuf_puts(out, "' ;;\n");
}

static void add_choice_case(struct strbuf *out, int command, const struct option_row *row)
{
	strbuf_printf(out, "    %s:--%s) words='", command_rows()[command].name, row->setting.name);
	completion_add_choices(out, row->setting.argument);
	strbuf_puts(out, "' ;;\n");
}

/* One case per command and option that takes one of a few words. */
static void add_choice_cases(struct strbuf *out)
{
	size_t count;
	const struct option_row *rows = option_rows(&count);
	for (int command = 0; command < COMMAND_COUNT; command++) {
		for (size_t i = 0; i < count; i++) {
			if (rows[i].setting.type == SETTING_CHOICE &&
			    (rows[i].commands & (1u << command)))
				add_choice_case(out, command, &rows[i]);
		}
	}
}

static const char *add_pattern(struct strbuf *out, const char *before, int command,
                               const struct option_row *row)
{
	const char *word = command_rows()[command].name;
	const char *dashes = option_is_dashed(row) ? "-" : "--";
	strbuf_printf(out, "%s%s:%s%s", before, word, dashes, row->setting.name);
	if (row->short_name != '\0')
		strbuf_printf(out, " | %s:-%c", word, row->short_name);
	return " | ";
}

/* One case for all options of all commands whose argument is of a KIND. */
static void add_kind_case(struct strbuf *out, enum completion_kind kind, const char *name)
{
	size_t count;
	const struct option_row *rows = option_rows(&count);
	const char *before = "    ";
	for (int command = 0; command < COMMAND_COUNT; command++) {
		for (size_t i = 0; i < count; i++) {
			if (completion_kind_of(&rows[i]) == kind && rows[i].setting.name != NULL &&
			    (rows[i].commands & (1u << command)))
				before = add_pattern(out, before, command, &rows[i]);
		}
	}
	strbuf_printf(out, ") kind='%s' ;;\n", name);
}

static void add_operand_cases(struct strbuf *out)
{
	for (int command = 0; command < COMMAND_COUNT; command++) {
		if (completion_operands(command) == NULL)
			continue;
		strbuf_printf(out, "    %s:*) words='", command_rows()[command].name);
		completion_add_choices(out, completion_operands(command));
		strbuf_puts(out, "' ;;\n");
	}
}

/* For commands that take other files than notebooks. */
static void add_suffix_cases(struct strbuf *out)
{
	for (int command = 0; command < COMMAND_COUNT; command++) {
		const char *suffix = completion_suffix(command);
		if (suffix != NULL && strcmp(suffix, ".ipynb") != 0)
			strbuf_printf(out, "    %s:*) suffix='%s' ;;\n",
			              command_rows()[command].name, suffix);
	}
}

void completion_bash(struct strbuf *out)
{
	struct strbuf commands, arguments, options;
	strbuf_init(&commands, out->arena);
	strbuf_init(&arguments, out->arena);
	strbuf_init(&options, out->arena);
	completion_add_commands(&commands);
	add_choice_cases(&arguments);
	add_operand_cases(&arguments);
	strbuf_printf(&arguments, "    help:*) words='%.*s' ;;\n",
	              SLICE_ARG(strbuf_slice(&commands)));
	add_kind_case(&arguments, COMPLETION_FILE, "file");
	add_kind_case(&arguments, COMPLETION_FOLDER, "directory");
	add_kind_case(&arguments, COMPLETION_TEXT, "text");
	add_suffix_cases(&arguments);
	for (int i = 0; i < COMMAND_COUNT; i++)
		add_command_case(&options, i);
	const struct template_value values[] = {{SLICE("commands"), strbuf_slice(&commands)},
	                                        {SLICE("arguments"), strbuf_slice(&arguments)},
	                                        {SLICE("options"), strbuf_slice(&options)}};
	template_expand(out, NULL, "completion.bash", values, 3);
}
