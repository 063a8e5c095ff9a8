/* The comma-separated lists of allowed values in variables.def and args.def. */
#ifndef NBSCOREP_SCOREP_ALLOWED_H
#define NBSCOREP_SCOREP_ALLOWED_H

#include "base/arena.h"
#include "base/slice.h"

enum { SCOREP_ALLOWED_MAX = 32 };

/* Splits LIST into OUT. Returns the number of values, at most SCOREP_ALLOWED_MAX. */
size_t scorep_allowed_split(struct slice list, struct slice out[SCOREP_ALLOWED_MAX]);

/* LIST as text for a message: "a, b, c". Arena memory. */
struct slice scorep_allowed_text(struct arena *arena, struct slice list);

#endif
