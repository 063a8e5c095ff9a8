/* Child processes: started by argument vector, never through a shell. None outlives this program. */
#ifndef NBSCOREP_PROCESS_PROCESS_H
#define NBSCOREP_PROCESS_PROCESS_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/arena.h"
#include "base/slice.h"
#include "process/spawn.h"

/* What a child may use. */
struct process_limits {
	double seconds; /* from the start, or from a question, to the end of its answer; 0: any time */
	struct spawn_limits resources; /* of its whole life */
};

/* What to start. */
struct process_order {
	const char *const
	        *argv; /* argv[0] is looked for on PATH unless it holds a slash; ends with NULL */
	struct slice input;       /* what it reads on its standard input, then the end */
	size_t limit;             /* bytes that are kept of its output, and of its errors */
	char *const *environment; /* NULL: this program's */
	const char *folder;       /* in which it starts; NULL: this program's */
	struct process_limits limits;
	bool own_group;  /* it leads a process group, which ends with it; without: it may ask at the
	                   terminal */
	bool to_the_end; /* signals that ask this program to end wait for the child's end */
};

/* The outcome. Texts live in the arena. */
struct process_result {
	struct slice out, err; /* the first bytes that it wrote, up to the limit */
	int status;            /* as waitpid() gives it, if the child has ended */
	bool started;          /* also if talking to it failed */
};

/* Starts a child, writes to it and reads from it until it ends. It inherits none of this program's
 * descriptors, and blocks no signal. A child that does not read all of its input has not failed.
 * Returns 0, or -1 and sets errno if it could not be started or talked to; then it has ended:
 * ETIMEDOUT at the time limit, EINTR if a signal asked this program to end. SIGPIPE is ignored
 * meanwhile, in this whole process. */
int process_run(struct arena *arena, const struct process_order *order, struct process_result *out);

/* A child that answers one question after the other. Zeroed: none is running. */
struct process {
	pid_t pid;   /* 0: none is running */
	int ends[3]; /* our ends of its standard streams; -1: closed */
	bool own_group;
};

/* Starts the child of ORDER unless one is running, writes the order's INPUT and reads until a line that is
 * LAST_LINE. The texts of OUT are those of this answer. Returns 0, or -1 and sets errno as process_run()
 * does, or to ECHILD if the child has ended without that line, to EMSGSIZE if its answer exceeds the
 * order's limit; then no child is running. If memory runs out, process_end() must end the
 * child. */
int process_ask(struct arena *arena, struct process *process, const struct process_order *order,
                struct slice last_line, struct process_result *out);

/* Kills the child if there is one, and its group if it leads one. */
void process_end(struct process *process);

/* Why one of these failed, for a message: "cannot start 'sacct': Permission denied", "'sacct' takes
 * longer than 60 s". ERROR is its errno. */
struct slice process_problem(struct arena *arena, const struct process_order *order,
                             const struct process_result *result, int error);

/* How the child ended, for a message: "ended with status 2", "was killed by signal 9". */
struct slice process_ending(struct arena *arena, int status);

#endif
