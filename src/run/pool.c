#include "run/pool.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/os.h"

enum { OUTPUT_MODE = 0666 };

static void look(const struct pool *pool, const struct pool_program *program)
{
	if (pool->look != NULL)
		pool->look(pool, program, pool->data);
}

/* Signals act in it as they did for the caller. */
static int set_attributes(posix_spawnattr_t *attributes, const struct launch_guard *guard)
{
	sigset_t standard;
	sigemptyset(&standard);
	sigaddset(&standard, SIGPIPE);
	sigaddset(&standard, SIGCHLD);
	int error = posix_spawnattr_setpgroup(attributes, 0);
	if (error == 0)
		error = posix_spawnattr_setsigmask(attributes, &guard->before);
	if (error == 0)
		error = posix_spawnattr_setsigdefault(attributes, &standard);
	if (error == 0)
		error = posix_spawnattr_setflags(attributes, POSIX_SPAWN_SETPGROUP |
		                                                     POSIX_SPAWN_SETSIGMASK |
		                                                     POSIX_SPAWN_SETSIGDEF);
	return error;
}

static int set_files(posix_spawn_file_actions_t *files, const char *output)
{
	int error = posix_spawn_file_actions_addopen(files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
	if (error == 0)
		error = posix_spawn_file_actions_addopen(files, STDOUT_FILENO, output,
		                                         O_WRONLY | O_CREAT | O_TRUNC, OUTPUT_MODE);
	if (error == 0)
		error = posix_spawn_file_actions_adddup2(files, STDOUT_FILENO, STDERR_FILENO);
	return error;
}

static int spawn(const struct pool *pool, struct pool_program *program,
                 const struct launch_guard *guard)
{
	posix_spawnattr_t attributes;
	posix_spawn_file_actions_t files;
	int error = posix_spawnattr_init(&attributes);
	if (error != 0)
		return error;
	error = posix_spawn_file_actions_init(&files);
	if (error == 0) {
		error = set_attributes(&attributes, guard);
		if (error == 0)
			error = set_files(&files, program->output);
		if (error == 0)
			error = posix_spawnp(&program->pid, pool->argv[0], &files, &attributes,
			                     pool->argv, pool->environment);
		posix_spawn_file_actions_destroy(&files);
	}
	posix_spawnattr_destroy(&attributes);
	return error;
}

static void start_next(struct pool *pool, const struct launch_guard *guard)
{
	struct pool_program *program = &pool->programs[pool->started++];
	program->begin = os_seconds();
	program->error = pool->prepare(pool, program, pool->data);
	if (program->error == 0)
		program->error = spawn(pool, program, guard);
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
	for (pid_t pid; (pid = waitpid(-1, &status, WNOHANG)) > 0;) {
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

/* To the programs that run, or their groups. */
static void send_on(const struct pool *pool, int number, bool to_group)
{
	for (size_t i = 0; i < pool->started; i++) {
		const struct pool_program *program = &pool->programs[i];
		if (program->state == POOL_RUNNING)
			(void)kill(to_group ? -program->pid : program->pid, number);
	}
}

static void take_signal(struct pool *pool, int number)
{
	if (pool->signal == 0)
		pool->signal = number;
	if (number == SIGUSR1 || number == SIGUSR2)
		send_on(pool, number, false);
	else if (pool->asked)
		send_on(pool, SIGKILL, true);
	else
		send_on(pool, SIGTERM, false);
	pool->asked |= number != SIGUSR1 && number != SIGUSR2;
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
