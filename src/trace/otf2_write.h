/* Writes a recording's events as an OTF2 archive, by the OTF2 library. */
#pragma once

#include "trace/recording_read.h"

/* Writes traces.otf2, traces.def and the folder traces into DIRECTORY, which has none yet. Times are in
 * nanoseconds. Adds to EVENTS how many the archive has. Returns NULL, or what is wrong. */
const char *otf2_write(struct arena *arena, const char *directory,
                       const struct recording *recording, uint64_t *events);
