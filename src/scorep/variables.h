/* The measurement variables of Score-P (SCOREP_...): their table, how Score-P reads their values, and the check of these.
 * Score-P reads the variables once, when it starts. */
#pragma once

#include "diag/diag.h"

/* True if NAME is a variable of the Jupyter kernel (SCOREP_JUPYTER_..., JUMPER_..., ...). Such
 * variables look like Score-P's, but have no meaning outside the kernel. */
bool scorep_is_kernel_variable(struct slice name);

/* How Score-P reads the value of a bool. */
enum scorep_truth {
	SCOREP_FALSE,
	SCOREP_TRUE,
	SCOREP_MISTAKEN, /* false to Score-P, but not a usual word for false */
};

/* The words true, yes and on (in any case) and whole numbers other than 0 are true; everything else
 * is false. */
enum scorep_truth scorep_parse_bool(struct slice value);

/* True if the bool variable NAME is on with VALUE (NULL: not set). Also true if VALUE expands at run
 * time, because its result is not known yet. */
bool scorep_is_on(struct slice name, const struct slice *value);

/* The name of the experiment directory: "%j" is the id of the Slurm job, as in the file names of sbatch, or "local"
 * outside of a job; "%%" is "%". */
#define SCOREP_DIRECTORY SLICE("SCOREP_EXPERIMENT_DIRECTORY")

/* ---- allowed values ---- */

/* A word to check by a list of variables.def or args.def. */
struct scorep_choice {
	struct slice allowed; /* the list */
	struct slice name;    /* of the variable or option */
	struct slice value;
	struct slice
	        front; /* of the value in "did you mean 'FRONT...'?"; empty: the case of letters is ignored */
};

/* Returns false if the value is not in the list, after adding KIND at WHERE. */
bool scorep_check_choice(struct diags *diags, enum diag_kind kind, struct location where,
                         const struct scorep_choice *choice);

/* ---- the check of an assignment ---- */

/* Checks one assignment. WHERE_NAME and WHERE_VALUE are the places of the two sides. A name that is
 * neither one of Score-P's nor similar to one is not checked, so all assignments of a cell can be
 * passed to this function. */
void scorep_check_variable(struct diags *diags, struct location where_name,
                           struct location where_value, struct slice name, struct slice value);

/* Reports at WHERE that a run records nothing, if both TRACING and PROFILING are off. */
void scorep_check_modes(struct diags *diags, struct location where, bool tracing, bool profiling);
