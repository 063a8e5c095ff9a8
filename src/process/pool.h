/* Runs several programs in parallel, up to a maximum number at a time: the runs of a sweep. Each leads
 * a process group of its own, has an empty input and writes into a file of its own. */
#ifndef NBSCOREP_PROCESS_POOL_H
#define NBSCOREP_PROCESS_POOL_H

#include <sys/types.h>

#include "process/launch.h"

enum pool_state {
	POOL_WAITING, /* has not run; at the end: the pool was asked to end */
	POOL_RUNNING,
	POOL_LEFT, /* it has ended, but processes of its groups have not */
	POOL_ENDED,
	POOL_NOT_STARTED, /* see ERROR */
};

struct pool_program {
	const char *output; /* new file for its standard output and error */
	enum pool_state state;
	int status; /* as waitpid() gives it */
	int error;  /* errno */
	pid_t pid;
	pid_t left;            /* a second group of processes that it started and left; 0: none */
	double begin, seconds; /* its start (os_seconds()), and its duration */
	double deadline;       /* os_seconds(); 0: none */
	bool timed_out;        /* it got SIGTERM at the time limit */
	bool was_slow;         /* it was then killed */
	bool left_killed;      /* the processes that it left got SIGKILL */
	struct growth growth;
};

/* The programs and their limits. */
struct pool {
	char *const *argv; /* of all programs; argv[0] is searched for on PATH */
	char *const *environment;
	struct pool_program *programs;
	size_t count, at_once;
	double timeout;    /* seconds until a program gets SIGTERM; 0: no limit */
	double kill_after; /* seconds from SIGTERM to SIGKILL, repeated while the files of a program
	                      grow */
	/* Called before each start: makes what PROGRAM requires, such as the folder of its output, and
	 * may change the environment for it. Returns 0, or an errno that prevents the start. Must not
	 * allocate memory. */
	int (*prepare)(const struct pool *pool, const struct pool_program *program, void *data);
	/* Returns the group in which PROGRAM, which has ended, started processes, or 0. Must not allocate
	 * memory. */
	pid_t (*left)(const struct pool *pool, const struct pool_program *program, void *data);
	/* Called when PROGRAM has changed its state, and each second with NULL. Must not allocate
	 * memory. */
	void (*look)(const struct pool *pool, const struct pool_program *program, void *data);
	void *data;
	size_t started, running, ended; /* so far */
	int signal;                     /* the first signal that stopped further starts, or 0 */
	bool asked;                     /* SIGTERM was sent */
	double asked_at;                /* when; os_seconds() */
};

/* Runs the programs in order under GUARD. After INT, TERM, HUP or QUIT, no more programs are started
 * and the running ones get SIGTERM. The second of these signals, at least a second later, kills them
 * with all their descendants. After USR1 or USR2, no more programs are started and the signal is sent
 * on. Processes that a program leaves in its groups get SIGTERM, and SIGKILL after KILL_AFTER; the
 * next program starts after their end. The running programs get SIGTERM if this program is killed. */
void pool_run(struct pool *pool, const struct launch_guard *guard);

/* True if PROGRAM ran to its end in time, with status 0. */
bool pool_went_well(const struct pool_program *program);

#endif
