/* Runs a program to its end. The program gets the standard descriptors, the signals that this program
 * receives, and a time limit. Its processes are ended with it.
 *
 * Without a controlling terminal, the program leads a process group of its own. SIGINT, SIGHUP and
 * SIGQUIT are sent to this group, the other signals to the program alone. With a controlling terminal,
 * the program stays in this program's group, which the shell has made: the terminal sends Ctrl-C and
 * Ctrl-Z to both, and the program and the others of a pipeline can read from it. A signal from the
 * terminal is then not sent on, because the program has already received it. */
#pragma once

#include <signal.h>
#include <sys/types.h>

#include "process/spawn.h"

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
	const char *const *argv; /* argv[0] is its path; ends with NULL */
	char *const *environment;
	double timeout;    /* seconds until it gets SIGTERM; 0: no limit */
	double kill_after; /* seconds from SIGTERM to SIGKILL, repeated while its files grow */
	/* Bytes of its files so far, of DATA, which is GROWING; must not longjmp; NULL: none. While they grow, it
	 * writes its measurements, and a kill would leave broken files. */
	long long (*growth)(void *data);
	void *growing;
	bool ends_orphans; /* of its session, in any group, because a run script starts programs in groups
	                      of their own */
	const int *streams; /* descriptors for its standard streams; NULL: this program's */
	bool independent; /* it may outlive this program, and the processes that it leaves keep running */
	const struct launch_watch *watches[LAUNCH_WATCHES_MAX + 1]; /* NULL ends them */
};

struct launch_result {
	int status;     /* as waitpid() gives it */
	double end;     /* os_seconds() */
	bool timed_out; /* it got SIGTERM at the time limit */
	bool was_slow;  /* it then got SIGKILL */
};

/* Starts the program under GUARD and waits for it. Unless it is INDEPENDENT, the processes that it
 * leaves, in its group or as orphans if ENDS_ORPHANS, get SIGTERM, and SIGKILL after KILL_AFTER.
 * Returns 0, or -1 and sets errno if it could not be started. */
int launch(const struct launch_order *order, const struct launch_guard *guard,
           struct launch_result *result);
