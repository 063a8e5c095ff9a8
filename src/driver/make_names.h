/* Names of files that a dependency file cannot contain. */
#ifndef NBSCOREP_DRIVER_MAKE_NAMES_H
#define NBSCOREP_DRIVER_MAKE_NAMES_H

#include "base/slice.h"

/* The part of NAME that no dependency file can express for GNU make (its manual: "Rule Syntax", "Using
 * Wildcard Characters in File Names"), for a message; NULL: none. */
const char *unsayable_in_make(struct slice name);

/* The same for ninja, of a name that make can express. */
const char *unsayable_in_ninja(struct slice name);

#endif
