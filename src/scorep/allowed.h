/* The comma-separated lists of allowed values in variables.def and args.def. */
#ifndef NBSCOREP_SCOREP_ALLOWED_H
#define NBSCOREP_SCOREP_ALLOWED_H

#include "base/arena.h"
#include "base/slice.h"

enum { SCOREP_ALLOWED_MAX = 32 };

/* The values of LIST; returns how many (none of the tables has more than fit). */
size_t scorep_allowed_split(struct slice list, struct slice out[SCOREP_ALLOWED_MAX]);

/* LIST for a message: "a, b, c". */
struct slice scorep_allowed_text(struct arena *arena, struct slice list);

#endif
