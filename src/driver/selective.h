/* The code that the user includes in the measurement besides cells, or excludes: --imports, --regions,
 * --instrument-module. */
#ifndef NBSCOREP_DRIVER_SELECTIVE_H
#define NBSCOREP_DRIVER_SELECTIVE_H

#include "driver/compile.h"
#include "settings/settings.h"

struct runtime_wishes;

/* Reads the OPTIONS, and the file that --regions names, which is noted in c->needed. Problems
 * become diagnostics of C. Returns 0 or -1. */
int selective_read(struct compilation *c, const struct build_settings *settings,
                   struct runtime_wishes *out);

#endif
