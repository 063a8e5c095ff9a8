#include "cli/command_help.h"
#include "cli/cli.h"

enum { HELP_WIDTH = 80 };

struct slice help_option(struct arena *arena, const struct option_row *row)
{
	struct strbuf out = {.arena = arena};
	if (row->short_name != '\0')
		strbuf_printf(&out, "-%c", row->short_name);
	if (row->short_name != '\0' && row->name != NULL)
		strbuf_puts(&out, ", ");
	if (row->name != NULL)
		strbuf_printf(&out, "%s%s", option_dashes(row), row->name);
	if (row->argument == NULL)
		return strbuf_slice(&out);
	bool is_optional = option_has_optional_text(row);
	const char *before = is_optional                             ? "[="
	                     : row->name == NULL                     ? ""
	                     : strcmp(option_dashes(row), "--") == 0 ? "="
	                                                             : " ";
	strbuf_printf(&out, "%s%s%s", before, row->argument, is_optional ? "]" : "");
	return strbuf_slice(&out);
}

void help_fill(struct strbuf *out, const char *indent, const char *text)
{
	struct slice rest = slice_from(text), word;
	size_t column = strlen(indent);
	for (bool first = true; (word = slice_next_word(&rest)).len > 0; first = false) {
		if (!first && column + 1 + word.len > HELP_WIDTH) {
			strbuf_printf(out, "\n%s", indent);
			column = strlen(indent);
		} else if (!first) {
			strbuf_addc(out, ' ');
			column++;
		}
		strbuf_add(out, word);
		column += word.len;
	}
	strbuf_addc(out, '\n');
}

/* TEXT in the second column; the first one has USED characters. */
static void add_filled(struct strbuf *out, size_t used, const char *text)
{
	static const char blanks[] = "                            ";
	size_t width = sizeof blanks - 1;
	if (used >= width)
		strbuf_addc(out, '\n');
	strbuf_fill(out, ' ', used >= width ? width : width - used);
	help_fill(out, blanks, text);
}

/* Each option of COMMAND, group by group, with a title before the first one of a group. */
static void add_options(struct strbuf *out, enum command_id command)
{
	for (enum option_group group = 0; group < OPTION_GROUP_COUNT; group++) {
		bool has_title = false;
		for (size_t i = 0; i < option_row_count; i++) {
			const struct option_row *row = &option_rows[i];
			if (row->group != group || !option_is_of(row, command))
				continue;
			if (!has_title)
				strbuf_printf(out, "\n%s:\n", option_group_titles[group]);
			has_title = true;
			struct slice name = help_option(out->arena, row);
			bool has_short = row->short_name != '\0';
			strbuf_puts(out, has_short ? "  " : "      ");
			strbuf_add(out, name);
			add_filled(out, name.len + (has_short ? 2 : 6), row->help);
		}
	}
}

struct slice help_text(struct arena *arena, enum command_id command)
{
	static const struct {
		enum command_id command;
		const char *line, *what;
	} examples[] = {
#define EXAMPLE(id, line, what) {COMMAND_##id, line, what},
#include "cli/examples.def"
	};
	struct strbuf out = {.arena = arena};
	if (command != COMMAND_COUNT) {
		const struct command_row *row = &command_rows[command];
		strbuf_printf(&out, "usage: nbscorep %s [OPTION...] %s\n%c%s.\n", row->name,
		              row->operands, row->summary[0] - 'a' + 'A', row->summary + 1);
		add_options(&out, command);
		strbuf_puts(&out, "\nExamples:\n");
		for (size_t i = 0; i < sizeof examples / sizeof *examples; i++) {
			if (examples[i].command == command)
				strbuf_printf(&out, "  %s\n      %s\n", examples[i].line,
				              examples[i].what);
		}
		if (command != COMMAND_HELP && command != COMMAND_COMPLETION)
			strbuf_printf(&out, "\n'man nbscorep-%s' shows the manual.\n", row->name);
		return strbuf_slice(&out);
	}
	strbuf_puts(&out, "usage: nbscorep COMMAND [OPTION...] [OPERAND...]\n"
	                  "Compile Jupyter notebooks with Score-P magics into scripts.\n\n");
	for (int i = 0; i < COMMAND_COUNT; i++) {
		const struct command_row *row = &command_rows[i];
		size_t start = out.len;
		strbuf_printf(&out, "  %s %s", row->name, row->operands);
		add_filled(&out, out.len - start, row->summary);
	}
	strbuf_puts(&out, "\n'nbscorep COMMAND --help' shows the options of a command, 'man "
	                  "nbscorep' the manual.\n");
	return strbuf_slice(&out);
}

int command_help(struct arena *arena, struct options *options)
{
	enum command_id command = COMMAND_COUNT;
	if (options->operands.count > 1)
		return message_usage(arena, "'help' takes one command");
	if (options->operands.count > 0 &&
	    (command = command_find(arena, options->operands.items[0])) == COMMAND_COUNT)
		return EXIT_USAGE;
	return message_print(arena, help_text(arena, command));
}
