#include <unistd.h>

#include "cli/session.h"

static void check(struct compilation *c, const struct options *options, void *data)
{
	(void)c;
	(void)options;
	(void)data;
}

int command_check(struct invocation *invocation)
{
	return session_run(invocation, STDOUT_FILENO, check, NULL);
}
