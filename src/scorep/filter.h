/* Filter files of Score-P, which name the regions and source files that are not recorded:
 *
 *     SCOREP_REGION_NAMES_BEGIN   # or SCOREP_FILE_NAMES_BEGIN, up to SCOREP_FILE_NAMES_END
 *       EXCLUDE *                 # patterns of fnmatch(3), up to the next key word
 *       INCLUDE main solve_*
 *               MANGLED _Z3foo    # of regions: the names behind it are mangled ones
 *     SCOREP_REGION_NAMES_END
 *
 * A backslash takes the meaning off a blank or "#" behind it. Score-P reads the file when it starts,
 * and ends the program where it finds a fault. */
#ifndef NBSCOREP_SCOREP_FILTER_H
#define NBSCOREP_SCOREP_FILTER_H

#include "diag/diag.h"

/* Checks TEXT, that of the filter file called NAME in messages. */
void scorep_check_filter(struct diags *diags, struct slice name, struct slice text);

#endif
