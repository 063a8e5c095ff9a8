#include "process/probe.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "process/hold.h"

enum { OUT, ERR, STREAMS, CHUNK = 16384 };

/* Descriptors that a round waits for, before those of the programs. */
enum { STOP, CHILD_ENDED, SIGNALS };

struct stream {
	int fd; /* our end; -1: closed */
	char *kept;
	size_t len;
};

struct running {
	struct probe *probe;
	pid_t pid; /* 0: not running */
	struct stream streams[STREAMS];
};

struct round {
	struct running *running;
	struct pollfd *polls;
	size_t count;
	struct hold hold;
	long long deadline; /* milliseconds */
};

static long long now(void)
{
	struct timespec time;
	clock_gettime(CLOCK_MONOTONIC, &time);
	return time.tv_sec * 1000LL + time.tv_nsec / 1000000;
}

static void close_end(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

static int open_pipe(int ends[2])
{
	if (pipe2(ends, O_CLOEXEC) != 0)
		return -1;
	return fcntl(ends[0], F_SETFL, O_NONBLOCK);
}

/* Returns 0, or an errno. */
static int start_program(struct running *running, const int theirs[STREAMS],
                         const struct hold *hold)
{
	int nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);
	if (nothing < 0)
		return errno;
	const struct spawn_given given[] = {{nothing, STDIN_FILENO},
	                                    {theirs[OUT], STDOUT_FILENO},
	                                    {theirs[ERR], STDERR_FILENO}};
	const struct spawn_order order = {
	        .argv = (char *const *)(const void *)running->probe->argv,
	        .environment = environ,
	        .signals = &hold->before,
	        .own_group = true,
	        .end_signal = SIGKILL,
	        .given = given,
	        .given_count = sizeof given / sizeof *given,
	};
	running->pid = spawn(&order);
	int error = running->pid < 0 ? errno : 0;
	close(nothing);
	return error;
}

static void start(struct running *running, const struct hold *hold)
{
	int theirs[STREAMS] = {-1, -1}, ends[2];
	int error = 0;
	for (int i = 0; i < STREAMS && error == 0; i++) {
		if (open_pipe(ends) != 0) {
			error = errno;
			break;
		}
		running->streams[i].fd = ends[0];
		theirs[i] = ends[1];
	}
	if (error == 0)
		error = start_program(running, theirs, hold);
	for (int i = 0; i < STREAMS; i++) {
		close_end(&theirs[i]);
		if (error != 0)
			close_end(&running->streams[i].fd);
	}
	running->pid = error == 0 ? running->pid : 0;
	running->probe->end = PROBE_NOT_STARTED;
	running->probe->error = error;
}

/* Reads the available bytes. Returns -1 if there are more than are kept. */
static int drain(struct stream *stream)
{
	char chunk[CHUNK];
	for (;;) {
		ssize_t got = stream->fd < 0 ? 0 : read(stream->fd, chunk, sizeof chunk);
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0 && errno == EAGAIN)
			return 0;
		if (got <= 0) {
			close_end(&stream->fd);
			return 0;
		}
		size_t room = PROBE_OUTPUT_MAX - stream->len;
		size_t taken = (size_t)got < room ? (size_t)got : room;
		memcpy(stream->kept + stream->len, chunk, taken);
		stream->len += taken;
		if (taken < (size_t)got)
			return -1;
	}
}

/* Kills the program, if it has not ended, and the rest of its group. The group's number stays reserved
 * until the program is waited for, so no other process is killed. */
static void finish(struct running *running, enum probe_end end)
{
	kill(-running->pid, SIGKILL);
	while (waitpid(running->pid, &running->probe->status, 0) < 0 && errno == EINTR)
		;
	running->pid = 0;
	running->probe->end = end;
	for (int i = 0; i < STREAMS; i++) {
		if (end == PROBE_ENDED && drain(&running->streams[i]) != 0)
			running->probe->end = PROBE_TOO_LONG;
		close_end(&running->streams[i].fd);
	}
}

static bool has_ended(const struct running *running)
{
	siginfo_t info = {0};
	return waitid(P_PID, (id_t)running->pid, &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
	       info.si_pid == running->pid;
}

static void look_at(struct running *running)
{
	bool too_long = false;
	for (int i = 0; i < STREAMS; i++)
		too_long |= drain(&running->streams[i]) != 0;
	if (too_long)
		finish(running, PROBE_TOO_LONG);
	else if (has_ended(running))
		finish(running, PROBE_ENDED);
}

/* Fills round->polls and returns their number. Sets *ANY if a program runs. */
static nfds_t collect(const struct round *round, bool *any)
{
	nfds_t used = SIGNALS;
	*any = false;
	for (size_t i = 0; i < round->count; i++) {
		const struct running *running = &round->running[i];
		*any |= running->pid != 0;
		for (int k = 0; running->pid != 0 && k < STREAMS; k++) {
			if (running->streams[k].fd >= 0)
				round->polls[used++] =
				        (struct pollfd){running->streams[k].fd, POLLIN, 0};
		}
	}
	round->polls[STOP] = (struct pollfd){round->hold.stops, POLLIN, 0};
	round->polls[CHILD_ENDED] = (struct pollfd){round->hold.ended, POLLIN, 0};
	return used;
}

/* Waits for an event. Returns false if the round must stop. */
static bool wait_for_news(struct round *round, nfds_t used)
{
	long long left = round->deadline - now();
	if (left <= 0 || (poll(round->polls, used, (int)left) < 0 && errno != EINTR))
		return false;
	hold_forget_ended(&round->hold);
	return round->polls[STOP].revents == 0;
}

static void run_round(struct round *round)
{
	bool any;
	nfds_t used;
	while ((used = collect(round, &any)), any && wait_for_news(round, used)) {
		for (size_t i = 0; i < round->count; i++) {
			if (round->running[i].pid != 0)
				look_at(&round->running[i]);
		}
	}
	for (size_t i = 0; i < round->count; i++) {
		if (round->running[i].pid != 0)
			finish(&round->running[i], PROBE_TIMED_OUT);
	}
}

/* Allocates all memory, because a failure later would leave programs running. */
static void prepare(struct round *round, struct arena *arena, struct probe *probes, size_t count)
{
	*round = (struct round){.count = count};
	round->running = arena_calloc(arena, count, sizeof *round->running);
	round->polls = arena_calloc(arena, SIGNALS + count * STREAMS, sizeof *round->polls);
	for (size_t i = 0; i < count; i++) {
		struct running *running = &round->running[i];
		running->probe = &probes[i];
		for (int k = 0; k < STREAMS; k++)
			running->streams[k] =
			        (struct stream){-1, arena_alloc(arena, PROBE_OUTPUT_MAX), 0};
	}
}

int probe_all(struct arena *arena, struct probe *probes, size_t count, unsigned seconds)
{
	struct round round;
	prepare(&round, arena, probes, count);
	if (hold_begin(&round.hold) != 0)
		return -1;
	for (size_t i = 0; i < count; i++)
		start(&round.running[i], &round.hold);
	round.deadline = now() + seconds * 1000LL;
	run_round(&round);
	hold_end(&round.hold);
	for (size_t i = 0; i < count; i++) {
		const struct stream *streams = round.running[i].streams;
		probes[i].out = slice_make(streams[OUT].kept, streams[OUT].len);
		probes[i].err = slice_make(streams[ERR].kept, streams[ERR].len);
	}
	return 0;
}
