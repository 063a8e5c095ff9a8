#include "process/hold.h"

#include <errno.h>
#include <sys/signalfd.h>
#include <unistd.h>

static const int asking[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};

/* A blocked signal stays pending even if its action is to ignore it. */
static bool is_ignored(int number)
{
	struct sigaction action;
	return sigaction(number, NULL, &action) == 0 && action.sa_handler == SIG_IGN;
}

static void close_end(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

int hold_begin(struct hold *hold)
{
	struct sigaction ignore = {.sa_handler = SIG_IGN}, standard = {.sa_handler = SIG_DFL};
	sigset_t stops, ended, both;
	sigemptyset(&stops);
	for (size_t i = 0; i < sizeof asking / sizeof *asking; i++) {
		if (!is_ignored(asking[i]))
			sigaddset(&stops, asking[i]);
	}
	sigemptyset(&ended);
	sigaddset(&ended, SIGCHLD);
	both = stops;
	sigaddset(&both, SIGCHLD);
	sigprocmask(SIG_BLOCK, &both, &hold->before.mask);
	sigaction(SIGPIPE, &ignore, &hold->before.pipe_action);
	sigaction(SIGCHLD, &standard, &hold->before.child_action);
	hold->stops = signalfd(-1, &stops, SFD_CLOEXEC | SFD_NONBLOCK);
	hold->ended = hold->stops < 0 ? -1 : signalfd(-1, &ended, SFD_CLOEXEC | SFD_NONBLOCK);
	if (hold->ended >= 0)
		return 0;
	hold_end(hold);
	return -1;
}

void hold_forget_ended(const struct hold *hold)
{
	struct signalfd_siginfo info;
	while (read(hold->ended, &info, sizeof info) > 0)
		;
}

void hold_end(struct hold *hold)
{
	int error = errno;
	close_end(&hold->stops);
	close_end(&hold->ended);
	sigaction(SIGPIPE, &hold->before.pipe_action, NULL);
	sigaction(SIGCHLD, &hold->before.child_action, NULL);
	sigprocmask(SIG_SETMASK, &hold->before.mask, NULL);
	errno = error;
}
