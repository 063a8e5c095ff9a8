/* Running a program to its end: it gets the standard descriptors, the signals that this program
 * gets, and as much time as it may take; nothing of it is left when it has ended.
 *
 * Without a terminal the program leads a process group of its own, which SIGINT,
 * SIGHUP and SIGQUIT are sent to; the others are for the program alone. Where
 * there is a controlling terminal it stays in this program's group, which the shell has made: the
 * terminal sends Ctrl-C and Ctrl-Z to both, the program can read from it, and so can the others of
 * a pipeline. A signal that comes from the terminal is then not sent on, as the program has it. */
#ifndef NBSCOREP_PROCESS_LAUNCH_H
#define NBSCOREP_PROCESS_LAUNCH_H

#include <signal.h>
#include <stdbool.h>

#include "base/arena.h"
#include "process/growth.h"
#include "process/spawn.h"

/* While it holds, the signals that are sent on end this program at no point between two steps. */
struct launch_guard {
	sigset_t held;
	struct spawn_signals before; /* the program gets them back */
};

/* Begins to hold INT, TERM, HUP, QUIT, USR1, USR2, and ignores SIGPIPE. */
void launch_guard_begin(struct launch_guard *guard);

/* One of the held signals that asks for an end and has come by now, or 0. */
int launch_guard_pending(const struct launch_guard *guard);

/* Drops what has come, and lets signals act again. */
void launch_guard_end(const struct launch_guard *guard);

/* Somebody who looks on while the program runs. */
struct launch_watch {
	int descriptor;           /* LOOK is called when there is something to read from it */
	unsigned every;           /* and every so many milliseconds; 0: not */
	void (*look)(void *data); /* throws nothing, and waits for nobody but a disk */
	void (*begin)(void *data, pid_t pid); /* the program has been started; NULL: nothing */
	void (*stop)(void *data); /* before this program stops by SIGTSTP; NULL: that stops it */
	void *data;
};

/* What to start. */
struct launch_order {
	char *const *argv; /* argv[0] is its path; ends with NULL */
	char *const *environment;
	double timeout;    /* seconds until it gets SIGTERM; 0: none */
	double kill_after; /* seconds from SIGTERM to SIGKILL, and again while its files grow */
	struct growth growth;
	struct spawn_given given[SPAWN_GIVEN_MAX];
	size_t given_count;
	bool ends_orphans; /* of its session, whatever their groups: a run script starts programs in groups
	                      of their own */
	bool independent; /* it outlives this program, and what it leaves behind goes on */
	const struct launch_watch *watch; /* NULL: none */
};

struct launch_result {
	int status;     /* as waitpid() gives it */
	bool timed_out; /* it was asked to end */
	bool was_slow;  /* and got SIGKILL */
};

/* Starts the program under GUARD and waits for it. What it leaves behind, in its group or as an orphan
 * if it ENDS_ORPHANS, gets SIGTERM, and SIGKILL after KILL_AFTER, unless it is independent. Returns 0, or -1 with errno
 * when it could not be started. */
int launch(const struct launch_order *order, const struct launch_guard *guard,
           struct launch_result *result);

#endif
