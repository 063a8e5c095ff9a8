#include "process/launch.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/os.h"

static const int held[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2, SIGCHLD};
static const int ends[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};

enum { MS = 1000, POLL_MAX_MS = 60000, GROWTHS_MAX = 20, MOMENT_NS = 50000000 };

void launch_guard_begin(struct launch_guard *guard)
{
	sigemptyset(&guard->held);
	for (size_t i = 0; i < sizeof held / sizeof *held; i++)
		sigaddset(&guard->held, held[i]);
	spawn_signals_hold(&guard->held, &guard->before);
}

int launch_guard_pending(void)
{
	sigset_t asking;
	struct timespec at_once = {0};
	sigemptyset(&asking);
	for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
		sigaddset(&asking, ends[i]);
	int number = sigtimedwait(&asking, NULL, &at_once);
	return number > 0 ? number : 0;
}

void launch_guard_end(const struct launch_guard *guard)
{
	struct timespec at_once = {0};
	while (sigtimedwait(&guard->held, NULL, &at_once) > 0 || errno == EINTR)
		;
	spawn_signals_set(&guard->before);
}

/* A running program. */
struct launched {
	const struct launch_order *order;
	const struct launch_guard *guard;
	struct launch_result *result;
	pid_t pid;
	long long size;       /* of its growing files, when it was last asked */
	unsigned times_grown; /* since it was asked to end */
	int signals;          /* a signalfd */
	bool own_group, ended;
	double deadline; /* os_seconds(); 0: none */
};

static int launch_start(struct launched *program)
{
	const struct launch_order *order = program->order;
	int terminal = open("/dev/tty", O_RDONLY | O_CLOEXEC | O_NOCTTY);
	os_close_quietly(terminal);
	program->own_group = terminal < 0;
	const struct spawn_order child = {
	        .argv = order->argv,
	        .environment = order->environment,
	        .signals = &program->guard->before,
	        .own_group = program->own_group,
	        .end_signal = order->independent ? 0 : SIGTERM,
	        .streams = order->streams,
	};
	program->pid = spawn(&child);
	if (program->pid < 0)
		return -1;
	for (const struct launch_watch *const *at = order->watches; *at != NULL; at++) {
		if ((*at)->begin != NULL)
			(*at)->begin((*at)->data, program->pid);
	}
	return 0;
}

/* Calls the watches, then returns the next signal, 0 if the deadline has passed, or -1. */
static int launch_next_signal(const struct launched *program, struct signalfd_siginfo *info)
{
	const struct launch_watch *const *watches = program->order->watches;
	struct pollfd descriptors[LAUNCH_WATCHES_MAX + 1] = {{program->signals, POLLIN, 0}};
	nfds_t count = 1;
	int wait = -1; /* milliseconds until the next look or the deadline; -1: forever */
	for (; watches[count - 1] != NULL; count++) {
		const struct launch_watch *watch = watches[count - 1];
		descriptors[count] = (struct pollfd){watch->descriptor, POLLIN, 0};
		if (watch->every > 0 && (wait < 0 || (int)watch->every < wait))
			wait = (int)watch->every;
	}
	double left = (program->deadline - os_seconds()) * MS + 1;
	if (program->deadline != 0 && (wait < 0 || wait > left))
		wait = left < 0 ? 0 : left < POLL_MAX_MS ? (int)left : POLL_MAX_MS;
	(void)poll(descriptors, count, wait);
	for (; *watches != NULL; watches++)
		(*watches)->look((*watches)->data);
	if (descriptors[0].revents != 0 &&
	    read(program->signals, info, sizeof *info) == (ssize_t)sizeof *info)
		return (int)info->ssi_signo;
	return program->deadline != 0 && os_seconds() >= program->deadline ? 0 : -1;
}

/* Waits for all children that have ended, including orphans of the program. */
static void launch_reap(struct launched *program)
{
	int status;
	for (pid_t pid; (pid = waitpid(-1, &status, WNOHANG)) > 0;) {
		if (program->ended || pid != program->pid)
			continue;
		program->result->status = status;
		program->result->end = os_seconds();
		program->ended = true;
	}
}

/* A program that has left its group does not get signals to the group. */
static void launch_send(const struct launched *program, int number)
{
	if (!program->own_group || kill(-program->pid, number) != 0)
		kill(program->pid, number);
}

