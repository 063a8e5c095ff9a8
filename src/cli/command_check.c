#include <unistd.h>

#include "cli/session.h"

static void check(struct compilation *c, const struct options *options)
{
	(void)c;
	(void)options;
}

int command_check(struct invocation *invocation)
{
	return session_run(invocation, STDOUT_FILENO, check);
}
