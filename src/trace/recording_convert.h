/* Turns a recording into the results of a measurement, in the experiment directory in which it is. */
#pragma once

#include "trace/recording_read.h"

struct conversion {
	struct recording recording;
	uint64_t events; /* of the trace */
	int gap_error;   /* why calls are missing: errno; else 0 */
};

enum conversion_result {
	CONVERSION_DONE,
	CONVERSION_NONE,    /* the recording is missing or empty */
	CONVERSION_RUNNING, /* processes still record; OUT has their number */
	CONVERSION_BUSY,    /* another process converts it */
	CONVERSION_FAILED,  /* *PROBLEM is the reason; the recording stays */
};

/* Writes profile.cubex and traces.otf2 with its files, as they were asked for, and lines.csv, scorep.cfg and
 * MANIFEST.md into DIRECTORY, and removes the recording. If Score-P has measured, only lines.csv is ours. What a
 * conversion that was killed has written is written again. Fails if DIRECTORY already has results. */
enum conversion_result recording_convert(struct conversion *out, struct arena *arena,
                                         const char *directory, const char **problem);
