/* Starting a program that does not outlive this one. */
#ifndef NBSCOREP_RUN_SPAWN_H
#define NBSCOREP_RUN_SPAWN_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct launch_given;
struct launch_guard;

/* What to start. */
struct spawn_order {
	char *const
	        *argv; /* argv[0] is looked for on PATH unless it holds a slash; ends with NULL */
	char *const *environment;
	const struct launch_guard *guard; /* signals act in it as they did before the guard */
	bool own_group;                   /* it leads a process group */
	bool independent;                 /* this program's end is nothing to it */
	const char
	        *output; /* it reads nothing, and writes into this file, which is emptied; NULL: it
	                       has this program's standard descriptors */
	const struct launch_given *given; /* descriptors that it gets besides */
	size_t given_count;
};

/* Starts it; unless it is independent it gets SIGTERM when this program ends first, even by
 * SIGKILL. Returns its process, or -1 with errno when it could not be started. */
pid_t spawn(const struct spawn_order *order);

/* Kills a program and all that it has started and not left, in whatever process groups. */
void spawn_kill(pid_t pid);

/* A child that has ended and was not waited for, with its STATUS as waitpid() gives it; 0 or -1:
 * there is none. */
pid_t spawn_next_ended(int *status);

#endif
