#include "run/vampir.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <unistd.h>

bool vampir_has_display(const struct environment *environment)
{
	const char *x = environment_get(environment, SLICE("DISPLAY"));
	const char *wayland = environment_get(environment, SLICE("WAYLAND_DISPLAY"));
	return (x != NULL && x[0] != '\0') || (wayland != NULL && wayland[0] != '\0');
}

/* Sets signals as a shell does for the programs that it starts. */
static int set_up(posix_spawn_file_actions_t *actions, posix_spawnattr_t *attributes)
{
	sigset_t standard, none;
	sigemptyset(&none);
	sigemptyset(&standard);
	sigaddset(&standard, SIGPIPE);
	sigaddset(&standard, SIGCHLD);
	int error = posix_spawnattr_setsigdefault(attributes, &standard);
	if (error == 0)
		error = posix_spawnattr_setsigmask(attributes, &none);
	if (error == 0)
		error = posix_spawnattr_setflags(attributes, POSIX_SPAWN_SETSIGDEF |
		                                                     POSIX_SPAWN_SETSIGMASK |
		                                                     POSIX_SPAWN_SETSID);
	if (error == 0)
		error = posix_spawn_file_actions_addopen(actions, STDIN_FILENO, "/dev/null", O_RDWR,
		                                         0);
	for (int i = STDOUT_FILENO; i <= STDERR_FILENO && error == 0; i++)
		error = posix_spawn_file_actions_adddup2(actions, STDIN_FILENO, i);
	return error;
}

int vampir_open(struct environment *environment, const char *program, const char *trace)
{
	struct arena *arena = environment->arena;
	char *argv[] = {arena_cstr(arena, slice_from(program)),
	                arena_cstr(arena, slice_from(trace)), NULL};
	char **variables = environment_list(environment);
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attributes;
	pid_t pid;
	if ((errno = posix_spawn_file_actions_init(&actions)) != 0)
		return -1;
	if ((errno = posix_spawnattr_init(&attributes)) != 0) {
		posix_spawn_file_actions_destroy(&actions);
		return -1;
	}
	int error = set_up(&actions, &attributes);
	if (error == 0)
		error = posix_spawn(&pid, program, &actions, &attributes, argv, variables);
	posix_spawnattr_destroy(&attributes);
	posix_spawn_file_actions_destroy(&actions);
	errno = error;
	return error == 0 ? 0 : -1;
}
