/* Holds signals while this program waits for children. Signals that ask it to end act afterwards, so
 * that the children can be ended first. */
#ifndef NBSCOREP_PROCESS_HOLD_H
#define NBSCOREP_PROCESS_HOLD_H

#include "process/spawn.h"

struct hold {
	struct spawn_signals before; /* for the children */
	int stops; /* readable after a signal that asks this program to end; do not read from it */
	int ended; /* readable after a child has ended, until hold_forget_ended() */
};

/* Blocks SIGINT, SIGTERM, SIGHUP and SIGQUIT, except ignored ones, and SIGCHLD. Ignores SIGPIPE. Gives
 * SIGCHLD its default action, because children cannot be waited for if it is ignored. Returns 0, or -1
 * and sets errno; nothing has changed then. */
int hold_begin(struct hold *hold);

void hold_forget_ended(const struct hold *hold);

/* Lets signals act as before. Keeps errno. */
void hold_end(struct hold *hold);

#endif
