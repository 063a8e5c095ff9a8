/* Checks one assignment to a SCOREP_ variable. */
#ifndef NBSCOREP_SCOREP_CHECK_VARIABLE_H
#define NBSCOREP_SCOREP_CHECK_VARIABLE_H

#include "scorep/variables.h"

/* Checks one assignment. WHERE_NAME and WHERE_VALUE are the places of the two sides. A name that is
 * neither one of Score-P's nor similar to one is not checked, so all assignments of a cell can be
 * passed to this function. */
void scorep_check_variable(struct diags *diags, struct location where_name,
                           struct location where_value, struct slice name, struct slice value);

/* Checks VALUE for placeholders that the run script does not replace (scorep/directory.h). */
void scorep_check_directory(struct diags *diags, struct location where, struct slice value);

/* Checks VALUE for the rank of a process. If Score-P measures MPI, all ranks write into one
 * directory, and the first rank decides its name. */
void scorep_check_directory_rank(struct diags *diags, struct location where, struct slice value);

/* Reports at WHERE that a run records nothing, if both TRACING and PROFILING are off. */
void scorep_check_modes(struct diags *diags, struct location where, bool tracing, bool profiling);

#endif
