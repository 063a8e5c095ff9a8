/* The files of a recording, which the recorder writes and trace/ reads (nbscorep-experiment(5)).
 *
 *     DIRECTORY/recording/PID/process     struct recording_process, then the script and the command's words, each with a NUL
 *                             regions     struct recording_region, then its strings, one after the other
 *                             lines       struct recording_line, a table of them
 *                             N.location  struct recording_location, then its open regions
 *                             N.nodes     struct recording_node, the call paths of location N
 *                             N.latest    struct recording_latest, the latest events of location N
 *                             N.events    the events before them, in chunks
 *
 * All but `regions` and the chunks are mapped and shared, so what a process has stored stays when it is killed,
 * in the order in which it was stored. (Chunks that are mapped cost a page fault each 512 events, 8 to 22 ns per
 * call.) Numbers have the machine's byte order. A mapped file may be longer than its content, with zeros after
 * it. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#define RECORDING_FOLDER "recording"
#define RECORDING_MAGIC "nbscorep recording 3"

enum recording_clock {
	RECORDING_CLOCK_NANOSECONDS, /* CLOCK_MONOTONIC */
	RECORDING_CLOCK_COUNTER,     /* the processor's counter, of constant rate */
};

/* The same moment on three clocks. */
struct recording_instant {
	uint64_t ticks;     /* of the recording's clock */
	uint64_t monotonic; /* nanoseconds */
	int64_t since_1970; /* nanoseconds */
};

struct recording_process {
	char magic[24];
	char host[64];
	char interpreter[32]; /* "python3.11" */
	int32_t pid;
	uint64_t
	        pid_start; /* field 22 of /proc/PID/stat, which differs between two processes of one number */
	uint32_t clock; /* enum recording_clock */
	uint32_t profiling, tracing;
	uint32_t ended;      /* enum recording_end */
	int32_t trace_error; /* why the trace ended early: errno, or RECORDING_LIMIT; else 0 */
	int32_t gap_error;   /* why calls are missing: errno; else 0 */
	uint32_t words_size; /* bytes of the command's words */
	struct recording_instant first;
	struct recording_instant seen[2]; /* the process ran at the moment seen[LATEST] */
	uint32_t latest;
	uint32_t
	        script_size; /* bytes of the path of the script whose lines are sampled, with its NUL; or 0 */
};

enum { RECORDING_LIMIT = -1 };

enum recording_end {
	RECORDING_UNENDED,   /* the process runs, or was killed */
	RECORDING_ENDED,     /* by the process itself, whose open regions end at seen[LATEST] */
	RECORDING_ENDED_OFF, /* the same, while nothing was recorded */
};

enum recording_region_kind {
	RECORDING_FUNCTION,
	RECORDING_USER, /* of scorep.user.region() and the like */
};

/* Region number N is the Nth record, from 1 on. Strings are UTF-8 and end with a NUL: module, name, file. */
struct recording_region {
	uint32_t size; /* of the record, with its strings */
	uint32_t kind;
	uint32_t line;
};

/* Sampled time, in nanoseconds. */
struct line_time {
	uint64_t total;
	uint64_t cpu;    /* of it on a processor */
	uint64_t native; /* of CPU: in C code, such as numpy, rather than in Python's interpreter */
	uint64_t delay;  /* of TOTAL waiting for a processor that others used */
	uint64_t lock;   /* of TOTAL waiting for the interpreter's lock */
};

/* Time of the main thread of the first process in lines of the script: INNER is the line of the innermost frame of the
 * script's own code, OUTER that of the outermost one. Both are 0 where none of its code runs. */
struct recording_line {
	uint32_t outer, inner;
	struct line_time time;
};

enum { RECORDING_LINES = 1 << 14 }; /* of the table; a free one has no time */

struct recording_location {
	char name[64];
	int32_t thread;  /* of the kernel */
	uint32_t depth;  /* of open regions */
	uint32_t nodes;  /* number of call paths */
	uint32_t is_off; /* nothing is recorded since ENDS, where regions that are open end, too */
	uint64_t ends;   /* ticks of the last leave */
};

/* An open region. */
struct recording_frame {
	uint32_t region, node;
	uint64_t enter; /* ticks */
};

/* A call path. Node 0 is the location itself. Times are in ticks and include callees. */
struct recording_node {
	uint32_t region, parent;
	uint32_t latest, unused; /* the child that was entered last */
	uint64_t visits;         /* that have ended */
	uint64_t time, min, max;
};

/* An event is a word: ticks since the base << 26 | region << 2 | kind. The word after RECORDING_BASE is the base,
 * in ticks; each chunk begins with one. Zero ends a chunk. */
enum recording_event { RECORDING_NONE, RECORDING_ENTER, RECORDING_LEAVE, RECORDING_BASE };
enum { RECORDING_REGION_SHIFT = 2, RECORDING_TIME_SHIFT = 26, RECORDING_CHUNK = 32768 /* words */ };
#define RECORDING_REGION_MAX ((1u << 24) - 1)
#define RECORDING_TIME_MAX ((UINT64_C(1) << 38) - 1)

/* The file of events has CHUNKS chunks. The one after them is in words[CHUNKS % 2]. The file of a thread that has
 * ended has only what is used. */
struct recording_latest {
	uint64_t chunks;
	uint64_t words[2][RECORDING_CHUNK];
};
