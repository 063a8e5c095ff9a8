/* The typed settings of a build: from the command line, and defaults from the configuration's
 * `build`. */
#ifndef NBSCOREP_SETTINGS_BUILD_SETTINGS_H
#define NBSCOREP_SETTINGS_BUILD_SETTINGS_H

#include "settings/config.h"
#include "settings/setting.h"

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
enum batch_choice { BATCH_DEFAULT, BATCH_CHOICE_SLURM, BATCH_CHOICE_PBS, BATCH_CHOICE_LSF };

/* The purpose of a compilation. */
enum build_purpose {
	BUILD_TO_REPORT, /* diagnostics only */
	BUILD_TO_DUMP,   /* the IR, the parameters */
	BUILD_TO_WRITE,
	BUILD_TO_SUBMIT,
	BUILD_TO_RUN,
};

/* Texts that are not given are NULL, choices and numbers 0. The caller owns the texts. */
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

	/* launching, batch system */
	const char *python, *launcher, *template_dir;
	size_t ranks;
	bool tag_output;
	enum batch_choice batch;
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

/* Returns the rows of the options that the configuration's `build` may set, and sets *COUNT. Offsets
 * are those of struct build_settings. */
const struct setting_row *build_option_rows(size_t *count);

/* Checks one entry of `build`; problems become diagnostics. */
void build_option_check(struct diags *diags, const struct value_entry *entry);

/* The effects of a configuration's `build` besides setting fields. */
struct build_option_report {
	const struct value *output_folder; /* the value of output-dir, or NULL */
	struct name_set
	        *set_by_notebook; /* names of the options that the notebook's metadata sets */
};

/* Sets the options of CONFIG's `build` in OUT, except those that are GIVEN on the command line. Paths
 * in a file start at the file's folder; those in the metadata start at the folder of NOTEBOOK, a
 * path. Returns 0, or -1 with a diagnostic if a path is of a kind that an untrusted file must not
 * name. */
int build_options_apply(struct arena *arena, struct diags *diags, const struct config *config,
                        struct slice notebook, const struct build_settings *given,
                        struct build_settings *out, struct build_option_report *report);

/* The folder at which the paths at WHERE start: that of the file, or of the notebook at path NOTEBOOK
 * if they are in its metadata. */
struct slice build_option_folder(struct slice notebook, const struct location *where);

/* True if TEXT is the name of a module of Python: identifiers with dots between them. */
bool build_option_is_module(struct slice text);

#endif
