#include "run/process.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/os.h"

enum { IN, OUT, ERR, CHANNELS, CHUNK = 16384 };

/* Our end of one of the child's standard streams. */
struct channel {
	int ours, theirs;  /* -1: closed */
	struct slice left; /* IN: what is still to be written */
	char *kept;        /* OUT, ERR: what was read */
	size_t len, limit;
};

struct child {
	struct channel channels[CHANNELS];
	pid_t pid;                                  /* 0: not started */
	struct sigaction pipe_action, child_action; /* of the caller */
};

static void close_end(int *fd)
{
	int error = errno;
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
	errno = error;
}

/* All memory is taken here: running out of it later would leave a child behind. */
static void init(struct child *child, struct arena *arena, const struct process_order *order)
{
	*child = (struct child){0};
	for (int i = 0; i < CHANNELS; i++) {
		struct channel *channel = &child->channels[i];
		channel->ours = channel->theirs = -1;
		channel->left = i == IN ? order->input : slice_make(NULL, 0);
		channel->limit = i == IN ? 0 : order->limit;
		channel->kept = arena_alloc(arena, channel->limit);
	}
}

/* The input's pipe comes first: where standard descriptors are closed it takes their numbers, and
 * the moves in the child overwrite nothing that is still needed. */
static int open_pipes(struct child *child)
{
	for (int i = 0; i < CHANNELS; i++) {
		int ends[2];
		if (pipe2(ends, O_CLOEXEC) != 0)
			return -1;
		child->channels[i].ours = ends[i == IN ? 1 : 0];
		child->channels[i].theirs = ends[i == IN ? 0 : 1];
	}
	return 0;
}

/* A child that stops reading must not end this program, and one whose end the caller does not want
 * to hear of must be waited for. */
static void take_signals(struct child *child)
{
	struct sigaction ignore = {.sa_handler = SIG_IGN}, standard = {.sa_handler = SIG_DFL};
	sigaction(SIGPIPE, &ignore, &child->pipe_action);
	sigaction(SIGCHLD, &standard, &child->child_action);
}

static void give_signals_back(const struct child *child)
{
	sigaction(SIGPIPE, &child->pipe_action, NULL);
	sigaction(SIGCHLD, &child->child_action, NULL);
}

static int spawn(struct child *child, const struct process_order *order)
{
	const char *const *argv = order->argv;
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attributes;
	sigset_t reset, none;
	sigemptyset(&none);
	sigemptyset(&reset);
	sigaddset(&reset, SIGPIPE);
	if ((errno = posix_spawn_file_actions_init(&actions)) != 0)
		return -1;
	if ((errno = posix_spawnattr_init(&attributes)) != 0) {
		posix_spawn_file_actions_destroy(&actions);
		return -1;
	}
	int error = posix_spawnattr_setsigdefault(&attributes, &reset);
	if (error == 0)
		error = posix_spawnattr_setsigmask(&attributes, &none);
	if (error == 0)
		error = posix_spawnattr_setflags(&attributes,
		                                 POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);
	for (int i = 0; i < CHANNELS && error == 0; i++)
		error = posix_spawn_file_actions_adddup2(&actions, child->channels[i].theirs, i);
	/* posix_spawnp() takes what execvp() takes: it changes none of the words. */
	if (error == 0)
		error = posix_spawnp(&child->pid, argv[0], &actions, &attributes,
		                     (char *const *)(void *)argv,
		                     order->environment == NULL ? environ : order->environment);
	posix_spawnattr_destroy(&attributes);
	posix_spawn_file_actions_destroy(&actions);
	errno = error;
	return error == 0 ? 0 : -1;
}

/* Never blocks: a pipe that can be written to takes this many bytes. */
static int feed(struct channel *channel)
{
	struct slice part = slice_sub(channel->left, 0, PIPE_BUF);
	if (os_write_all(channel->ours, part) != 0) {
		if (errno != EPIPE)
			return -1;
		part = channel->left;
	}
	channel->left = slice_sub(channel->left, part.len, channel->left.len);
	if (channel->left.len == 0)
		close_end(&channel->ours);
	return 0;
}

static int drain(struct channel *channel)
{
	char chunk[CHUNK];
	long got = os_read(channel->ours, chunk, sizeof chunk);
	if (got < 0)
		return -1;
	size_t room = channel->limit - channel->len;
	size_t taken = (size_t)got < room ? (size_t)got : room;
	memcpy(channel->kept + channel->len, chunk, taken);
	channel->len += taken;
	if (got == 0)
		close_end(&channel->ours);
	return 0;
}

/* Moves bytes until all our ends are closed. */
static int talk(struct child *child)
{
	struct channel *channels = child->channels;
	if (channels[IN].left.len == 0)
		close_end(&channels[IN].ours);
	for (;;) {
		struct pollfd polls[CHANNELS];
		bool open = false;
		for (int i = 0; i < CHANNELS; i++) {
			polls[i] = (struct pollfd){channels[i].ours, i == IN ? POLLOUT : POLLIN, 0};
			open |= channels[i].ours >= 0;
		}
		if (!open)
			return 0;
		if (poll(polls, CHANNELS, -1) < 0) {
			if (errno != EINTR)
				return -1;
			continue;
		}
		for (int i = 0; i < CHANNELS; i++) {
			if (polls[i].revents != 0 &&
			    (i == IN ? feed(&channels[i]) : drain(&channels[i])) != 0)
				return -1;
		}
	}
}

static int wait_for(pid_t pid, int *status)
{
	while (waitpid(pid, status, 0) < 0) {
		if (errno != EINTR)
			return -1;
	}
	return 0;
}

static int start_and_talk(struct child *child, const struct process_order *order)
{
	if (open_pipes(child) != 0 || spawn(child, order) != 0)
		return -1;
	for (int i = 0; i < CHANNELS; i++)
		close_end(&child->channels[i].theirs);
	return talk(child);
}

int process_run(struct arena *arena, const struct process_order *order, struct process_result *out)
{
	struct child child;
	init(&child, arena, order);
	take_signals(&child);
	int result = start_and_talk(&child, order);
	int error = errno;
	for (int i = 0; i < CHANNELS; i++) {
		close_end(&child.channels[i].ours);
		close_end(&child.channels[i].theirs);
	}
	if (child.pid > 0 && result != 0)
		kill(child.pid, SIGKILL);
	if (child.pid > 0 && wait_for(child.pid, &out->status) != 0 && result == 0) {
		result = -1;
		error = errno;
	}
	give_signals_back(&child);
	out->started = child.pid > 0;
	out->out = slice_make(child.channels[OUT].kept, child.channels[OUT].len);
	out->err = slice_make(child.channels[ERR].kept, child.channels[ERR].len);
	errno = error;
	return result;
}

struct slice process_ending(struct arena *arena, int status)
{
	if (WIFSIGNALED(status))
		return arena_printf(arena, "was killed by signal %d", WTERMSIG(status));
	return arena_printf(arena, "ended with status %d", WEXITSTATUS(status));
}
