/* Filter files of Score-P, which name the regions and source files that are not recorded:
 *
 *     SCOREP_REGION_NAMES_BEGIN   # or SCOREP_FILE_NAMES_BEGIN, up to SCOREP_FILE_NAMES_END
 *       EXCLUDE *                 # patterns of fnmatch(3), up to the next key word
 *       INCLUDE main solve_*
 *               MANGLED _Z3foo    # for regions: the names after it are mangled
 *     SCOREP_REGION_NAMES_END
 *
 * A backslash escapes a blank or "#" after it. Score-P reads the file when it starts, and ends the
 * program if the file has a fault. */
#pragma once

#include "diag/diag.h"

/* Checks TEXT, the content of the filter file that is called NAME in messages. */
void scorep_check_filter(struct diags *diags, struct slice name, struct slice text);
