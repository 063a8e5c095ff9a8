/* What a user can set on the command line and in a configuration's `build`, as data: settings.def has a row
 * for each command and option, which describes how its text becomes a typed field of struct options. */
#pragma once

#include "base/name_set.h"
#include "settings/config.h"

/* ---- types of fields ---- */

enum setting_type {
	SETTING_FLAG,          /* bool */
	SETTING_TEXT,          /* const char *; NULL: not given */
	SETTING_OPTIONAL,      /* struct optional_text: the text is optional */
	SETTING_OPTIONAL_FILE, /* the same; also --name FILE unless that is an option or a notebook */
	SETTING_CHOICE,  /* an enum: the position of the word in ARGUMENT, from 1; 0: not given */
	SETTING_LIST,    /* text_list, one more text each time */
	SETTING_SIZE,    /* size_t, 1 to SETTING_SIZE_MAX, with K, M or G for 1024 and its powers */
	SETTING_COUNT,   /* size_t, 1 to 9999999; 0: not given */
	SETTING_SECONDS, /* struct optional_seconds: a time as timeout(1) takes it */
	SETTING_PARAMETER, /* parameter_option_list, which the command line fills itself: NAME=TEXT,
	                      or NAME and the next word */
	SETTING_PARAMETERS, /* the same: a text with several */
};

/* Places in a text have 32 bits, and printf() takes lengths as int. */
enum { SETTING_SIZE_MAX_M = 2047, SETTING_SIZE_MAX = SETTING_SIZE_MAX_M << 20 };

typedef VECTOR(const char *) text_list;

struct optional_text {
	bool given;
	const char *text; /* NULL: the setting was given without a text */
};

struct optional_seconds {
	bool given;
	double seconds;
};

/* One option of -p, -r, -f or -y. */
struct parameter_option {
	char kind;          /* 'p', 'r', 'f' or 'y' */
	const char *first;  /* NAME, NAME=TEXT, or the argument */
	const char *second; /* TEXT if it was a word of its own, else NULL */
};
typedef VECTOR(struct parameter_option) parameter_option_list;

/* ---- fields ---- */

enum broken_cells { BROKEN_CELLS_DEFAULT, BROKEN_CELLS_ERROR, BROKEN_CELLS_RAISE };
enum package_installs { PACKAGE_INSTALLS_DEFAULT, PACKAGE_INSTALLS_SKIP, PACKAGE_INSTALLS_RUN };
enum measurement_kind {
	MEASUREMENT_DEFAULT, /* auto */
	MEASUREMENT_AUTO,
	MEASUREMENT_SCOREP,
	MEASUREMENT_BUILTIN,
	MEASUREMENT_NONE
};
enum imports { IMPORTS_DEFAULT, IMPORTS_QUIET, IMPORTS_RECORD };
enum instrument { INSTRUMENT_DEFAULT, INSTRUMENT_MARKED, INSTRUMENT_ALL, INSTRUMENT_NONE };
enum unknown_magics {
	UNKNOWN_MAGICS_DEFAULT,
	UNKNOWN_MAGICS_IPYTHON,
	UNKNOWN_MAGICS_ERROR,
	UNKNOWN_MAGICS_DROP
};
enum color { COLOR_DEFAULT, COLOR_AUTO, COLOR_ALWAYS, COLOR_NEVER };

/* The purpose of a compilation. */
enum build_purpose {
	BUILD_TO_REPORT, /* diagnostics only */
	BUILD_TO_DUMP,   /* the IR, the parameters */
	BUILD_TO_WRITE,
	BUILD_TO_SUBMIT,
	BUILD_TO_RUN,
};

/* The settings of a build: from the command line, and defaults from the configuration's `build`. Texts
 * that are not given are NULL, choices and numbers 0. The caller owns the texts. */
struct build_settings {
	enum build_purpose purpose;
	struct slice recorded; /* the options that the outputs record, as a command line has them */

