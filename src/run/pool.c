#include "run/pool.h"

#include <errno.h>
#include <sys/wait.h>
#include <time.h>

#include "base/os.h"
#include "run/spawn.h"

/* timeout(1) signals this program and at once its group, in which it is, too: that is one wish. */
#define ONE_WISH_SECONDS 1.0

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

static void reap(struct pool *pool)
{
	int status;
	for (pid_t pid; (pid = spawn_next_ended(&status)) > 0;) {
		struct pool_program *program = find(pool, pid);
		if (program == NULL)
			continue;
		program->status = status;
		program->state = POOL_ENDED;
		program->seconds = os_seconds() - program->begin;
		pool->running--;
		pool->ended++;
		(void)kill(-pid, SIGTERM); /* what it left behind */
		look(pool, program);
	}
}

/* To the programs that run; 0: an end at once. */
static void send_on(const struct pool *pool, int number)
{
	for (size_t i = 0; i < pool->started; i++) {
		const struct pool_program *program = &pool->programs[i];
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

void pool_run(struct pool *pool, const struct launch_guard *guard)
{
	const struct timespec second = {1, 0};
	for (;;) {
		while (pool->signal == 0 && pool->started < pool->count &&
		       pool->running < pool->at_once)
			start_next(pool, guard);
		if (pool->running == 0)
			return;
		int number = sigtimedwait(&guard->held, NULL, &second);
		if (number == SIGCHLD)
			reap(pool);
		else if (number > 0)
			take_signal(pool, number);
		else
			look(pool, NULL);
	}
}

bool pool_went_well(const struct pool_program *program)
{
	return program->state == POOL_ENDED && WIFEXITED(program->status) &&
	       WEXITSTATUS(program->status) == 0;
}
