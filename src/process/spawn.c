#include "process/spawn.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/os.h"

enum { EXIT_SIGNAL = 128, EXIT_NOT_STARTED = 127, PID_TEXT = 16 };

void spawn_signals_hold(const sigset_t *held, struct spawn_signals *before)
{
	struct sigaction ignore = {.sa_handler = SIG_IGN}, standard = {.sa_handler = SIG_DFL};
	sigprocmask(SIG_BLOCK, held, &before->mask);
	sigaction(SIGPIPE, &ignore, &before->pipe_action);
	sigaction(SIGCHLD, &standard, &before->child_action);
}

void spawn_signals_set(const struct spawn_signals *signals)
{
	sigaction(SIGPIPE, &signals->pipe_action, NULL);
	sigaction(SIGCHLD, &signals->child_action, NULL);
	sigprocmask(SIG_SETMASK, &signals->mask, NULL);
}

/* The hard limit, at which the kernel sends SIGKILL, is higher by SPARE. */
static bool set_limit(int resource, rlim_t most, rlim_t spare)
{
	struct rlimit limit;
	if (most == 0)
		return true;
	if (getrlimit((unsigned)resource, &limit) != 0)
		return false;
	if (limit.rlim_max > most + spare) /* RLIM_INFINITY is the largest number */
		limit.rlim_max = most + spare;
	if (limit.rlim_cur > most)
		limit.rlim_cur = most;
	return setrlimit((unsigned)resource, &limit) == 0;
}

/* Runs in the child; never returns. */
static _Noreturn void become(const struct spawn_order *order, int tell, pid_t parent)
{
	if (order->own_group)
		setpgid(0, 0);
	if (order->own_session)
		setsid();
	if (order->end_signal != 0) {
		prctl(PR_SET_PDEATHSIG, order->end_signal);
		if (getppid() != parent)
			_exit(EXIT_SIGNAL + order->end_signal);
	}
	spawn_signals_set(order->signals);
	/* Each number is above those of the standard streams, as os_keep_standard_descriptors() lets no file get them. */
	bool has_streams = true;
	for (int i = 0; order->streams != NULL && i < SPAWN_STREAMS; i++)
		has_streams = has_streams && dup2(order->streams[i], i) >= 0;
	/* Like execve(), execvpe() does not change the words. */
	if (has_streams && (order->folder == NULL || chdir(order->folder) == 0) &&
	    set_limit(RLIMIT_CPU, order->limits.cpu_seconds, 1) &&
	    set_limit(RLIMIT_AS, order->limits.memory, 0))
		execvpe(order->argv[0], (char *const *)(const void *)order->argv,
		        order->environment);
	int error = errno;
	(void)os_write_all(tell, slice_make((const char *)&error, sizeof error));
	_exit(EXIT_NOT_STARTED);
}

pid_t spawn(const struct spawn_order *order)
{
	int pipe_ends[2];
	if (pipe2(pipe_ends, O_CLOEXEC) != 0)
		return -1;
	pid_t parent = getpid(), pid = fork();
	if (pid == 0)
		become(order, pipe_ends[1], parent);
	os_close_quietly(pipe_ends[1]);
	/* The child writes only if it has not become the program. */
	int error = 0;
	if (pid >= 0 && os_read(pipe_ends[0], &error, sizeof error) == (long)sizeof error) {
		while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
			;
		pid = os_fail(error);
	}
	os_close_quietly(pipe_ends[0]);
	return pid;
}

/* The children of PID: children_next() returns one after the other, then 0. */
static FILE *children_open(pid_t pid)
{
	char path[64];
	snprintf(path, sizeof path, "/proc/%d/task/%d/children", (int)pid, (int)pid);
	return fopen(path, "re");
}

static pid_t children_next(FILE *list)
{
	char word[PID_TEXT];
	if (list != NULL && fscanf(list, "%15s", word) == 1)
		return (pid_t)strtol(word, NULL, 10);
	if (list != NULL)
		fclose(list);
	return 0;
}

/* Stops the parent first, so that it starts no more processes. */
void spawn_kill(pid_t pid)
{
	kill(pid, SIGSTOP);
	FILE *list = children_open(pid);
	for (pid_t child; (child = children_next(list)) > 0;)
		spawn_kill(child);
	kill(pid, SIGKILL);
}

bool spawn_signal_descendants(pid_t parent, pid_t (*id_of)(pid_t pid), pid_t id, int number)
{
	FILE *list = children_open(parent);
	bool any = false;
	for (pid_t pid; (pid = children_next(list)) > 0;) {
		/* A shell whose child is killed before it would print that. */
		any |= id_of(pid) == id && kill(pid, number) == 0;
		any |= spawn_signal_descendants(pid, id_of, id, number);
	}
	return any;
}
