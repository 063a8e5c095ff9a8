#include "cli/command_completion.h"

#include <string.h>

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
	strbuf_puts(out, "# bash completion for nbscorep; made by 'nbscorep completion bash'\n"
	                 "_nbscorep() {\n"
	                 "  local current=${COMP_WORDS[COMP_CWORD]} words='' kind='' option\n"
	                 "  local suffix=.ipynb\n"
	                 "  COMPREPLY=()\n"
	                 "  if [ \"$COMP_CWORD\" -eq 1 ]; then\n"
	                 "    mapfile -t COMPREPLY < <(compgen -W '");
	completion_add_commands(out);
	strbuf_puts(
	        out,
	        "--help --version' -- \"$current\")\n"
	        "    return\n"
	        "  fi\n"
	        "  # bash splits at =, so the option of --option=word is one or two words back\n"
	        "  option=${COMP_WORDS[COMP_CWORD - 1]}\n"
	        "  if [ \"$option\" = = ]; then option=${COMP_WORDS[COMP_CWORD - 2]}; fi\n"
	        "  if [ \"$current\" = = ]; then current=''; fi\n"
	        "  case ${COMP_WORDS[1]}:$option in\n");
	add_choice_cases(out);
	add_operand_cases(out);
	strbuf_puts(out, "    help:*) words='");
	completion_add_commands(out);
	strbuf_puts(out, "' ;;\n");
	add_kind_case(out, COMPLETION_FILE, "file");
	add_kind_case(out, COMPLETION_FOLDER, "directory");
	add_kind_case(out, COMPLETION_TEXT, "text");
	add_suffix_cases(out);
	strbuf_puts(out,
	            "  esac\n"
	            "  case $kind in\n"
	            "    text) return ;;\n"
	            "    ?*)\n"
	            "      compopt -o filenames\n"
	            "      mapfile -t COMPREPLY < <(compgen -A \"$kind\" -- \"$current\")\n"
	            "      return\n"
	            "      ;;\n"
	            "  esac\n"
	            "  if [ -n \"$words\" ] && [[ $current != -* ]]; then\n"
	            "    mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$current\")\n"
	            "    return\n"
	            "  fi\n"
	            "  case $current in\n"
	            "    -*) ;;\n"
	            "    *)\n"
	            "      compopt -o filenames\n"
	            "      mapfile -t COMPREPLY < <(compgen -f -X \"!*$suffix\" -- \"$current\"; "
	            "compgen -d -- \"$current\")\n"
	            "      return\n"
	            "      ;;\n"
	            "  esac\n"
	            "  case ${COMP_WORDS[1]} in\n");
	for (int i = 0; i < COMMAND_COUNT; i++)
		add_command_case(out, i);
	strbuf_puts(out, "  esac\n"
	                 "  mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$current\")\n"
	                 "}\n"
	                 "complete -F _nbscorep nbscorep\n");
}
