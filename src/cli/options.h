/* Command-line options as data: options.def and settings/build_options.def are their tables, commands.def
 * that of the commands. */
#ifndef NBSCOREP_CLI_OPTIONS_H
#define NBSCOREP_CLI_OPTIONS_H

#include "run/run_settings.h"
#include "settings/build_settings.h"

enum command_id {
#define COMMAND(id, name, operands, summary) COMMAND_##id,
#include "cli/commands.def"
#undef COMMAND
	COMMAND_COUNT
};

struct command_row {
	const char *name, *operands, *summary;
};

enum option_group {
#define OPTION_GROUP(id, title) OPTION_GROUP_##id,
#include "cli/option_groups.def"
#undef OPTION_GROUP
	OPTION_GROUP_COUNT
};

/* How an option is written. */
enum option_syntax {
	SYNTAX_PLAIN,
	SYNTAX_DASH, /* -NAME, -NAME TEXT */
	SYNTAX_FILE, /* --name or --name=FILE, and --name FILE unless that is an option or a notebook */
	SYNTAX_PAIR, /* --name NAME=TEXT or --name NAME TEXT */
};

struct option_row {
	struct setting_row setting; /* its field is in struct options */
	enum option_syntax syntax;
	enum option_group group;
	unsigned commands; /* bit mask of enum command_id */
	char short_name;
};

/* True if the option's text may be left out. */
static inline bool option_is_optional(const struct option_row *row)
{
	return row->setting.type == SETTING_OPTIONAL;
}

/* The words of options with one dash are used by compilers. */
static inline bool option_is_dashed(const struct option_row *row)
{
	return row->syntax == SYNTAX_DASH;
}

enum ir_format { IR_FORMAT_DEFAULT, IR_FORMAT_JSON, IR_FORMAT_YAML };
enum parameters_format {
	PARAMETERS_FORMAT_DEFAULT,
	PARAMETERS_FORMAT_TEXT,
	PARAMETERS_FORMAT_JSON
};
enum help_format { HELP_FORMAT_DEFAULT, HELP_FORMAT_TEXT, HELP_FORMAT_MAN };
enum color { COLOR_DEFAULT, COLOR_AUTO, COLOR_ALWAYS, COLOR_NEVER };
enum diagnostics_format {
	DIAGNOSTICS_DEFAULT,
	DIAGNOSTICS_TEXT,
	DIAGNOSTICS_JSON,
	DIAGNOSTICS_SARIF
};

/* What the user asked for. A field that was not given is zero. */
struct options {
	struct build_settings build;
	text_list warnings; /* of -W */
	enum color color;
	enum diagnostics_format diagnostics_format;
	enum ir_format ir_format;
	enum parameters_format parameters_format;
	enum help_format help_format;
	bool help, version;
	struct run_settings run;
	struct submit_settings submit;
	struct {
		bool print_requirements, print_env, print_config;
	} check;
	struct {
		const char *output, *interval, *levels, *attach;
		bool force, quiet, marks;
	} monitor;
	struct {
		const char *directory;
		bool recover, quiet, children, tracing;
	} record;
	struct {
		const char *output, *cells, *metrics, *first_index, *notebook;
		int format, level;
	} report;
	struct {
		const char *sort;
		int format;
	} results;
	struct {
		bool json;
		struct optional_seconds timeout;
	} doctor;
	text_list operands;
	/* For each operand the folder in which it was found, or NULL; may be empty. */
	text_list found_in;
	text_list command; /* the words after "--" of monitor and record */
};

const struct command_row *command_rows(void); /* COMMAND_COUNT of them */

/* All rows; *COUNT is set. Those of a group are in the order of their tables, groups are not. */
const struct option_row *option_rows(size_t *count);

/* The title of a group, as in --help. */
const char *option_group_title(enum option_group group);

/* Reads ARGV[0..ARGC) for COMMAND into OUT. Operands and options may be mixed; "--" ends the
 * options; for run, submit, monitor and record it begins the arguments. Returns 0, or -1 with a message
 * (no line end) in ERROR. */
int options_parse(struct arena *arena, enum command_id command, int argc, char **argv,
                  struct options *out, struct strbuf *error);

/* The command called NAME, or COMMAND_COUNT; then the message is in ERROR, with a near name if any. */
enum command_id command_find(const char *name, struct strbuf *error);

#endif
