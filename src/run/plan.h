/* Does what a run script does before it starts Python (templates/run.sh), in the same steps, without a
 * shell. Only $NAME and ${NAME} expand in exports, so no shell is necessary. bash is asked only for a
 * name that is not in the environment, because it has variables of its own (HOSTNAME, UID). */
#ifndef NBSCOREP_RUN_PLAN_H
#define NBSCOREP_RUN_PLAN_H

#include <stdbool.h>

#include "process/environment.h"

/* A variable to export, or an argument of the bindings (NAME is empty). */
struct run_text {
	struct slice name, value;
	bool expands; /* $NAME and ${NAME} in VALUE expand */
};

struct run_plan {
	struct slice script_folder, script; /* absolute, and the file's name */
	struct slice folder;                /* the notebook's, absolute; the current folder */
	VECTOR(struct run_text) exports, arguments;
	struct slice runtime; /* the text that surrounds the script (run/runtime_file.h) */
};

/* Changes ENVIRONMENT as the run script does. Returns an empty slice, or the name of an unset
 * variable. */
struct slice run_plan_export(const struct run_plan *plan, struct environment *environment);

/* Sets an experiment directory of its own for one of several ranks that measure separately, because no
 * argument --mpp lets them measure together. Returns the rank, or an empty slice. */
struct slice run_plan_own_directory(const struct run_plan *plan, struct environment *environment);

/* Makes the folders above the experiment directory. Returns 0, or -1 and sets errno and *PATH, the
 * folder that failed. */
int run_plan_make_parents(const struct environment *environment, struct slice *path);

/* How the script is started. */
struct run_command {
	const char *python;
	bool measured;           /* through the bindings */
	bool surrounded;         /* by the runtime, at RUNTIME_PATH */
	const char *const *rest; /* the script's own arguments */
	size_t rest_count;
};

/* The words of COMMAND, followed by NULL, in ENVIRONMENT's arena. Returns NULL and sets *UNSET if a
 * variable in an argument is unset. */
char **run_plan_command(const struct run_plan *plan, struct environment *environment,
                        const struct run_command *command, struct slice *unset);

#endif
