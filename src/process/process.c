/* One loop, exchange(), moves bytes between this program and a child: to the child's standard input
 * when its pipe has room, and from its output and errors as they arrive. The loop never waits at one
 * pipe while another one is full, and it stops at a deadline or if a signal asks this program to end.
 * process_run() exchanges until all pipes are closed, process_ask() until a line of the answer. */
#include "process/process.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/os.h"
#include "process/hold.h"

enum { IN, OUT, ERR, CHANNELS, CHUNK = 16384, MS = 1000, POLL_MAX_MS = 60000 };

/* The kept part of a stream. */
struct kept {
	char *text;
	size_t len, limit;
};

struct exchange {
	struct process *process;
	struct hold hold;
	struct slice input; /* the part not yet written */
	bool closes_input;  /* after that */
	struct kept kept[CHANNELS];
	struct slice last_line; /* ends the answer; empty: the end of all streams does */
	size_t searched;        /* bytes of the output in which LAST_LINE does not begin */
	double deadline;        /* os_seconds(); 0: none */
	int stops; /* readable after a signal that ends the exchange; -1: no signal does */
};

static void close_end(int *fd)
{
	int error = errno;
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
	errno = error;
}

static void close_ends(int ends[CHANNELS])
{
	for (int i = 0; i < CHANNELS; i++)
		close_end(&ends[i]);
}

/* Allocates all memory, because an exchange must not allocate after its beginning. */
static void prepare(struct exchange *x, struct arena *arena, struct process *process,
                    const struct process_order *order)
{
	*x = (struct exchange){.process = process, .input = order->input};
	for (int i = OUT; i < CHANNELS; i++)
		x->kept[i] = (struct kept){arena_alloc(arena, order->limit), 0, order->limit};
}

static int open_pipes(int ours[CHANNELS], int theirs[CHANNELS])
{
	for (int i = 0; i < CHANNELS; i++) {
		int ends[2];
		if (pipe2(ends, O_CLOEXEC) != 0)
			return -1;
		ours[i] = ends[i == IN ? 1 : 0];
		theirs[i] = ends[i == IN ? 0 : 1];
	}
	return 0;
}

static int start(struct process *process, const struct process_order *order,
                 const struct hold *hold)
{
	static const int closed[CHANNELS] = {-1, -1, -1};
	int theirs[CHANNELS] = {-1, -1, -1};
	struct spawn_signals signals = hold->before;
	memcpy(process->ends, closed, sizeof closed);
	process->pid = 0;
	process->own_group = order->own_group;
	sigemptyset(&signals.mask);
	signals.pipe_action = (struct sigaction){.sa_handler = SIG_DFL};
	if (open_pipes(process->ends, theirs) == 0) {
		const struct spawn_given given[] = {
		        {theirs[IN], IN}, {theirs[OUT], OUT}, {theirs[ERR], ERR}};
		const struct spawn_order spawned = {
		        .argv = (char *const *)(const void *)order->argv,
		        .environment = order->environment == NULL ? environ : order->environment,
		        .signals = &signals,
		        .own_group = order->own_group,
		        .end_signal = SIGKILL,
		        .folder = order->folder,
		        .given = given,
		        .given_count = CHANNELS,
		        .limits = order->limits.resources,
		};
		process->pid = spawn(&spawned);
	}
	close_ends(theirs);
	if (process->pid > 0)
		return 0;
	process->pid = 0;
	close_ends(process->ends);
	return -1;
}

/* Never blocks: a writable pipe has room for PIPE_BUF bytes. */
static int feed(struct exchange *x)
{
	struct slice part = slice_sub(x->input, 0, PIPE_BUF);
	if (os_write_all(x->process->ends[IN], part) != 0) {
		if (errno != EPIPE)
			return -1;
		part = x->input;
		close_end(&x->process->ends[IN]);
	}
	x->input = slice_sub(x->input, part.len, x->input.len);
	return 0;
}

static int drain(struct exchange *x, int channel)
{
	char chunk[CHUNK];
	struct kept *kept = &x->kept[channel];
	long got = os_read(x->process->ends[channel], chunk, sizeof chunk);
	if (got < 0)
		return -1;
	size_t room = kept->limit - kept->len;
	size_t taken = (size_t)got < room ? (size_t)got : room;
	if (channel == OUT && x->last_line.len > 0 && taken < (size_t)got) {
		errno = EMSGSIZE;
		return -1;
	}
	memcpy(kept->text + kept->len, chunk, taken);
	kept->len += taken;
	if (got == 0)
		close_end(&x->process->ends[channel]);
	return 0;
}

static bool has_answer(struct exchange *x)
{
	const struct kept *out = &x->kept[OUT];
	struct slice rest = slice_make(out->text + x->searched, out->len - x->searched), line;
	while (slice_find(rest, '\n', 0) < rest.len && slice_next_line(&rest, &line)) {
		if (slice_eq(line, x->last_line))
			return true;
		x->searched = out->len - rest.len;
	}
	return false;
}

/* Returns 1 if the exchange is over, 0 if not, -1 if the child has ended without its answer. */
static int is_over(struct exchange *x)
{
	const int *ends = x->process->ends;
	if (x->last_line.len == 0)
		return ends[IN] < 0 && ends[OUT] < 0 && ends[ERR] < 0;
	if (has_answer(x))
		return 1;
	errno = ECHILD;
	return ends[OUT] < 0 && ends[ERR] < 0 ? -1 : 0;
}

/* Milliseconds, for poll(); 0: the deadline has passed. */
static int time_left(const struct exchange *x)
{
	double left = x->deadline == 0 ? POLL_MAX_MS : (x->deadline - os_seconds()) * MS;
	return left <= 0 ? 0 : left < POLL_MAX_MS ? (int)left + 1 : POLL_MAX_MS;
}

