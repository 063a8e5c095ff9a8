#include "run/vampir.h"

#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <signal.h>
#include <spawn.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/os.h"

#define TRACE "traces.otf2"

static struct slice below(struct arena *arena, struct slice folder, struct slice path)
{
	if (slice_starts_with(path, SLICE("/")))
		return path;
	return arena_printf(arena, "%.*s/%.*s",
	                    SLICE_ARG(slice_eq(folder, SLICE("/")) ? SLICE("") : folder),
	                    SLICE_ARG(path));
}

/* Score-P names a directory after the time at which the program ends, in whole minutes. */
static struct slice find_newest(struct arena *arena, time_t since)
{
	struct slice newest = slice_make("", 0);
	struct timespec time = {.tv_sec = since};
	struct stat status;
	glob_t found;
	if (glob("scorep-[0-9]*/" TRACE, 0, NULL, &found) != 0)
		return newest;
	for (size_t i = 0; i < found.gl_pathc; i++) {
		if (stat(found.gl_pathv[i], &status) != 0 || status.st_mtim.tv_sec < time.tv_sec ||
		    (status.st_mtim.tv_sec == time.tv_sec && status.st_mtim.tv_nsec < time.tv_nsec))
			continue;
		time = status.st_mtim;
		newest = arena_dup(arena, slice_from(found.gl_pathv[i]));
	}
	globfree(&found);
	return newest;
}

struct slice vampir_find_trace(struct arena *arena, const char *directory, struct slice folder,
                               time_t since)
{
	struct slice trace = directory == NULL || directory[0] == '\0'
	                             ? find_newest(arena, since)
	                             : arena_printf(arena, "%s/" TRACE, directory);
	if (trace.len == 0)
		return trace;
	trace = below(arena, folder, trace);
	return os_is_file(arena_cstr(arena, trace)) ? trace : slice_make("", 0);
}

bool vampir_has_display(const struct environment *environment)
{
	const char *x = environment_get(environment, SLICE("DISPLAY"));
	const char *wayland = environment_get(environment, SLICE("WAYLAND_DISPLAY"));
	return (x != NULL && x[0] != '\0') || (wayland != NULL && wayland[0] != '\0');
}

/* Signals are those of a program that a shell starts. */
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
