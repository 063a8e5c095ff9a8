/* Reads the recording of an experiment directory (record/recording.h): which processes and threads ran, which regions
 * they entered, and how long they were on each call path. */
#pragma once

#include "base/os.h"
#include "record/recording.h"
#include "trace/measurement.h"

struct recorded_process {
	struct slice folder; /* of its files */
	struct recording_process head;
	struct slice script;        /* whose lines were sampled; empty: none */
	VECTOR(struct slice) words; /* of the command */
	double ns_per_tick;
	VECTOR(uint32_t) regions; /* of the measurement, by number in the recording - 1 */
};

struct recording {
	struct measurement measurement;
	struct slice folder;                       /* DIRECTORY/recording */
	struct os_names names;                     /* of its folders */
	VECTOR(struct recorded_process) processes; /* by their start, as those of the measurement */
	bool profiling, tracing;
	unsigned running; /* processes that still record */
};

/* True if DIRECTORY has a recording that was not converted. */
bool recording_exists(struct arena *arena, struct slice directory);

/* Reads what DIRECTORY's recording has besides its events into RECORDING. Call paths come from the events if no profile
 * was recorded. Returns 0, or -1 and sets errno. */
int recording_read(struct recording *recording, struct arena *arena, struct slice directory);

/* An event at a time in nanoseconds. */
typedef int (*recording_event_fn)(void *data, enum recording_event kind, uint32_t region,
                                  uint64_t time);

/* Calls EACH for each event of location number INDEX, in their order, and at the end for a leave of each region
 * that is still open. Returns 0, what EACH returned if that is not 0, or -1 and sets errno. */
int recording_events(const struct recording *recording, size_t index, recording_event_fn each,
                     void *data);
