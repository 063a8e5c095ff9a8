/* Reads an OTF2 archive, Score-P's or that of a converted recording, by the OTF2 library. */
#pragma once

#include "trace/measurement.h"

/* Adds what DIRECTORY/traces.otf2 with its files has to OUT, location after location: memory does not grow with the
 * number of events. Only threads are read, not metrics and streams of an accelerator. Regions that
 * are open at the end of their location end there. Returns NULL, or what is wrong, and the path of the file in
 * *FAILED. The library may abort the process over a damaged archive: call it in one of its own. */
const char *otf2_read(struct measurement *out, struct arena *arena, struct slice directory,
                      struct slice *failed);
