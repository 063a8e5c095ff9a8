/* Starts programs that do not outlive this one. */
#pragma once

#include <signal.h>
#include <sys/types.h>

#include "base/base.h"

/* Signal settings: the mask, and the actions of SIGPIPE and SIGCHLD. */
struct spawn_signals {
	sigset_t mask;
	struct sigaction pipe_action, child_action;
};

/* Blocks the signals of HELD, ignores SIGPIPE, and gives SIGCHLD its default action, because children cannot
 * be waited for if it is ignored. Saves the settings before that in BEFORE. */
void spawn_signals_hold(const sigset_t *held, struct spawn_signals *before);

/* Sets SIGNALS. */
void spawn_signals_set(const struct spawn_signals *signals);

enum { SPAWN_STREAMS = 3 };

/* Limits of each process of a program; a stricter limit of this program stays in force. */
struct spawn_limits {
	unsigned cpu_seconds; /* then SIGXCPU ends it; 0: no limit */
	size_t memory;        /* bytes of its address space; 0: no limit */
};

/* What to start. */
struct spawn_order {
	const char *const
	        *argv; /* argv[0] is searched for on PATH unless it has a slash; ends with NULL */
	char *const *environment;
	const struct spawn_signals *signals; /* those of the program */
	bool own_group;                      /* it leads a process group */
	bool own_session;                    /* it leads a session */
	int end_signal;     /* it gets this signal if this program ends first; 0: none */
	const char *folder; /* it starts there; NULL: in this program's folder */
	const int *streams; /* descriptors for its standard streams; NULL: this program's */
	struct spawn_limits limits;
};

/* Starts a program. It gets its END_SIGNAL even if SIGKILL ends this program, or if this program ends
 * during the start. Returns the PID, or -1 and sets errno if it could not be started. */
pid_t spawn(const struct spawn_order *order);

/* Kills the process PID and all of its descendants except orphans, in any process group. */
void spawn_kill(pid_t pid);

/* Sends signal NUMBER (0: none) to all descendants of PARENT for which ID_OF, getpgid() or getsid(), has ID.
 * Returns true if it has such a descendant. */
bool spawn_signal_descendants(pid_t parent, pid_t (*id_of)(pid_t pid), pid_t id, int number);
