/* The requests of a job to its batch system: options of sbatch with their values. The header of a run
 * script passes them to Slurm, PBS or LSF. */
#pragma once

#include "base/value.h"

/* ---- sbatch: its options, in sbatch.def, and how it reads a time limit ---- */

enum sbatch_value { SBATCH_NONE, SBATCH_REQUIRED, SBATCH_OPTIONAL };

struct sbatch_row {
	const char *name, *doc;
	enum sbatch_value value;
	char short_name; /* '\0': none */
	bool is_list;    /* its value may be a list, separated by commas */
};

extern const struct sbatch_row sbatch_rows[];
extern const size_t sbatch_row_count;

/* Returns the row of the option NAME (without leading dashes), or NULL. */
const struct sbatch_row *sbatch_find(struct slice name);

/* The name as sbatch writes it: underscores become dashes. Arena memory. */
struct slice sbatch_name(struct arena *arena, struct slice name);

/* The minutes of an unlimited time limit. */
#define SBATCH_UNLIMITED (-1L)

/* Reads a time limit as sbatch does (MIN, MIN:SEC, H:M:S, D-H, D-H:M, D-H:M:S, UNLIMITED, ...) into
 * minutes, rounded up. Returns false if TEXT is not one. */
bool sbatch_read_time(struct slice text, long *minutes);

/* ---- settings ---- */

enum batch_system { BATCH_SLURM, BATCH_PBS, BATCH_LSF, BATCH_SYSTEM_COUNT };

struct batch_setting {
	struct slice name;  /* a long option of sbatch, without the dashes */
	struct slice value; /* empty: the option has no value */
	struct location where;
	bool is_default;  /* not set by the user */
	bool is_left_out; /* switched off by the user, so it has no default either */
};

struct batch_settings {
	enum batch_system system;
	VECTOR(struct batch_setting) list; /* each name once */
};

/* Why a setting is refused. */
struct batch_problem {
	struct slice message, hint; /* as diag_add() and diag_hint() take them */
};

/* Makes a setting from the option NAME and the user's VALUE: a scalar, or a list if sbatch takes one;
 * true or null: the option without a value; false: the option is left out. Underscores in NAME become
 * dashes. A NAME that begins with two dashes may be unknown, because plugins of sites have options of
 * their own. Returns 0, or -1 and sets OUT->name and *PROBLEM. */
int batch_make_setting(struct arena *arena, struct slice name, const struct value *value,
                       struct batch_setting *out, struct batch_problem *problem);

/* Adds SETTING to SETTINGS, or replaces the setting of the same name. */
void batch_put(struct arena *arena, struct batch_settings *settings,
               const struct batch_setting *setting);

/* True if all SETTINGS are left out. */
bool batch_is_empty(const struct batch_settings *settings);

/* The setting NAME, or NULL; its value, or an empty slice. */
struct batch_setting *batch_setting_find(const struct batch_settings *settings, struct slice name);
struct slice batch_value_of(const struct batch_settings *settings, struct slice name);

/* Reads a number of at least 1 with at most eight digits. Returns false, with *NUMBER 0, if TEXT is not
 * one. */
bool batch_read_number(struct slice text, long *number);

/* The number of tasks that SETTINGS request: ntasks, or else nodes times ntasks-per-node; 0 if this is
 * not a number. *SAID is the setting that decides, or NULL. */
long batch_tasks(const struct batch_settings *settings, const struct batch_setting **said);

/* Removes settings that are left out, and adds defaults for settings that the user has not set: the
 * job's NAME, RANKS tasks (empty: no default), and for Slurm SIGUSR1 before a time limit that is long
 * enough. */
void batch_add_defaults(struct arena *arena, struct batch_settings *settings, struct slice name,
                        struct slice ranks);

/* The name of SYSTEM ("Slurm", "PBS", "LSF"). */
const char *batch_system_name(enum batch_system system);

/* By system, the names of the header templates, which the user may replace. */
extern const struct slice batch_header_names[BATCH_SYSTEM_COUNT];
