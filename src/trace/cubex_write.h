/* Writes a measurement's call paths as a profile of CUBE 4, which Cube's and Score-P's tools read. */
#ifndef NBSCOREP_TRACE_CUBEX_WRITE_H
#define NBSCOREP_TRACE_CUBEX_WRITE_H

#include "trace/measurement.h"

/* Writes the file PATH, which it replaces when it is complete. Returns 0, or -1 and sets errno. */
int cubex_write(struct arena *arena, const char *path, const struct measurement *measurement);

#endif
