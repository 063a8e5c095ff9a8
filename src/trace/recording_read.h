/* Reads the recording of an experiment directory (record/recording.h): which processes and threads ran, which regions
 * they entered, and how long they were on each call path. */
#ifndef NBSCOREP_TRACE_RECORDING_READ_H
#define NBSCOREP_TRACE_RECORDING_READ_H

#include <stdint.h>

#include "base/number_map.h"
#include "base/os.h"
#include "base/vector.h"
#include "record/recording.h"

struct measured_region {
	struct slice module, name; /* written "module:name" */
	struct slice file;         /* empty: not known */
	uint32_t line;             /* 0: not known */
};

/* A call path. Its children follow each other by their NEXT; 0: none. */
struct measured_path {
	uint32_t region, parent, child, next, last_child;
};

/* The time on a call path and below it, of the visits that are counted. */
struct measured_time {
	uint64_t visits, total, min, max; /* nanoseconds */
};

struct measured_location {
	struct slice name;
	uint32_t process;
	uint32_t number; /* within the process; 0: its main thread */
	uint32_t nodes;  /* of the recording */
	uint64_t end;    /* nanoseconds of the last event */
	uint64_t event_count;
	VECTOR(struct recording_frame)
	open; /* regions that were open when the process ended, outermost first */
	VECTOR(struct measured_time) times; /* by call path; those beyond are zero */
};

struct measured_process {
	struct slice folder; /* of its files */
	struct recording_process head;
	struct slice host, interpreter;
	struct slice script; /* whose lines were sampled; empty: none */
	VECTOR(struct recording_line) lines;
	VECTOR(struct slice) words; /* of the command */
	uint64_t begin, end;        /* nanoseconds */
	double ns_per_tick;
	VECTOR(uint32_t) regions; /* of the measurement, by number in the recording - 1 */
	uint32_t first_location, location_count;
};

/* PATHS has at 0 the program, at 1 the threads besides the main ones: their regions are not in REGIONS. */
enum { PATH_PROGRAM, PATH_THREADS, PATH_COUNT };

struct measurement {
	struct arena *arena;
	struct slice folder;   /* DIRECTORY/recording */
	struct os_names names; /* of its folders */
	VECTOR(struct measured_region) regions;
	VECTOR(struct measured_path) paths;
	VECTOR(struct measured_location) locations;
	VECTOR(struct measured_process) processes; /* by their start */
	bool profiling, tracing;
	unsigned running;             /* processes that still record */
	uint64_t begin, end;          /* nanoseconds on a monotonic clock */
	int64_t begins_at;            /* the same moment as BEGIN, in nanoseconds since 1970 */
	struct number_map path_index; /* from parent << 32 | region + 1 to a path */
	struct number_map
	        region_index; /* from a digest of the region to the index of a region + 1 */
};

/* True if DIRECTORY has a recording that was not converted. */
bool recording_exists(struct arena *arena, struct slice directory);

/* Reads what DIRECTORY's recording has besides its events into MEASUREMENT. Call paths come from the events if no profile was
 * recorded. Returns 0, or -1 and sets errno. */
int recording_read(struct measurement *measurement, struct arena *arena, struct slice directory);

/* An event at a time in nanoseconds. IS_OPEN: the region was left by no event; the process has ended. */
typedef int (*recording_event_fn)(void *data, enum recording_event kind, uint32_t region,
                                  uint64_t time, bool is_open);

/* Calls EACH for each event of location number INDEX, in their order, and at the end for a leave of each region
 * that is still open. Returns 0, what EACH returned if that is not 0, or -1 and sets errno. */
int recording_events(const struct measurement *measurement, size_t index, recording_event_fn each,
                     void *data);

/* The time of PATH in LOCATION. */
struct measured_time measurement_time(const struct measured_location *location, uint32_t path);

/* The call path after PATH in a walk of those below TOP; 0 at the end. */
uint32_t measurement_next_path(const struct measurement *measurement, uint32_t top, uint32_t path);

#endif
