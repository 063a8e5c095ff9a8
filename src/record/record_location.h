/* Internal to src/record: a thread's events, open regions and call paths. */
#pragma once

#include "record/number_table.h"
#include "record/python_abi.h"
#include "record/recording.h"
#include "record/store.h"

/* Marks a function that most events do not call. It is not inlined into those that they do call, which then save fewer
 * registers, and the compiler takes the branch to it for the unlikely one. */
#define RARE __attribute__((cold, noinline))

/* A thread. */
struct location {
	uint64_t *next, *end;            /* of the chunk of events */
	uint64_t base, last;             /* ticks */
	struct recording_location *head; /* NULL: nothing was recorded yet */
	struct recording_frame *frames;  /* after HEAD in its file */
	PyObject **codes;                /* of FRAMES; NULL for a user's region */
	uint32_t capacity;               /* of FRAMES */
	uint32_t node_capacity;
	struct recording_latest *latest; /* NULL: no trace */
	bool is_recording;               /* calls of Python functions */
	bool is_held;                    /* a thread that threading has started, before its run() */
	bool is_busy;                 /* finds out what a region is, in which Python code may run */
	struct recording_node *nodes; /* NULL: no profile */
	struct number_table children; /* nodes by parent and region */
	struct store *head_store, *node_store, *latest_store;
	uint32_t number;
	uint32_t skipped; /* calls that run and are not recorded, for lack of room */
};

extern __thread struct location *location_here __attribute__((tls_model("initial-exec")));

/* The location of this thread, which is made at first, without files until it records. NULL if nothing is
 * recorded. */
RARE struct location *location_get(void);

/* Lets the calls of LOCATION be recorded or not, and counts it. The hook is its caller's. */
void location_set_recording(struct location *location, bool records);

/* Writes what this thread has recorded, where files are not mapped. */
void location_flush(void);

/* CODE: whose call it is; NULL: a user's region. */
void location_enter(struct location *location, uint32_t region, PyObject *code);

/* Leaves REGION and what was entered after it. Does nothing if it was not entered. */
void location_leave(struct location *location, uint32_t region);

/* Leaves the regions whose functions have ended while nothing was recorded: whose codes are not among the COUNT
 * CODES of the functions that run, the outermost first. */
void location_leave_ended(struct location *location, PyObject *const *codes, size_t count);

/* The same for the region of CODE. Returns false if CODE has none. */
bool location_leave_code(struct location *location, PyObject *code);