static void launch_send_on(const struct launched *program, const struct signalfd_siginfo *info)
{
	int number = (int)info->ssi_signo;
	/* The terminal sends SIGHUP only to the leader of the session, which may be this program. */
	bool from_terminal = info->ssi_code == SI_KERNEL && info->ssi_signo != SIGHUP;
	if (!program->own_group && from_terminal)
		return;
	/* These are requests to the program. They would only kill the other processes of its group, for which
	 * the program waits. It ends them itself, and those that it leaves are ended after it. */
	if (number == SIGTERM || number == SIGUSR1 || number == SIGUSR2)
		kill(program->pid, number);
	else
		launch_send(program, number);
}

/* Stops this program, as SIGTSTP does, after calls of the watches. The terminal stops the other one. */
static void launch_stop(const struct launched *program)
{
	sigset_t set;
	for (const struct launch_watch *const *at = program->order->watches; *at != NULL; at++) {
		if ((*at)->stop != NULL)
			(*at)->stop((*at)->data);
	}
	sigemptyset(&set);
	sigaddset(&set, SIGTSTP);
	raise(SIGTSTP);
	sigprocmask(SIG_UNBLOCK, &set, NULL);
	sigprocmask(SIG_BLOCK, &set, NULL);
}

/* The time is over: SIGTERM first, then SIGKILL, or nothing while its files grow. They may grow at most 20 times,
 * because a program that never ends may keep writing. */
static void launch_end_late(struct launched *program)
{
	const struct launch_order *order = program->order;
	bool was_asked = program->result->timed_out;
	long long before = program->size;
	program->result->timed_out = true;
	program->deadline = os_seconds() + order->kill_after;
	if (order->growth != NULL && program->times_grown < GROWTHS_MAX)
		program->size = order->growth(order->growing);
	if (!was_asked) {
		kill(program->pid, SIGTERM);
		/* A stopped program must continue to receive SIGTERM. */
		launch_send(program, SIGCONT);
	} else if (program->size > before) {
		program->times_grown++;
	} else {
		program->result->was_slow = true;
		program->deadline = 0;
		launch_send(program, SIGKILL);
	}
}

static void launch_supervise(struct launched *program)
{
	struct signalfd_siginfo info = {0};
	if (program->order->timeout > 0)
		program->deadline = os_seconds() + program->order->timeout;
	launch_reap(program);
	while (!program->ended) {
		int number = launch_next_signal(program, &info);
		if (number == SIGCHLD)
			launch_reap(program);
		else if (number == 0)
			launch_end_late(program);
		else if (number == SIGTSTP)
			launch_stop(program);
		else if (number > 0)
			launch_send_on(program, &info);
	}
}

/* Sends NUMBER (0: none) to the processes that the program has left. True if there are any. */
static bool launch_signal_rest(const struct launched *program, int number)
{
	pid_t self = getpid();
	bool orphans = program->order->ends_orphans &&
	               spawn_signal_descendants(self, getsid, getsid(0), number);
	bool others = program->own_group
	                      ? kill(-program->pid, number) == 0
	                      : spawn_signal_descendants(self, getpgid, getpgrp(), number);
	return orphans || others;
}

/* They are waited for after SIGKILL, too. A process that is not a child sends no SIGCHLD, so look again after a
 * moment. */
static void launch_end_rest(struct launched *program)
{
	const struct timespec moment = {0, MOMENT_NS};
	sigset_t child;
	sigemptyset(&child);
	sigaddset(&child, SIGCHLD);
	for (int number = SIGTERM; number != 0; number = number == SIGTERM ? SIGKILL : 0) {
		double until = os_seconds() + program->order->kill_after;
		launch_reap(program);
		if (!launch_signal_rest(program, number))
			return;
		while (launch_signal_rest(program, 0) && os_seconds() < until) {
			(void)sigtimedwait(&child, NULL, &moment);
			launch_reap(program);
		}
	}
}

int launch(const struct launch_order *order, const struct launch_guard *guard,
           struct launch_result *result)
{
	struct launched program = {.order = order, .guard = guard, .result = result};
	sigset_t set = guard->held, mask;
	*result = (struct launch_result){0};
	/* A descriptor for the held signals, and for SIGTSTP if a watch handles it. */
	for (const struct launch_watch *const *at = order->watches; *at != NULL; at++) {
		if ((*at)->stop != NULL)
			sigaddset(&set, SIGTSTP);
	}
	/* Orphans become children of this process, which waits for them at the end. */
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	sigprocmask(SIG_BLOCK, &set, &mask);
	program.signals = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	int status = program.signals < 0 ? -1 : launch_start(&program);
	if (status == 0)
		launch_supervise(&program);
	os_close_quietly(program.signals);
	sigprocmask(SIG_SETMASK, &mask, NULL);
	if (status == 0) {
		if (!order->independent)
			launch_end_rest(&program);
		prctl(PR_SET_CHILD_SUBREAPER, 0);
	}
	return status;
}