	/* output */
	const char *output, *output_dir, *depfile_path;
	const char *figures; /* a folder, or "none" */
	struct optional_text source_map;
	bool depfile, dry_run, force, temporary, no_echo, all_ranks, progress;

	/* selection */
	bool whole_notebook, allow_outside;
	struct optional_text untrusted; /* a folder; NULL: that of the operand */
	text_list skip_tags;
	enum broken_cells broken_cells;
	enum unknown_magics unknown_magics;
	enum package_installs package_installs;

	/* measurement */
	enum measurement_kind measurement;
	enum instrument instrument;
	bool no_cell_regions, no_scorep;
	const char *filter;
	enum imports imports;
	const char *regions; /* a file, or "defs" */
	text_list instrument_modules;

	/* parameters */
	parameter_option_list parameters; /* in the order of the command line */
	bool allow_new_parameters;
	struct optional_text sweep; /* a file; NULL: that of the configuration */

	/* launching, batch system; python, launcher and ranks become keys of the configuration */
	const char *python, *launcher, *template_dir;
	size_t ranks;
	bool tag_output;
	int batch;       /* enum batch_system, from 1 */
	text_list slurm; /* KEY=VALUE, or KEY */

	/* configuration */
	const char *profile, *config_path;
	bool no_config, no_notebook_config;
	text_list set; /* KEY=VALUE */

	/* diagnostics, limits */
	bool verify, no_verify, quiet, verbose;
	struct optional_seconds verify_timeout;
	size_t max_nesting, max_cells, max_cell_size, max_code_size, max_values;
};

/* The settings of `nbscorep run` and `submit` besides those of the build. */
struct run_settings {
	const char *program; /* of a notebook with several */
	const char *only;    /* the sets of a sweep to run */
	size_t jobs;         /* sets that run at a time */
	bool if_available, vampir, summary, report;
	struct optional_text monitor;  /* an interval; NULL: 1 second */
	struct optional_text executed; /* the path of the executed notebook; NULL: the default */
	struct optional_text html;     /* that of its page, likewise */
	size_t output_limit;           /* bytes of a cell's output that it keeps */
	struct optional_seconds cell_timeout;
	bool allow_errors;
	const char *folder; /* where the script runs */
	const char *cell_times;
	struct optional_seconds timeout, kill_after;
	text_list arguments; /* of the script */
};

struct submit_settings {
	text_list after; /* ids of jobs */
	bool wait, parsable;
};

/* What the user asked for on the command line. A field that was not given is zero. */
struct options {
	struct build_settings build; /* first: a row of `build` is set in either struct */
	text_list warnings;          /* of -W */
	enum color color;
	int diagnostics_format; /* enum diag_report_format, from 1 */
	const char *sort;       /* of report and results */
	int format; /* of ir, parameters, help, report and results, each with words of its own */
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
		const char *output, *cells, *metrics, *first_index, *notebook, *rank, *function,
		        *fail_if, *filter;
		bool scaling, brief;
		int level, table;
		size_t top;
	} report;
	struct {
		bool json;
		struct optional_seconds timeout;
	} doctor;
	text_list operands;
	/* For each operand the folder in which it was found, or NULL; may be empty. */
	text_list found_in;
	text_list command; /* the words after "--" of monitor and record; NULL follows them */
};

/* ---- tables ---- */

enum command_id {
#define COMMAND(id, name, operands, summary) COMMAND_##id,
#include "settings/settings.def"
	COMMAND_COUNT
};

struct command_row {
	const char *name, *operands, *summary;
};

enum option_group {
#define OPTION_GROUP(id, title) OPTION_GROUP_##id,
#include "settings/settings.def"
	OPTION_GROUP_COUNT
};

/* What the text of an option is that `build` may set. */
enum build_text {
	BUILD_TEXT_NONE, /* `build` does not set it */
	BUILD_TEXT_PLAIN,
	BUILD_TEXT_PATH,
	BUILD_TEXT_FOLDER,
	BUILD_TEXT_BELOW, /* a path below the file's folder */
	BUILD_TEXT_MODULE,
};

