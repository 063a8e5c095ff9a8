/* What a job asks its batch system for: options of sbatch with their values, and what the header of a
 * run script says of them to Slurm, PBS or LSF. */
#ifndef NBSCOREP_BATCH_JOB_SETTINGS_H
#define NBSCOREP_BATCH_JOB_SETTINGS_H

#include "base/strbuf.h"
#include "base/value.h"

enum batch_system { BATCH_SLURM, BATCH_PBS, BATCH_LSF };

struct batch_setting {
	struct slice name;  /* a long option of sbatch, without the dashes */
	struct slice value; /* empty: the option stands alone */
	struct location where;
	bool is_default;  /* nobody has asked for it */
	bool is_left_out; /* somebody does not want it, not even by default */
};

struct batch_settings {
	enum batch_system system;
	VECTOR(struct batch_setting) list; /* each name once */
};

/* Why a setting is refused. */
struct batch_problem {
	struct slice message, hint; /* as diag_add() and diag_hint() take them */
};

/* Makes a setting of the option NAME and what the user gave as its VALUE: a scalar, or a list where
 * sbatch takes one; true or null: the option alone; false: not this option. Underscores in NAME are
 * dashes. A name with its two dashes in front is not looked up: sites have plugins with options of
 * their own. Returns 0, or -1 with OUT->name and a problem. */
int batch_make_setting(struct arena *arena, struct slice name, const struct value *value,
                       struct batch_setting *out, struct batch_problem *problem);

/* Puts SETTING into SETTINGS, where it takes the place of one of its name. */
void batch_put(struct arena *arena, struct batch_settings *settings,
               const struct batch_setting *setting);

/* Is there nothing that the job is to ask for? */
bool batch_is_empty(const struct batch_settings *settings);

/* The value of the setting NAME, or an empty slice. */
struct slice batch_value_of(const struct batch_settings *settings, struct slice name);

/* Reads a number of at least 1 and at most eight digits. False when TEXT is none. */
bool batch_read_number(struct slice text, long *number);

/* The number of tasks that SETTINGS ask for: ntasks, or else nodes times ntasks-per-node. SAID is the
 * setting that decides. 0 when they give no such number. */
long batch_tasks(const struct batch_settings *settings, const struct batch_setting **said);

/* Removes settings that are left out, and adds defaults where the user has set nothing: the job's
 * NAME, RANKS tasks (empty: none are added), and for Slurm SIGUSR1 before a time limit that is long
 * enough for it. */
void batch_add_defaults(struct arena *arena, struct batch_settings *settings, struct slice name,
                        struct slice ranks);

/* "Slurm", "PBS", "LSF"; the name of its header among the templates. */
const char *batch_system_name(enum batch_system system);
struct slice batch_header_name(enum batch_system system);

#endif
