#include "process/launch.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/os.h"
#include "process/spawn.h"

static const int held[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2, SIGCHLD};
static const int ends[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};

enum { MS = 1000, POLL_MAX_MS = 60000, GROWTHS_MAX = 20 };

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

/* The signal for a program whose time is over: SIGTERM first, then SIGKILL, or 0 while its files grow. They may grow
 * at most 20 times, because a program that never ends may keep writing. */
static int launch_late_signal(struct growth *growth, bool *timed_out, bool *was_slow)
{
	bool was_asked = *timed_out, is_measured = growth->measure != NULL;
	long long before = growth->size;
	*timed_out = true;
	if (is_measured && growth->times < GROWTHS_MAX)
		growth->size = growth->measure(growth->data);
	if (!was_asked)
		return SIGTERM;
	if (growth->size > before) {
		growth->times++;
		return 0;
	}
	*was_slow = true;
	return SIGKILL;
}

/* A running program. */
struct launched {
	const struct launch_order *order;
	const struct launch_guard *guard;
	struct launch_result *result;
	pid_t pid, group;
	struct growth growth;
	int signals; /* a signalfd */
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
	};
	program->pid = spawn(&child);
	program->group = program->own_group ? program->pid : getpgrp();
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
	for (pid_t pid; (pid = spawn_next_ended(&status)) > 0;) {
		if (pid != program->pid)
			continue;
		program->result->status = status;
		program->ended = true;
	}
}

