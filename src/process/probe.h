/* Asking programs for a few words: many at once, with a time limit, none of them trusted. */
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

/* Starts the program of each of PROBES, with nothing on standard input, and waits for them all, at
 * most SECONDS. Each is the leader of a process group, which is killed when the program ends: no
 * process of these groups is left. SIGINT, SIGTERM and SIGHUP end this program as ever, after the
 * groups. Returns 0, or -1 with errno when nothing was asked. */
int probe_all(struct arena *arena, struct probe *probes, size_t count, unsigned seconds);

#endif
