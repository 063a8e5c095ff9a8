/* Asks programs for short answers: many in parallel, with a time limit, without trusting them. */
#ifndef NBSCOREP_PROCESS_PROBE_H
#define NBSCOREP_PROCESS_PROBE_H

#include "base/arena.h"
#include "base/slice.h"

enum probe_end {
	PROBE_NOT_STARTED, /* see ERROR */
	PROBE_ENDED,       /* see STATUS */
	PROBE_TIMED_OUT,   /* killed at the time limit */
	PROBE_TOO_LONG,    /* killed because it wrote more than PROBE_OUTPUT_MAX */
};

enum { PROBE_OUTPUT_MAX = 1 << 16 }; /* bytes of each stream */

struct probe {
	const char *const *argv; /* argv[0] is a path; ends with NULL */
	enum probe_end end;      /* from here on: the result */
	int status;              /* as waitpid() gives it */
	int error;               /* errno of the start */
	struct slice out, err;   /* what it wrote; arena memory */
};

/* Starts the program of each of PROBES, with an empty standard input, and waits for all of them, at
 * most SECONDS. Each leads a process group, which is killed when the program ends, so no process of
 * these groups is left. SIGINT, SIGTERM and SIGHUP end this program as usual, after the groups.
 * Returns 0, or -1 and sets errno if no program was started. */
int probe_all(struct arena *arena, struct probe *probes, size_t count, unsigned seconds);

#endif
