/* Command-line options as data: options.def is their table, commands.def that of the commands. */
#ifndef NBSCOREP_CLI_OPTIONS_H
#define NBSCOREP_CLI_OPTIONS_H

#include <stdbool.h>

#include "base/strbuf.h"
#include "base/vector.h"

enum command_id {
#define COMMAND(id, name, operands, summary) COMMAND_##id,
#include "cli/commands.def"
#undef COMMAND
	COMMAND_COUNT
};

struct command_row {
	const char *name, *operands, *summary;
};

enum option_type {
	OPTION_FLAG,
	OPTION_TEXT,
	OPTION_OPTIONAL_TEXT, /* --name or --name=TEXT; without TEXT the field is "" */
	/* The same, and --name FILE, but for a word that is an option or a notebook. */
	OPTION_OPTIONAL_FILE,
	OPTION_CHOICE, /* one of the words in its argument name; the field is 1, 2, ... */
	OPTION_LIST,
	OPTION_FLAG_DASH,  /* -NAME */
	OPTION_TEXT_DASH,  /* -NAME TEXT */
	OPTION_PARAMETER,  /* --name NAME=TEXT or --name NAME TEXT */
	OPTION_PARAMETERS, /* --name TEXT, in one list with those */
	OPTION_NUMBER,     /* 1 to OPTION_NUMBER_MAX; K, M and G stand for 1024 and its powers */
};

/* Places in a text are 32 bits wide, and printf() takes lengths that are an int. */
enum { OPTION_NUMBER_MAX_M = 2047, OPTION_NUMBER_MAX = OPTION_NUMBER_MAX_M << 20 };

struct option_row {
	const char *long_name;
	const char *argument;
	const char *help;
	size_t offset; /* of the field in struct options */
	enum option_type type;
	unsigned commands; /* bit mask of enum command_id */
	char short_name;
};

/* May its text be left out? */
static inline bool option_is_optional(const struct option_row *row)
{
	return row->type == OPTION_OPTIONAL_TEXT || row->type == OPTION_OPTIONAL_FILE;
}

typedef VECTOR(const char *) text_list;

/* What one option says of parameters. */
struct parameter_option {
	char kind;          /* the option's short form: p, r, f or y */
	const char *first;  /* NAME, NAME=TEXT, or the argument */
	const char *second; /* TEXT where it was a word of its own, else NULL */
};

/* What the user asked for. Texts are NULL where the option was not given, choices 0. */
struct options {
	const char *output, *output_dir, *source_map, *depfile_path, *figures, *python, *filter;
	const char *verify_timeout;
	const char *program, *timeout, *kill_after, *regions;
	const char *ranks, *launcher;
	const char *sweep, *only, *jobs;
	const char *template_dir;
	bool tag_output, all_ranks;
	bool parsable, wait;
	bool temporary, no_scorep, if_available, vampir;
	bool progress, summary;
	const char *cell_times;
	const char *interval, *levels, *attach, *monitor;
	bool marks;
	const char *untrusted;
	bool dry_run, force, allow_outside, whole_notebook, no_cell_regions, no_echo, depfile;
	bool quiet, verbose, help, version, verify, no_verify, print_requirements, print_env, json;
	int instrument, unknown_magics, imports, package_installs, broken_cells;
	int ir_format, parameters_format, help_format, color, diagnostics_format;
	int batch;
	int report_format, level;
	const char *cells, *metrics, *first_index;
	const char *profile, *config_path;
	bool no_config, no_notebook_config, print_config;
	text_list settings; /* of --set */
	text_list warnings, skip_tags, instrument_modules, slurm;
	text_list after;
	VECTOR(struct parameter_option) parameters; /* in the order of the command line */
	bool allow_new_parameters;
	size_t max_nesting, max_cells, max_cell_size, max_code_size, max_values; /* 0: not given */
	text_list operands;
	text_list
	        found_in; /* for each operand the folder that it was found in, or NULL; may be empty */
	/* The words behind "--": of run and submit the script's, of monitor the command. */
	text_list arguments;
};

const struct command_row *command_rows(void); /* COMMAND_COUNT of them */
const struct option_row *option_rows(size_t *count);

/* Reads ARGV[0..ARGC) for COMMAND into OUT. Operands and options may be mixed; "--" ends the
 * options; for run, submit and monitor it begins the arguments. Returns 0, or -1 with a message
 * (no line end) in ERROR. */
int options_parse(struct arena *arena, enum command_id command, int argc, char **argv,
                  struct options *out, struct strbuf *error);

/* Sets the option of ROW in OUT as if it was given with TEXT (NULL: without one; flags take none).
 * Returns 0, or -1 with a message (no line end) in ERROR. */
int option_set(struct arena *arena, const struct option_row *row, const char *text,
               struct options *out, struct strbuf *error);

/* Reads a time as timeout(1) takes it: "90", "1.5", "10m". Returns false if TEXT is none. */
bool option_read_seconds(const char *text, double *out);

/* Was the option of ROW given, as far as OPTIONS tell: is it other than what it is when it is not? */
bool option_is_given(const struct options *options, const struct option_row *row);

/* The command called NAME, or COMMAND_COUNT; then a near one is written to ERROR as a hint. */
enum command_id command_find(const char *name, struct strbuf *error);

#endif
