/* Names of files that a dependency file cannot hold. */
#ifndef NBSCOREP_CLI_MAKE_NAMES_H
#define NBSCOREP_CLI_MAKE_NAMES_H

#include "base/slice.h"

/* What of NAME GNU make (its manual: "Rule Syntax", "Using Wildcard Characters in File Names") and
 * ninja have no one way to say, for a message; NULL: nothing. */
const char *unsayable_in_make(struct slice name);

#endif
