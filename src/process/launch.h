/* Runs a program to its end. The program gets the standard descriptors, the signals that this program
 * receives, and a time limit. Its processes are ended with it.
 *
 * Without a controlling terminal, the program leads a process group of its own. SIGINT, SIGHUP and
 * SIGQUIT are sent to this group, the other signals to the program alone. With a controlling terminal,
 * the program stays in this program's group, which the shell has made: the terminal sends Ctrl-C and
 * Ctrl-Z to both, and the program and the others of a pipeline can read from it. A signal from the
 * terminal is then not sent on, because the program has already received it. */
#ifndef NBSCOREP_PROCESS_LAUNCH_H
#define NBSCOREP_PROCESS_LAUNCH_H

#include <signal.h>
#include <stdbool.h>
#include <sys/types.h>

#include "base/arena.h"
#include "process/spawn.h"

/* How long a program may take to end after it was asked to: while its files grow, it writes its
 * measurements, and a kill would leave broken files. */
struct growth {
	long long (*measure)(
	        void *data); /* bytes of the files so far; must not longjmp. NULL: none */
	void *data;
	long long size; /* when it was last asked */
	unsigned times; /* how often it had grown */
};

/* While a guard holds the signals that are sent on, they cannot end this program between two steps. */
struct launch_guard {
	sigset_t held;
	struct spawn_signals before; /* restored in the program */
};

/* Begins to hold INT, TERM, HUP, QUIT, USR1, USR2 and CHLD, and ignores SIGPIPE. */
void launch_guard_begin(struct launch_guard *guard);

/* Takes a pending signal, held by a guard, that asks this program to end. Returns its number, or 0. */
int launch_guard_pending(void);

/* Drops pending signals, and lets signals act again. */
void launch_guard_end(const struct launch_guard *guard);

/* Callbacks that watch the program while it runs. */
struct launch_watch {
	int descriptor;                       /* LOOK is called when it is readable */
	unsigned every;                       /* and at this interval, in milliseconds; 0: none */
	void (*look)(void *data);             /* must not longjmp; may block only on disk I/O */
	void (*begin)(void *data, pid_t pid); /* after the program's start; may be NULL */
	void (*stop)(void *data);             /* before SIGTSTP stops this program; may be NULL */
	void *data;
};

enum { LAUNCH_WATCHES_MAX = 2 };

/* What to start. */
struct launch_order {
	char *const *argv; /* argv[0] is its path; ends with NULL */
	char *const *environment;
	double timeout;    /* seconds until it gets SIGTERM; 0: no limit */
	double kill_after; /* seconds from SIGTERM to SIGKILL, repeated while its files grow */
	struct growth growth;
	bool ends_orphans; /* of its session, in any group, because a run script starts programs in groups
	                      of their own */
	bool independent; /* it may outlive this program, and the processes that it leaves keep running */
	const struct launch_watch *watches[LAUNCH_WATCHES_MAX + 1]; /* NULL ends them */
};

struct launch_result {
	int status;     /* as waitpid() gives it */
	bool timed_out; /* it got SIGTERM at the time limit */
	bool was_slow;  /* it then got SIGKILL */
};

/* Starts the program under GUARD and waits for it. Unless it is INDEPENDENT, the processes that it
 * leaves, in its group or as orphans if ENDS_ORPHANS, get SIGTERM, and SIGKILL after KILL_AFTER.
 * Returns 0, or -1 and sets errno if it could not be started. */
int launch(const struct launch_order *order, const struct launch_guard *guard,
           struct launch_result *result);

/* ---- several programs ---- */

/* Runs several programs in parallel, up to a maximum number at a time: the runs of a sweep. Each leads
 * a process group of its own, has an empty input and writes into a file of its own. */

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
