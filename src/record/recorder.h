/* Internal to src/record: the recording of this process. All of the recorder but mpi.c is used with the global interpreter
 * lock held, so nothing is locked. */
#pragma once

#include "record/clock.h"
#include "record/recording.h"
#include "record/store.h"

/* What a recording is asked for. */
struct recorder_order {
	char directory[4096]; /* the experiment directory, an absolute path */
	char script[4096];    /* whose lines are sampled; empty: none */
	bool profiling, tracing;
	bool starts_with_main; /* nothing is recorded before the first code of the module __main__ */
	uint64_t limit;        /* bytes of events; 0: none */
	uint32_t depth;        /* of call paths */
};

/* This process. */
struct recorder {
	struct recorder_order order;
	char folder[4400]; /* of this process; empty: not recording yet */
	enum recording_clock clock;
	struct recording_process *process;
	struct store *process_store;
	uint32_t location_count;
	_Atomic uint32_t
	        recording_count; /* locations that are recording; threads end without the lock */
	uint64_t event_size;     /* bytes of all chunks */
	bool is_on; /* recording was not switched off by disable_recording() or the end */
	bool new_threads_record;
	bool awaits_main;
	bool is_forked;        /* a child that has nothing of its own yet */
	bool fork_records;     /* its thread was recording */
	unsigned version;      /* of Python: 100 * major + minor */
	uintptr_t main_thread; /* pthread_self() of it */
};

extern struct recorder recorder;

/* Begins the recording of this process: makes its folder and files. Returns 0, or -1 and sets errno. */
int recorder_begin(void);

/* Notes that the process runs at this moment, for the rate of the clock. */
void recorder_see(void);

/* Notes and prints the reason why no events are recorded any more: errno, or RECORDING_LIMIT. */
void recorder_end_trace(int error);

/* Notes and prints that calls are not recorded for a reason that may pass: errno. */
void recorder_note_gap(int error);
