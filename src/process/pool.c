#include "process/pool.h"

#include <errno.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>

#include "base/os.h"
#include "process/spawn.h"

/* timeout(1) signals this program and immediately its group, which includes it: one request. */
#define ONE_WISH_SECONDS 1.0

enum { MOMENT_NS = 50000000, NS = 1000000000 };

static void look(const struct pool *pool, const struct pool_program *program)
{
	if (pool->look != NULL)
		pool->look(pool, program, pool->data);
}

static void start_next(struct pool *pool, const struct launch_guard *guard)
{
	struct pool_program *program = &pool->programs[pool->started++];
	program->begin = os_seconds();
	program->error = pool->prepare(pool, program, pool->data);
	if (program->error == 0) {
		const struct spawn_order order = {
		        .argv = pool->argv,
		        .environment = pool->environment,
		        .signals = &guard->before,
		        .own_group = true,
		        .end_signal = SIGTERM,
		        .output = program->output,
		};
		program->pid = spawn(&order);
		program->error = program->pid < 0 ? errno : 0;
	}
	program->deadline = pool->timeout > 0 ? program->begin + pool->timeout : 0;
	program->state = program->error == 0 ? POOL_RUNNING : POOL_NOT_STARTED;
	if (program->error == 0)
		pool->running++;
	else
		pool->ended++;
	look(pool, program);
}

static struct pool_program *find(const struct pool *pool, pid_t pid)
{
	for (size_t i = 0; i < pool->started; i++) {
		struct pool_program *program = &pool->programs[i];
		if (program->state == POOL_RUNNING && program->pid == pid)
			return program;
	}
	return NULL;
}

/* Sends NUMBER (0: none) to the processes that PROGRAM has left. True if there are any. */
static bool signal_left(const struct pool_program *program, int number)
{
	bool own = kill(-program->pid, number) == 0;
	bool others = program->left > 0 && spawn_signal_descendants(program->left, number);
	return own || others;
}

static void reap(struct pool *pool)
{
	int status;
	for (pid_t pid; (pid = spawn_next_ended(&status)) > 0;) {
		struct pool_program *program = find(pool, pid);
		if (program == NULL)
			continue;
		program->status = status;
		program->state = POOL_LEFT;
		program->seconds = os_seconds() - program->begin;
		program->deadline = os_seconds() + pool->kill_after;
		program->left = pool->left(pool, program, pool->data);
		(void)signal_left(program, SIGTERM);
	}
}

static void run_out_of_time(const struct pool *pool, struct pool_program *program)
{
	program->deadline = os_seconds() + pool->kill_after;
	if (!program->timed_out) {
		program->timed_out = true;
		growth_begin(&program->growth);
		(void)kill(program->pid, SIGTERM);
	} else if (!growth_goes_on(&program->growth)) {
		program->was_slow = true;
		program->deadline = 0;
		spawn_kill(program->pid);
	}
}

/* Processes that survive SIGKILL are not waited for. */
static void mind_left(struct pool *pool, struct pool_program *program, bool is_over)
{
	if (!signal_left(program, 0) || (is_over && program->left_killed)) {
		program->state = POOL_ENDED;
		pool->running--;
		pool->ended++;
		look(pool, program);
	} else if (is_over) {
		(void)signal_left(program, SIGKILL);
		program->left_killed = true;
		program->deadline = os_seconds() + pool->kill_after;
	}
}

static void mind_time(struct pool *pool)
{
	for (size_t i = 0; i < pool->started; i++) {
		struct pool_program *program = &pool->programs[i];
		bool is_over = program->deadline > 0 && os_seconds() >= program->deadline;
		if (program->state == POOL_RUNNING && is_over)
			run_out_of_time(pool, program);
		else if (program->state == POOL_LEFT)
			mind_left(pool, program, is_over);
	}
}

/* Sends NUMBER to the running programs; 0: kills them, with all that they have started. */
static void send_on(const struct pool *pool, int number)
{
	for (size_t i = 0; i < pool->started; i++) {
		const struct pool_program *program = &pool->programs[i];
		if (program->state == POOL_LEFT && number == 0)
			(void)signal_left(program, SIGKILL);
		if (program->state == POOL_RUNNING && number == 0)
			spawn_kill(program->pid);
		else if (program->state == POOL_RUNNING)
			(void)kill(program->pid, number);
	}
}

static void take_signal(struct pool *pool, int number)
{
	if (pool->signal == 0)
		pool->signal = number;
	if (number == SIGUSR1 || number == SIGUSR2) {
		send_on(pool, number);
	} else if (!pool->asked) {
		send_on(pool, SIGTERM);
		pool->asked = true;
		pool->asked_at = os_seconds();
	} else if (os_seconds() - pool->asked_at >= ONE_WISH_SECONDS) {
		send_on(pool, 0);
	}
}

static bool signal_orphans(const void *data, int number)
{
	(void)data;
	return spawn_signal_orphans(number);
}

/* A process that is not a child sends no SIGCHLD, so look again after a moment. */
static struct timespec time_to_wait(const struct pool *pool)
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
			start_next(pool, guard);
		if (pool->running == 0)
			break;
		const struct timespec wait = time_to_wait(pool);
		int number = sigtimedwait(&guard->held, NULL, &wait);
		if (number == SIGCHLD)
			reap(pool);
		else if (number > 0)
			take_signal(pool, number);
		else if (wait.tv_sec > 0)
			look(pool, NULL);
		mind_time(pool);
	}
	spawn_end_rest(signal_orphans, NULL,
	               pool->kill_after); /* outside of the programs' groups */
	prctl(PR_SET_CHILD_SUBREAPER, 0);
}

bool pool_went_well(const struct pool_program *program)
{
	return program->state == POOL_ENDED && !program->timed_out && WIFEXITED(program->status) &&
	       WEXITSTATUS(program->status) == 0;
}