/* Waits until one of POLLS is ready. The last one is for x->stops. */
static int wait_for_news(const struct exchange *x, struct pollfd *polls, nfds_t count)
{
	for (;;) {
		int left = time_left(x);
		int ready = left == 0 ? 0 : poll(polls, count, left);
		if (ready < 0 && errno != EINTR)
			return -1;
		if (ready > 0 && polls[count - 1].revents != 0) {
			errno = EINTR;
			return -1;
		}
		if (ready > 0)
			return 0;
		errno = ETIMEDOUT;
		if (left == 0)
			return -1;
	}
}

static int move_bytes(struct exchange *x)
{
	int *ends = x->process->ends;
	struct pollfd polls[] = {{x->input.len > 0 ? ends[IN] : -1, POLLOUT, 0},
	                         {ends[OUT], POLLIN, 0},
	                         {ends[ERR], POLLIN, 0},
	                         {x->stops, POLLIN, 0}};
	if (wait_for_news(x, polls, CHANNELS + 1) != 0)
		return -1;
	for (int i = 0; i < CHANNELS; i++) {
		if (polls[i].revents != 0 && (i == IN ? feed(x) : drain(x, i)) != 0)
			return -1;
	}
	return 0;
}

static int exchange(struct exchange *x)
{
	for (;;) {
		if (x->input.len == 0 && x->closes_input)
			close_end(&x->process->ends[IN]);
		int over = is_over(x);
		if (over != 0)
			return over < 0 ? -1 : 0;
		if (move_bytes(x) != 0)
			return -1;
	}
}

static bool has_ended(const struct process *process)
{
	siginfo_t info = {0};
	return waitid(P_PID, (id_t)process->pid, &info, WEXITED | WNOHANG | WNOWAIT) != 0 ||
	       info.si_pid == process->pid;
}

/* Waits for the end of a child that has closed its streams. Keeps errno if it returns 0. */
static int await_end(const struct exchange *x)
{
	int error = errno;
	while (!has_ended(x->process)) {
		struct pollfd polls[] = {{x->hold.ended, POLLIN, 0}, {x->stops, POLLIN, 0}};
		if (wait_for_news(x, polls, 2) != 0)
			return -1;
		hold_forget_ended(&x->hold);
	}
	errno = error;
	return 0;
}

/* Kills the child, if it has not ended, and the rest of its group, whose number stays reserved until
 * the child is waited for. */
static void end_child(struct process *process, int *status)
{
	int error = errno;
	close_ends(process->ends);
	kill(process->own_group ? -process->pid : process->pid, SIGKILL);
	while (waitpid(process->pid, status, 0) < 0 && errno == EINTR)
		;
	process->pid = 0;
	errno = error;
}

static void take_texts(const struct exchange *x, struct process_result *out)
{
	out->out = slice_make(x->kept[OUT].text, x->kept[OUT].len);
	out->err = slice_make(x->kept[ERR].text, x->kept[ERR].len);
}

/* Returns 0, or -1 and sets errno. Call hold_end() afterwards. */
static int begin(struct exchange *x, const struct process_order *order)
{
	double seconds = order->limits.seconds;
	if (hold_begin(&x->hold) != 0)
		return -1;
	x->stops = order->to_the_end ? -1 : x->hold.stops;
	x->deadline = seconds == 0 ? 0 : os_seconds() + seconds;
	return 0;
}

int process_run(struct arena *arena, const struct process_order *order, struct process_result *out)
{
	struct process process = {0};
	struct exchange x;
	*out = (struct process_result){0};
	prepare(&x, arena, &process, order);
	x.closes_input = true;
	if (begin(&x, order) != 0)
		return -1;
	int result = start(&process, order, &x.hold);
	out->started = result == 0;
	if (result == 0)
		result = exchange(&x);
	if (result == 0)
		result = await_end(&x);
	if (out->started)
		end_child(&process, &out->status);
	hold_end(&x.hold);
	take_texts(&x, out);
	return result;
}

int process_ask(struct arena *arena, struct process *process, const struct process_order *order,
                struct slice last_line, struct process_result *out)
{
	struct exchange x;
	*out = (struct process_result){0};
	prepare(&x, arena, process, order);
	x.last_line = last_line;
	if (begin(&x, order) != 0)
		return -1;
	int result = process->pid > 0 ? 0 : start(process, order, &x.hold);
	out->started = result == 0;
	if (result == 0)
		result = exchange(&x);
	if (result != 0 && errno == ECHILD)
		(void)await_end(&x);
	if (out->started && (result != 0 || x.input.len > 0))
		end_child(process, &out->status);
	hold_end(&x.hold);
	take_texts(&x, out);
	return result;
}

void process_end(struct process *process)
{
	int status = 0;
	if (process->pid > 0)
		end_child(process, &status);
}

struct slice process_problem(struct arena *arena, const struct process_order *order,
                             const struct process_result *result, int error)
{
	const char *name = order->argv[0];
	if (error == ETIMEDOUT)
		return arena_printf(arena, "'%s' takes longer than %g s", name,
		                    order->limits.seconds);
	return arena_printf(arena, "cannot %s '%s': %s", result->started ? "talk to" : "start",
	                    name, strerror(error));
}

struct slice process_ending(struct arena *arena, int status)
{
	if (WIFSIGNALED(status))
		return arena_printf(arena, "was killed by signal %d", WTERMSIG(status));
	return arena_printf(arena, "ended with status %d", WEXITSTATUS(status));
}
