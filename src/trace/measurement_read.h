/* Finds what an experiment directory has of a measurement. */
#ifndef NBSCOREP_TRACE_MEASUREMENT_READ_H
#define NBSCOREP_TRACE_MEASUREMENT_READ_H

#include "trace/measurement.h"

/* True if DIRECTORY has a trace or a profile. */
bool measurement_exists(struct arena *arena, struct slice directory);

/* Reads the trace in DIRECTORY, or where there is none the profile. Returns NULL, or what is wrong, and the path of the
 * file in *FAILED. A damaged trace may end the process (otf2_read()). */
const char *measurement_read(struct measurement *out, struct arena *arena, struct slice directory,
                             struct slice *failed);

#endif
