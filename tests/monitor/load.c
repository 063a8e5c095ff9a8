/* A program whose use of a machine is known:
 *
 *     load [burn THREADS SECONDS | touch MIB MILLISECONDS | write FILE BYTES | fork COUNT SECONDS
 *          | share MIB COUNT MILLISECONDS | lend MIB MILLISECONDS | orphan SECONDS | ignore
 *          | wait MILLISECONDS | exit STATUS]...
 *
 * does these one after the other: each of THREADS uses SECONDS of processor time; MIB are touched and
 * held so long; BYTES are written in calls of 4096; COUNT children burn, one after the other, each
 * waited for; MIB are touched and then held so long by COUNT children, too, or by one whose memory is
 * this one's; a child of a child burns when its parent has ended; children are no longer waited for. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { THREADS_MAX = 64, MIB = 1 << 20, CALL = 4096, NS_PER_MS = 1000000, MS_PER_S = 1000 };

static double used(clockid_t clock)
{
	struct timespec time;
	clock_gettime(clock, &time);
	return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static void *burn(void *seconds)
{
	double end = used(CLOCK_THREAD_CPUTIME_ID) + *(double *)seconds;
	while (used(CLOCK_THREAD_CPUTIME_ID) < end)
		;
	return NULL;
}

static void burn_threads(int count, double seconds)
{
	pthread_t threads[THREADS_MAX];
	for (int i = 0; i < count; i++)
		pthread_create(&threads[i], NULL, burn, &seconds);
	for (int i = 0; i < count; i++)
		pthread_join(threads[i], NULL);
}

static void pause_ms(int milliseconds)
{
	struct timespec time = {milliseconds / MS_PER_S,
	                        (long)(milliseconds % MS_PER_S) * NS_PER_MS};
	nanosleep(&time, NULL);
}

static void touch(size_t mebibytes, int milliseconds)
{
	volatile char *memory = malloc(mebibytes * MIB);
	if (memory == NULL)
		exit(EXIT_FAILURE);
	memset((char *)memory, 1, mebibytes * MIB);
	pause_ms(milliseconds);
	free((char *)memory);
}

static void write_file(const char *path, long bytes)
{
	static char text[CALL];
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0666);
	for (long left = bytes; left > 0;) {
		ssize_t written = write(fd, text, left < CALL ? (size_t)left : CALL);
		if (written <= 0)
			exit(EXIT_FAILURE);
		left -= written;
	}
	close(fd);
}

static pid_t fork_burning(double seconds)
{
	pid_t pid = fork();
	if (pid == 0) {
		burn(&seconds);
		_exit(0);
	}
	return pid;
}

static void fork_children(int count, double seconds)
{
	for (int i = 0; i < count; i++) {
		pid_t pid = fork_burning(seconds);
		if (pid < 0)
			exit(EXIT_FAILURE);
		waitpid(pid, NULL, 0);
	}
}

static void share(size_t mebibytes, int count, int milliseconds)
{
	volatile char *memory = malloc(mebibytes * MIB);
	if (memory == NULL)
		exit(EXIT_FAILURE);
	memset((char *)memory, 1, mebibytes * MIB);
	for (int i = 0; i < count; i++) {
		if (fork() == 0) {
			pause_ms(milliseconds);
			_exit(0);
		}
	}
	for (int i = 0; i < count; i++)
		wait(NULL);
	free((char *)memory);
}

/* Touches a MiB more meanwhile, which its parent has as well. */
static int pause_in_child(void *milliseconds)
{
	static char more[MIB];
	pause_ms(*(int *)milliseconds / 2);
	memset(more, 1, sizeof more);
	pause_ms(*(int *)milliseconds / 2);
	return 0;
}

/* As vfork() does, until its child ends. */
static void lend(size_t mebibytes, int milliseconds)
{
	enum { STACK = 64 * 1024 };
	char *memory = malloc(mebibytes * MIB), *stack = malloc(STACK);
	if (memory == NULL || stack == NULL)
		exit(EXIT_FAILURE);
	memset(memory, 1, mebibytes * MIB);
	pid_t pid = clone(pause_in_child, stack + STACK, CLONE_VM | CLONE_VFORK | SIGCHLD,
	                  &milliseconds);
	waitpid(pid, NULL, 0);
	free(stack);
	free(memory);
}

/* Waits until it has ended, which a pipe tells that it held. */
static void orphan(double seconds)
{
	int ends[2];
	char none;
	if (pipe(ends) != 0)
		exit(EXIT_FAILURE);
	pid_t pid = fork();
	if (pid == 0) {
		fork_burning(seconds);
		_exit(0);
	}
	close(ends[1]);
	waitpid(pid, NULL, 0);
	(void)!read(ends[0], &none, 1);
	close(ends[0]);
}

static long whole(const char *word)
{
	return strtol(word, NULL, 10);
}

/* Does what the words at AT say; how many they are. */
static int act(char **at)
{
	const char *word = at[0];
	if (strcmp(word, "burn") == 0)
		return burn_threads((int)whole(at[1]), strtod(at[2], NULL)), 3;
	if (strcmp(word, "touch") == 0)
		return touch((size_t)whole(at[1]), (int)whole(at[2])), 3;
	if (strcmp(word, "write") == 0)
		return write_file(at[1], whole(at[2])), 3;
	if (strcmp(word, "fork") == 0)
		return fork_children((int)whole(at[1]), strtod(at[2], NULL)), 3;
	if (strcmp(word, "share") == 0)
		return share((size_t)whole(at[1]), (int)whole(at[2]), (int)whole(at[3])), 4;
	if (strcmp(word, "lend") == 0)
		return lend((size_t)whole(at[1]), (int)whole(at[2])), 3;
	if (strcmp(word, "orphan") == 0)
		return orphan(strtod(at[1], NULL)), 2;
	if (strcmp(word, "ignore") == 0)
		return signal(SIGCHLD, SIG_IGN), 1;
	if (strcmp(word, "wait") == 0)
		return pause_ms((int)whole(at[1])), 2;
	if (strcmp(word, "exit") == 0)
		exit((int)whole(at[1]));
	fprintf(stderr, "load: what is '%s'?\n", word);
	exit(EXIT_FAILURE);
}

int main(int argc, char **argv)
{
	for (char **at = argv + 1; at < argv + argc;)
		at += act(at);
	return 0;
}
