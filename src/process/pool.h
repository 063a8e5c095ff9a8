/* Several programs side by side, at most so many at a time: the runs of a sweep. Each leads a process
 * group of its own, reads nothing and writes into a file of its own. */
#ifndef NBSCOREP_PROCESS_POOL_H
#define NBSCOREP_PROCESS_POOL_H

#include <sys/types.h>

#include "process/launch.h"

enum pool_state {
	POOL_WAITING, /* has not run; at the end: because the pool was asked to end */
	POOL_RUNNING,
	POOL_LEFT, /* it has ended, but not what it left in its group */
	POOL_ENDED,
	POOL_NOT_STARTED, /* ERROR says why */
};

struct pool_program {
	const char *output; /* new file for its standard output and error */
	enum pool_state state;
	int status; /* as waitpid() gives it */
	int error;  /* errno */
	pid_t pid;
	pid_t left; /* the group of what it started and left, besides its own; 0: there is none */
	double begin, seconds; /* when it began (os_seconds()), and how long it ran */
	double deadline;       /* os_seconds(); 0: none */
	bool timed_out;        /* it was asked to end */
	bool was_slow;         /* and was killed */
	bool left_killed;      /* what it left got SIGKILL */
	struct growth growth;
};

/* What runs. */
struct pool {
	char *const *argv; /* of all of them; argv[0] is looked for on PATH */
	char *const *environment;
	struct pool_program *programs;
	size_t count, at_once;
	double timeout;    /* seconds until a program gets SIGTERM; 0: none */
	double kill_after; /* seconds until what was asked to end is killed, and again while the files
	                      of a program grow */
	/* Called in front of each start: makes what PROGRAM needs, such as the folder of its output, and
	 * may change the environment for it. 0, or the errno with which it is not started. It may
	 * allocate no memory. */
	int (*prepare)(const struct pool *pool, const struct pool_program *program, void *data);
	/* The group in which PROGRAM, which has ended, started others, or 0. It may allocate no memory. */
	pid_t (*left)(const struct pool *pool, const struct pool_program *program, void *data);
	/* Looked at while it runs: when PROGRAM has changed its state, and each second (NULL). It may
	 * allocate no memory. */
	void (*look)(const struct pool *pool, const struct pool_program *program, void *data);
	void *data;
	size_t started, running, ended; /* so far */
	int signal;                     /* the first one that asked for the end, or 0 */
	bool asked;                     /* SIGTERM was sent */
	double asked_at;                /* then: os_seconds() */
};

/* Runs them in their order under GUARD. INT, TERM, HUP and QUIT start no more and send SIGTERM to
 * those that run, and kill them with all that they have started the second time, if that is a second
 * later or more; USR1 and USR2 start no more and are sent on. What a program leaves in its group gets
 * SIGTERM, and SIGKILL after KILL_AFTER; until it has ended the next program waits. All that run get
 * SIGTERM when this program is killed. */
void pool_run(struct pool *pool, const struct launch_guard *guard);

/* True if PROGRAM ran to its end in time, with status 0. */
bool pool_went_well(const struct pool_program *program);

#endif
