/* Completion scripts for shells, made from the tables of commands and options. */
#ifndef NBSCOREP_CLI_COMMAND_COMPLETION_H
#define NBSCOREP_CLI_COMMAND_COMPLETION_H

#include "cli/options.h"

/* Appends the script for a shell to OUT. */
#define SHELL(name) void completion_##name(struct strbuf *out);
#include "cli/shells.def"
#undef SHELL

/* What the argument of an option is. */
enum completion_kind {
	COMPLETION_NONE,   /* without an argument, or with an optional one */
	COMPLETION_CHOICE, /* one of a few words */
	COMPLETION_FILE,
	COMPLETION_FOLDER,
	COMPLETION_TEXT, /* nothing that could be offered */
};

enum completion_kind completion_kind_of(const struct option_row *row);

/* The words of CHOICES, "a|b", with blanks between them. */
void completion_add_choices(struct strbuf *out, const char *choices);

/* The words "a|b" of which the command takes one, or NULL. */
const char *completion_operands(int command);

/* How the names of the files end that the command takes, ".ipynb", or NULL. */
const char *completion_suffix(int command);

/* Adds the names of all commands, each with a blank after it. */
void completion_add_commands(struct strbuf *out);

#endif
