/*
 * Runs a command and writes what it took: nanoseconds, processor time in microseconds, peak memory
 * in kB, and its status as wait() gives it. Its output is thrown away.
 *
 * A program of its own since the peak that wait4() gives is at least that of who started the
 * command, up to its exec: Python's would hide what small programs take.
 */
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>

static long long nanoseconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000000000LL + now.tv_nsec;
}

static long long microseconds(struct timeval time)
{
	return time.tv_sec * 1000000LL + time.tv_usec;
}

int main(int argc, char **argv)
{
	posix_spawn_file_actions_t actions;
	struct rusage usage;
	long long start;
	pid_t child;
	int status;
	int error;

	if (argc < 2)
		return 2;
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
	posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
	start = nanoseconds();
	error = posix_spawnp(&child, argv[1], &actions, NULL, argv + 1, environ);
	if (error) {
		fprintf(stderr, "%s: %s\n", argv[1], strerror(error));
		return 1;
	}
	if (wait4(child, &status, 0, &usage) != child)
		return 1;
	printf("%lld %lld %ld %d\n", nanoseconds() - start,
	       microseconds(usage.ru_utime) + microseconds(usage.ru_stime), usage.ru_maxrss,
	       status);
	return 0;
}
