#include "cli/complete.h"

#include <string.h>

#include "cli/options.h"

static void add_commands(struct strbuf *out)
{
	for (int i = 0; i < COMMAND_COUNT; i++)
		strbuf_printf(out, "%s\t%s\n", command_rows()[i].name, command_rows()[i].summary);
}

/* A line for each word of "a|b". */
static void add_choices(struct strbuf *out, const char *choices)
{
	for (struct slice rest = slice_from(choices); rest.len > 0;) {
		size_t end = slice_find(rest, '|', 0);
		strbuf_printf(out, "%.*s\n", (int)end, rest.ptr);
		rest = slice_sub(rest, end + (end < rest.len), rest.len);
	}
}

static void add_options(struct strbuf *out, enum command_id command)
{
	size_t count;
	const struct option_row *rows = option_rows(&count);
	for (size_t i = 0; i < count; i++) {
		const struct option_row *row = &rows[i];
		if ((row->commands & (1u << command)) == 0)
			continue;
		if (row->short_name != '\0')
			strbuf_printf(out, "-%c\t%s\n", row->short_name, row->setting.help);
		if (row->setting.name != NULL)
			strbuf_printf(out, "%s%s\t%s\n", option_is_dashed(row) ? "-" : "--",
			              row->setting.name, row->setting.help);
	}
}

/* The option WORD of COMMAND that requires an argument, or NULL. WORD may go on with "=". */
static const struct option_row *find_option(enum command_id command, const char *word)
{
	size_t count, len = strcspn(word, "=");
	const struct option_row *rows = option_rows(&count);
	for (size_t i = 0; i < count; i++) {
		const struct option_row *row = &rows[i];
		size_t dashes = option_is_dashed(row) ? 1 : 2;
		bool is_short = len == 2 && word[0] == '-' && row->short_name == word[1];
		bool is_long = row->setting.name != NULL && strncmp(word, "--", dashes) == 0 &&
		               strlen(row->setting.name) == len - dashes &&
		               strncmp(word + dashes, row->setting.name, len - dashes) == 0;
		if ((row->commands & (1u << command)) != 0 && (is_short || is_long))
			return row->setting.argument == NULL || option_is_optional(row) ? NULL
			                                                                : row;
	}
	return NULL;
}

static void add_argument(struct strbuf *out, const struct option_row *row)
{
	if (row->setting.type == SETTING_CHOICE)
		add_choices(out, row->setting.argument);
	else if (strcmp(row->setting.argument, "DIR") == 0)
		strbuf_puts(out, ":folders\n");
	else if (strncmp(row->setting.argument, "FILE", 4) == 0)
		strbuf_puts(out, ":files\n");
}

static void add_operands(struct strbuf *out, enum command_id command)
{
	struct slice operands = slice_from(command_rows()[command].operands);
	if (command == COMMAND_HELP)
		add_commands(out);
	else if (slice_starts_with(operands, SLICE("NOTEBOOK")) ||
	         slice_starts_with(operands, SLICE("[NOTEBOOK")))
		strbuf_puts(out, ":files .ipynb\n");
	else if (slice_starts_with(operands, SLICE("FILE")))
		strbuf_puts(out, ":files .samples\n");
	else if (slice_find(operands, '|', 0) < operands.len)
		add_choices(out, operands.ptr);
}

void complete(struct strbuf *out, size_t count, char *const *words)
{
	int command = 0;
	if (count <= 1) {
		add_commands(out);
		strbuf_puts(out, "--help\n--version\n");
		return;
	}
	while (command < COMMAND_COUNT && strcmp(command_rows()[command].name, words[0]) != 0)
		command++;
	if (command == COMMAND_COUNT)
		return;
	const char *current = words[count - 1], *option = words[count - 2];
	if (strcmp(current, "=") == 0)
		current = "";
	else if (strcmp(option, "=") == 0 && count > 2)
		option = words[count - 3];
	if (strncmp(current, "--", 2) == 0 && strchr(current, '=') != NULL)
		option = current;
	const struct option_row *row = find_option((enum command_id)command, option);
	if (row != NULL)
		add_argument(out, row);
	else if (current[0] == '-')
		add_options(out, (enum command_id)command);
	else
		add_operands(out, (enum command_id)command);
}