struct option_row {
	const char *name; /* without dashes; NULL: it has a short form only */
	const char
	        *argument; /* its name in the help, or the words of a choice: "a|b"; NULL: none */
	const char *help;
	size_t offset; /* of the field in struct options */
	enum setting_type type;
	enum option_group group;
	enum build_text build_text;
	unsigned commands; /* bit mask of enum command_id */
	bool is_recorded;  /* in the outputs of a build */
	char short_name;   /* or '\0' */
};

extern const struct command_row command_rows[]; /* COMMAND_COUNT of them */

/* All rows. Those of a group are in the order of the table, groups are not. */
extern const struct option_row option_rows[];
extern const size_t option_row_count;

/* True if COMMAND takes the option. */
static inline bool option_is_of(const struct option_row *row, enum command_id command)
{
	return (row->commands & (1u << command)) != 0;
}

/* True if the option may be given with or without a text. */
static inline bool option_has_optional_text(const struct option_row *row)
{
	return row->type == SETTING_OPTIONAL || row->type == SETTING_OPTIONAL_FILE;
}

/* The dashes before the name: one before a capital, as compilers have it. */
static inline const char *option_dashes(const struct option_row *row)
{
	return row->name[0] >= 'A' && row->name[0] <= 'Z' ? "-" : "--";
}

/* The option of COMMAND with the long form NAME, whatever its dashes, or with the short form NAME; or NULL. */
const struct option_row *option_find(enum command_id command, struct slice name);
const struct option_row *option_find_short(enum command_id command, char name);

/* The titles of groups, as in --help. */
extern const char *const option_group_titles[];

/* ---- setting fields ---- */

/* Sets the field of ROW in the struct at BASE (struct options, or the struct build_settings in it) to TEXT
 * (NULL: without a text). Lists grow in ARENA. Returns 0, or -1 and adds the rest of a sentence to
 * ERROR: "must be one of a|b, not 'c'". */
int setting_set(struct arena *arena, const struct option_row *row, const char *text, void *base,
                struct strbuf *error);

/* Reads a time as timeout(1) takes it: "90", "1.5", "10m". Returns false if TEXT is not one. */
bool setting_read_seconds(const char *text, double *out);

/* Reads a whole number from 1 to 9999999. Returns false if TEXT is not one; *OUT is then 0. */
bool setting_read_count(const char *text, size_t *out);

/* ---- the configuration's `build` ---- */

/* Checks one entry of `build`; problems become diagnostics. */
void build_option_check(struct diags *diags, const struct value_entry *entry);

/* Sets the options of CONFIG's `build` in OUT, except those that are GIVEN on the command line. Paths
 * in a file start at the file's folder; those in the metadata start at the folder of NOTEBOOK, a
 * path. Adds the names of options that its metadata sets to SET_BY_NOTEBOOK. *OUTPUT_FOLDER becomes the
 * value of output-dir, or NULL. Returns 0, or -1 with a diagnostic if a path is of a kind that an
 * untrusted file must not name. */
int build_options_apply(struct diags *diags, const struct config *config, struct slice notebook,
                        const struct build_settings *given, struct build_settings *out,
                        struct name_set *set_by_notebook, const struct value **output_folder);

/* The folder at which the paths at WHERE start: that of the file, or of the notebook at path NOTEBOOK
 * if they are in its metadata. */
struct slice build_option_folder(struct slice notebook, const struct location *where);

/* The offset of the first byte that TEXT, identifiers with dots between them, cannot contain there, or TEXT.len. The
 * bytes of WILD may be part of identifiers. Beyond ASCII Python decides. */
size_t build_option_name_fault(struct slice text, const char *wild);

/* True if TEXT is the name of a module of Python. */
bool build_option_is_module(struct slice text);
