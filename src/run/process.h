/* Child processes: started by argument vector, never through a shell. */
#ifndef NBSCOREP_RUN_PROCESS_H
#define NBSCOREP_RUN_PROCESS_H

#include <stdbool.h>

#include "base/arena.h"
#include "base/slice.h"

/* What to start. */
struct process_order {
	const char *const
	        *argv; /* argv[0] is looked for on PATH unless it holds a slash; ends with NULL */
	struct slice input;       /* what it reads on its standard input, then the end */
	size_t limit;             /* bytes that are kept of its output, and of its errors */
	char *const *environment; /* NULL: this program's */
};

/* What came of it. Texts live in the arena. */
struct process_result {
	struct slice out, err; /* the first bytes that it wrote, up to the limit */
	int status;            /* as waitpid() gives it */
	bool started;          /* also where it could not be talked to */
};

/* Starts a child, writes to it and reads from it until it ends. It inherits the
 * folder and none of this program's descriptors, and blocks no signal. A child that does not read all of its input is no
 * failure. Returns 0, or -1 with errno when it could not be started or talked to; then none is
 * left. SIGPIPE is ignored meanwhile, in this whole process. */
int process_run(struct arena *arena, const struct process_order *order, struct process_result *out);

/* How the child ended, for a message: "ended with status 2", "was killed by signal 9". */
struct slice process_ending(struct arena *arena, int status);

#endif
