/* Checks one assignment to a SCOREP_ variable. */
#ifndef NBSCOREP_SCOREP_CHECK_VARIABLE_H
#define NBSCOREP_SCOREP_CHECK_VARIABLE_H

#include "scorep/variables.h"

/* Checks one assignment. WHERE_NAME and WHERE_VALUE are the places of the two sides. Names that are
 * neither Score-P's nor similar to one of Score-P's pass unchecked, so all assignments of a cell can
 * be given to this. */
void scorep_check_variable(struct diags *diags, struct location where_name,
                           struct location where_value, struct slice name, struct slice value);

/* Checks VALUE, as the run script reads it (scorep/directory.h), for placeholders that it does not
 * replace. */
void scorep_check_directory(struct diags *diags, struct location where, struct slice value);

/* Checks it for the rank of a process: where Score-P measures MPI, all ranks write into one
 * directory, whose name the first one decides. */
void scorep_check_directory_rank(struct diags *diags, struct location where, struct slice value);

/* Says at WHERE that a run records nothing when both are off. */
void scorep_check_modes(struct diags *diags, struct location where, bool tracing, bool profiling);

#endif
