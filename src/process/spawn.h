/* Starting a program that does not outlive this one. */
#ifndef NBSCOREP_PROCESS_SPAWN_H
#define NBSCOREP_PROCESS_SPAWN_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* How signals act: the mask, and the actions of SIGPIPE and SIGCHLD. */
struct spawn_signals {
	sigset_t mask;
	struct sigaction pipe_action, child_action;
};

/* A descriptor of this program that the started one gets, and its number there. */
struct spawn_given {
	int descriptor, number;
};

enum { SPAWN_GIVEN_MAX = 3 };

/* What a program may use, each of its processes by itself; a stricter limit of this program stays. */
struct spawn_limits {
	unsigned cpu_seconds; /* then SIGXCPU ends it; 0: no limit */
	size_t memory;        /* bytes of its address space; 0: no limit */
};

/* What to start. */
struct spawn_order {
	char *const
	        *argv; /* argv[0] is looked for on PATH unless it holds a slash; ends with NULL */
	char *const *environment;
	const struct spawn_signals *signals; /* how they act in it */
	bool own_group;                      /* it leads a process group */
	int end_signal;     /* it gets this signal when this program ends first; 0: none */
	const char *folder; /* it starts there; NULL: in this program's folder */
	const char *output; /* it reads nothing, and writes into this new file; NULL: it has this
	                    program's standard descriptors */
	const struct spawn_given *given; /* descriptors that it gets besides */
	size_t given_count;
	struct spawn_limits limits;
};

/* Starts it. Its END_SIGNAL reaches it even if this program is killed by SIGKILL, and if that ends
 * while the other one is started. Returns its process, or -1 with errno if it could not be
 * started. */
pid_t spawn(const struct spawn_order *order);

/* Kills a program and all that it has started and not left, in whatever process groups. */
void spawn_kill(pid_t pid);

/* Sends signal NUMBER (0: none) to all descendants of this process in process group GROUP, which can have
 * other members. Returns true if there is one. */
bool spawn_signal_descendants(pid_t group, int number);

/* Sends signal NUMBER (0: none) to the children that processes of this session have left to this one, a
 * subreaper. Returns true if there is one. */
bool spawn_signal_orphans(int number);

/* A child that has ended and was not waited for, with its STATUS as waitpid() gives it; 0 or -1:
 * there is none. */
pid_t spawn_next_ended(int *status);

#endif