/* A program that has left its group does not get signals to the group. */
static void launch_send(const struct launched *program, int number)
{
	if (!program->own_group || kill(-program->group, number) != 0)
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

static void launch_end_late(struct launched *program)
{
	int number = launch_late_signal(&program->growth, &program->result->timed_out,
	                                &program->result->was_slow);
	program->deadline = number == SIGKILL ? 0 : os_seconds() + program->order->kill_after;
	if (number == SIGKILL)
		launch_send(program, SIGKILL);
	if (number != SIGTERM)
		return;
	kill(program->pid, SIGTERM);
	launch_send(program, SIGCONT); /* a stopped program must continue to receive SIGTERM */
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

static bool launch_signal_rest(const void *data, int number)
{
	const struct launched *program = data;
	bool orphans = program->order->ends_orphans && spawn_signal_orphans(number);
	bool others = program->own_group ? kill(-program->group, number) == 0
	                                 : spawn_signal_descendants(program->group, number);
	return orphans || others;
}

int launch(const struct launch_order *order, const struct launch_guard *guard,
           struct launch_result *result)
{
	struct launched program = {
	        .order = order, .guard = guard, .result = result, .growth = order->growth};
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
			spawn_end_rest(launch_signal_rest, &program, order->kill_after);
		prctl(PR_SET_CHILD_SUBREAPER, 0);
	}
	return status;
}

/* ---- several programs ---- */

/* timeout(1) signals this program and immediately its group, which includes it: one request. */
#define ONE_WISH_SECONDS 1.0

enum { MOMENT_NS = 50000000, NS = 1000000000 };

static void pool_start_next(struct pool *pool, const struct launch_guard *guard)
{
	struct pool_program *program = &pool->programs[pool->started++];
	int input = -1, output = -1;
	program->begin = os_seconds();
	program->error = pool->prepare(pool, program, pool->data);
	if (program->error == 0) {
		input = open("/dev/null", O_RDONLY | O_CLOEXEC);
		if (input >= 0)
			output = open(program->output, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC,
			              0666);
		const int streams[SPAWN_STREAMS] = {input, output, output};
		const struct spawn_order order = {
		        .argv = pool->argv,
		        .environment = pool->environment,
		        .signals = &guard->before,
		        .own_group = true,
		        .end_signal = SIGTERM,
		        .streams = streams,
		};
		program->pid = output < 0 ? -1 : spawn(&order);
		program->error = program->pid < 0 ? errno : 0;
	}
	os_close_quietly(input);
	os_close_quietly(output);
	program->deadline = pool->timeout > 0 ? program->begin + pool->timeout : 0;
	program->state = program->error == 0 ? POOL_RUNNING : POOL_NOT_STARTED;
	if (program->error == 0)
		pool->running++;
	else
		pool->ended++;
	pool->look(pool, program, pool->data);
}

/* Sends NUMBER (0: none) to the processes that PROGRAM has left. True if there are any. */
static bool pool_signal_left(const struct pool_program *program, int number)
{
	bool own = kill(-program->pid, number) == 0;
	bool others = program->left > 0 && spawn_signal_descendants(program->left, number);
	return own || others;
}

static void pool_reap(struct pool *pool)
{
	int status;
	for (pid_t pid; (pid = spawn_next_ended(&status)) > 0;) {
		struct pool_program *program = pool->programs, *end = program + pool->started;
		while (program < end && (program->state != POOL_RUNNING || program->pid != pid))
			program++;
		if (program == end)
			continue;
		program->status = status;
		program->state = POOL_LEFT;
		program->seconds = os_seconds() - program->begin;
		program->deadline = os_seconds() + pool->kill_after;
		program->left = pool->left(pool, program, pool->data);
		(void)pool_signal_left(program, SIGTERM);
	}
}

/* Processes that survive SIGKILL are not waited for. */
static void pool_check_left(struct pool *pool, struct pool_program *program, bool is_over)
{
	if (!pool_signal_left(program, 0) || (is_over && program->left_killed)) {
		program->state = POOL_ENDED;
		pool->running--;
		pool->ended++;
		pool->look(pool, program, pool->data);
	} else if (is_over) {
		(void)pool_signal_left(program, SIGKILL);
		program->left_killed = true;
		program->deadline = os_seconds() + pool->kill_after;
	}
}

static void pool_check_time(struct pool *pool)
{
	for (size_t i = 0; i < pool->started; i++) {
		struct pool_program *program = &pool->programs[i];
		bool is_over = program->deadline > 0 && os_seconds() >= program->deadline;
		if (program->state == POOL_LEFT)
			pool_check_left(pool, program, is_over);
		if (program->state != POOL_RUNNING || !is_over)
			continue;
		int number = launch_late_signal(&program->growth, &program->timed_out,
		                                &program->was_slow);
		program->deadline = number == SIGKILL ? 0 : os_seconds() + pool->kill_after;
		if (number == SIGKILL)
			spawn_kill(program->pid);
		else if (number == SIGTERM)
			(void)kill(program->pid, SIGTERM);
	}
}

/* Sends NUMBER to the running programs; 0: kills them, with all that they have started. */
static void pool_send_on(const struct pool *pool, int number)
{
	for (size_t i = 0; i < pool->started; i++) {
		const struct pool_program *program = &pool->programs[i];
		if (program->state == POOL_LEFT && number == 0)
			(void)pool_signal_left(program, SIGKILL);
		if (program->state == POOL_RUNNING && number == 0)
			spawn_kill(program->pid);
		else if (program->state == POOL_RUNNING)
			(void)kill(program->pid, number);
	}
}

static void pool_take_signal(struct pool *pool, int number)
{
	if (pool->signal == 0)
		pool->signal = number;
	if (number == SIGUSR1 || number == SIGUSR2) {
		pool_send_on(pool, number);
	} else if (!pool->asked) {
		pool_send_on(pool, SIGTERM);
		pool->asked = true;
		pool->asked_at = os_seconds();
	} else if (os_seconds() - pool->asked_at >= ONE_WISH_SECONDS) {
		pool_send_on(pool, 0);
	}
}

static bool pool_signal_orphans(const void *data, int number)
{
	(void)data;
	return spawn_signal_orphans(number);
}

/* A process that is not a child sends no SIGCHLD, so look again after a moment. */
static struct timespec pool_time_to_wait(const struct pool *pool)
{
	double least = 1, now = os_seconds();
	for (size_t i = 0; i < pool->started; i++) {
		const struct pool_program *program = &pool->programs[i];
		if (program->state == POOL_LEFT)
			return (struct timespec){0, MOMENT_NS};
		if (program->state == POOL_RUNNING && program->deadline > 0 &&
		    program->deadline - now < least)
			least = program->deadline > now ? program->deadline - now : 0;
	}
	return (struct timespec){(time_t)least, (long)((least - (double)(time_t)least) * NS)};
}

void pool_run(struct pool *pool, const struct launch_guard *guard)
{
	/* Orphans of programs become children of this process, which waits for them. */
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	for (;;) {
		while (pool->signal == 0 && pool->started < pool->count &&
		       pool->running < pool->at_once)
			pool_start_next(pool, guard);
		if (pool->running == 0)
			break;
		const struct timespec wait = pool_time_to_wait(pool);
		int number = sigtimedwait(&guard->held, NULL, &wait);
		if (number == SIGCHLD)
			pool_reap(pool);
		else if (number > 0)
			pool_take_signal(pool, number);
		else if (wait.tv_sec > 0)
			pool->look(pool, NULL, pool->data);
		pool_check_time(pool);
	}
	spawn_end_rest(pool_signal_orphans, NULL,
	               pool->kill_after); /* outside of the programs' groups */
	prctl(PR_SET_CHILD_SUBREAPER, 0);
}

bool pool_went_well(const struct pool_program *program)
{
	return program->state == POOL_ENDED && !program->timed_out && WIFEXITED(program->status) &&
	       WEXITSTATUS(program->status) == 0;
}
