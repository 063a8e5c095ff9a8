/* A measurement: which processes and threads ran, which regions they entered, and how long they were on each call
 * path. Readers of recordings fill it, writers of experiment directories take it. */
#ifndef NBSCOREP_TRACE_MEASUREMENT_H
#define NBSCOREP_TRACE_MEASUREMENT_H

#include <stdint.h>

#include "base/arena.h"
#include "base/number_map.h"
#include "base/vector.h"

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
	uint32_t thread; /* of the kernel */
	uint64_t end;    /* nanoseconds of the last event */
	uint64_t event_count;
	bool was_open;                      /* regions were open when the process ended */
	VECTOR(struct measured_time) times; /* by call path; those beyond are zero */
};

/* Time of the main thread in lines of the script, sampled: of its innermost code, called by the line OUTER of its
 * outermost code. Both 0: none of its code ran. */
struct measured_line {
	uint32_t outer, inner;
	uint64_t nanoseconds;
};

struct measured_process {
	struct slice host, interpreter;
	struct slice script; /* whose lines were sampled; empty: none */
	VECTOR(struct measured_line) lines;
	VECTOR(struct slice) words; /* of the command */
	int32_t pid;
	uint64_t begin, end; /* nanoseconds */
	uint32_t first_location, location_count;
};

/* PATHS has at 0 the program, at 1 the threads besides the main ones: their regions are not in REGIONS. */
enum { PATH_PROGRAM, PATH_THREADS, PATH_COUNT };

struct measurement {
	struct arena *arena;
	VECTOR(struct measured_region) regions;
	VECTOR(struct measured_path) paths;
	VECTOR(struct measured_location) locations;
	VECTOR(struct measured_process) processes;
	uint64_t begin, end;          /* nanoseconds on a monotonic clock */
	int64_t begins_at;            /* the same moment as BEGIN, in nanoseconds since 1970 */
	struct number_map path_index; /* from parent << 32 | region + 1 to a path */
};

void measurement_init(struct measurement *measurement, struct arena *arena);

/* The call path of REGION below PARENT, which is added if it is new. */
uint32_t measurement_path(struct measurement *measurement, uint32_t parent, uint32_t region);

/* Counts VISITS to PATH of LOCATION that took TOTAL nanoseconds. */
void measurement_add_time(struct measurement *measurement, struct measured_location *location,
                          uint32_t path, const struct measured_time *time);

/* The time of PATH in LOCATION. */
struct measured_time measurement_time(const struct measured_location *location, uint32_t path);

/* The call path after PATH in a walk of those below TOP; 0 at the end. */
uint32_t measurement_next_path(const struct measurement *measurement, uint32_t top, uint32_t path);

#endif
