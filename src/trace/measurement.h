/* What was measured, whoever measured it: which processes and threads ran, which regions they entered, and how long
 * they were on each call path. Readers of recordings, of OTF2 archives and of profiles fill it. */
#pragma once

#include "base/name_set.h"
#include "base/number_map.h"
#include "record/recording.h"

enum region_kind {
	REGION_FUNCTION,
	REGION_CELL,           /* "user:cell 9" */
	REGION_MPI,            /* calls that transfer nothing, and start and end of MPI */
	REGION_MPI_MESSAGE,    /* point to point and one-sided */
	REGION_MPI_COLLECTIVE, /* barriers, too */
	REGION_MPI_FILE,
	REGION_PARALLEL, /* OpenMP and the like */
	REGION_OFF,      /* Score-P's MEASUREMENT OFF */
	REGION_FLUSH,    /* its TRACE BUFFER FLUSH */
};

struct measured_region {
	struct slice module, name; /* written "module:name"; MODULE is empty for MPI_Send */
	struct slice file;         /* empty: not known */
	uint32_t line;             /* 0: not known */
	enum region_kind kind;
};

/* A call path. Its children follow each other by their NEXT; 0: none. */
struct measured_path {
	uint32_t region, parent, child, next, last_child;
};

/* The time on a call path and below it, of the visits that are counted. MIN and MAX are of a visit; only a recording has them. */
struct measured_time {
	uint64_t visits, total, min, max; /* nanoseconds */
};

/* From TIME on a location was on call path PATH, PATH_PROGRAM or PATH_THREADS where no region was open. */
struct measured_change {
	uint64_t time; /* nanoseconds */
	uint32_t path;
};

/* The changes of a location, each until the next one or END (timeline.h). */
struct measured_timeline {
	uint64_t
	        width; /* nanoseconds of the stretches of which each is one; 0: all changes are here */
	uint64_t end;
	VECTOR(struct measured_change) changes;
};

/* A visit of a cell that is in no other cell. */
struct measured_visit {
	uint32_t path;
	uint64_t begin, end; /* nanoseconds */
};

struct measured_location {
	struct slice name;
	uint32_t process;
	uint32_t number;     /* within the process; 0: its main thread */
	uint64_t begin, end; /* nanoseconds of the first and the last event; 0: not known */
	uint64_t event_count;
	VECTOR(struct measured_time) times;         /* by call path; those beyond are zero */
	VECTOR(struct measured_timeline) timelines; /* the most detailed one first */
};

struct measured_process {
	struct slice name; /* "MPI Rank 0" */
	struct slice host;
	bool is_child;        /* a process that another one has started, and no rank */
	struct slice program; /* the file name of the interpreter */
	struct slice command; /* its words, with blanks between them */
	uint64_t begin, end;  /* nanoseconds; 0: not known */
	uint32_t first_location, location_count;
	VECTOR(struct measured_visit) visits; /* of the main thread, the first ones */
};

/* PATHS has at 0 the program, at 1 the threads besides the main ones: their regions are not in REGIONS. */
enum { PATH_PROGRAM, PATH_THREADS, PATH_COUNT };

/* What one location has sent to another. */
struct measured_messages {
	uint32_t from, to; /* locations */
	uint32_t cell; /* the call path of the cell in which they were sent; 0: outside of all */
	uint64_t count, bytes;
};

/* How long LOCATION, a thread besides the main one, ran while that was in the cell whose call path is CELL. There may be
 * several of the same two. Nanoseconds. */
struct measured_overlap {
	uint32_t location, cell;
	uint64_t time;
};

struct measurement {
	struct arena *arena;
	size_t changes_wanted; /* of the timelines of one archive together; 0: without them */
	struct slice script;   /* whose lines were sampled; empty: none */
	VECTOR(struct recording_line) lines;
	const char *lines_problem; /* a sentence; NULL: nothing */
	VECTOR(struct measured_region) regions;
	VECTOR(struct measured_path) paths;
	VECTOR(struct measured_location) locations; /* those of a process follow each other */
	VECTOR(struct measured_process) processes;
	VECTOR(struct measured_messages) messages;
	VECTOR(struct measured_overlap) overlaps;
	uint64_t begin, end;          /* nanoseconds on a monotonic clock; 0: not known */
	int64_t begins_at;            /* the moment BEGIN in nanoseconds since 1970; 0: not known */
	struct number_map path_index; /* from parent << 32 | region + 1 to a path */
	struct name_set region_keys;  /* in the order of the regions: all that tells them apart */
};

/* Makes OUT a measurement with the first PATH_COUNT paths and nothing else. */
void measurement_init(struct measurement *out, struct arena *arena);

/* Returns the index of REGION, which is added if it is new. The kind of a function becomes REGION_CELL where its
 * name says so. Keeps the slices. */
uint32_t measurement_add_region(struct measurement *measurement,
                                const struct measured_region *region);

/* Splits what is written "module:name". Returns a function without a place. */
struct measured_region measurement_region_named(struct slice text);

/* True for "cell 9", a cell of the notebook itself, and sets *NUMBER. */
bool measurement_cell_number(struct slice name, uint64_t *number);

/* "module:name", or the name of a region without a module. */
struct slice measurement_region_text(struct arena *arena, const struct measured_region *region);

/* True if time in regions of KIND is that of MPI. */
static inline bool measurement_is_mpi(enum region_kind kind)
{
	return kind >= REGION_MPI && kind <= REGION_MPI_FILE;
}

/* The region of PATH, which is none of the first PATH_COUNT. */
static inline const struct measured_region *measurement_region_of(
        const struct measurement *measurement, uint32_t path)
{
	return &measurement->regions.items[measurement->paths.items[path].region];
}

/* Returns the call path of REGION below PARENT, which is added if it is new. */
uint32_t measurement_add_path(struct measurement *measurement, uint32_t parent, uint32_t region);

/* Adds TIME to that of PATH in LOCATION. */
void measurement_add_time(struct measurement *measurement, struct measured_location *location,
                          uint32_t path, const struct measured_time *time);

/* Adds a visit to PATH of so many nanoseconds. */
void measurement_add_visit(struct measurement *measurement, struct measured_location *location,
                           uint32_t path, uint64_t spent);

/* Adds to the threads besides the main ones, from location FIRST on, the time of what they ran. */
void measurement_add_threads(struct measurement *measurement, size_t first);

/* The events of all locations. */
uint64_t measurement_events(const struct measurement *measurement);

/* Where the regions of LOCATION begin: PATH_PROGRAM or PATH_THREADS. */
uint32_t measurement_root(const struct measured_location *location);

/* The time of PATH in LOCATION. */
struct measured_time measurement_time(const struct measured_location *location, uint32_t path);

/* The time of PATH in LOCATION without that of the call paths below it, in nanoseconds. */
uint64_t measurement_own_time(const struct measurement *measurement,
                              const struct measured_location *location, uint32_t path);
