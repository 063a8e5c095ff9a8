/* One loop, exchange_all(), moves bytes between this program and its children: to their standard input when
 * its pipe has room, and from their output and errors as they arrive. It never waits at one pipe while another
 * one is full, and it stops at a deadline or if a signal asks this program to end. An exchange is over when the
 * child has ended or, for process_ask(), when a line of the answer has arrived. */
#include "process/process.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/os.h"

/* ---- signals ---- */

struct hold {
	struct spawn_signals before; /* for the children */
	int stops; /* readable after a signal that asks this program to end; do not read from it */
	int ended; /* likewise after a child has ended; exchange_all() reads from it */
};

static const int asking[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};

/* Lets signals act as before. Keeps errno. */
static void hold_end(struct hold *hold)
{
	int error = errno;
	os_close(&hold->stops);
	os_close(&hold->ended);
	spawn_signals_set(&hold->before);
	errno = error;
}

/* Holds SIGINT, SIGTERM, SIGHUP and SIGQUIT, except ignored ones, and SIGCHLD. Returns 0, or -1 and sets
 * errno; nothing has changed then. */
static int hold_begin(struct hold *hold)
{
	sigset_t stops, ended, both;
	struct sigaction action;
	sigemptyset(&stops);
	for (size_t i = 0; i < sizeof asking / sizeof *asking; i++) {
		/* A blocked signal stays pending even if its action is to ignore it. */
		if (sigaction(asking[i], NULL, &action) != 0 || action.sa_handler != SIG_IGN)
			sigaddset(&stops, asking[i]);
	}
	sigemptyset(&ended);
	sigaddset(&ended, SIGCHLD);
	both = stops;
	sigaddset(&both, SIGCHLD);
	spawn_signals_hold(&both, &hold->before);
	hold->stops = signalfd(-1, &stops, SFD_CLOEXEC | SFD_NONBLOCK);
	hold->ended = hold->stops < 0 ? -1 : signalfd(-1, &ended, SFD_CLOEXEC | SFD_NONBLOCK);
	if (hold->ended >= 0)
		return 0;
	hold_end(hold);
	return -1;
}

/* ---- exchanges ---- */

enum { IN, OUT, ERR, CHANNELS, CHUNK = 16384, MS = 1000, POLL_MAX_MS = 60000 };
enum { PIPE_MAX = 1 << 20 }; /* bytes that a pipe can hold: /proc/sys/fs/pipe-max-size, pipe(7) */

/* The descriptors that exchange_all() waits for: these, and CHANNELS of each exchange. */
enum { STOPS, ENDED, OWN_POLLS };

struct exchange {
	const struct process_order *order;
	struct process *process;
	struct process_result *result;
	struct slice input;   /* the part not yet written */
	char *kept[CHANNELS]; /* the first bytes of a stream, up to the order's limit */
	size_t kept_len[CHANNELS];
	struct slice last_line; /* ends the answer; empty: the end of the child does */
	size_t searched;        /* bytes of the output in which LAST_LINE does not begin */
	double deadline;        /* os_seconds(); 0: none */
	bool is_over;           /* RESULT is complete but for the status */
};

static void close_ends(int ends[CHANNELS])
{
	for (int i = 0; i < CHANNELS; i++)
		os_close(&ends[i]);
}

static void exchange_init(struct exchange *x, struct arena *arena, struct process *process,
                          const struct process_order *order, struct process_result *result)
{
	*result = (struct process_result){0};
	*x = (struct exchange){
	        .order = order, .process = process, .result = result, .input = order->input};
	for (int i = OUT; i < CHANNELS; i++)
		x->kept[i] = arena_alloc(arena, order->limit);
}

static void exchange_finish(struct exchange *x, int error)
{
	x->is_over = true;
	x->result->error = error;
	x->result->out = slice_make(x->kept[OUT], x->kept_len[OUT]);
	x->result->err = slice_make(x->kept[ERR], x->kept_len[ERR]);
}

/* Starts the child unless it runs, and the time. */
static void exchange_begin(struct exchange *x, const struct hold *hold)
{
	struct process *process = x->process;
	const struct process_order *order = x->order;
	double seconds = order->limits.seconds;
	int theirs[CHANNELS] = {-1, -1, -1}, status = 0;
	struct spawn_signals signals = hold->before;
	x->deadline = seconds == 0 ? 0 : os_seconds() + seconds;
	x->result->started = true;
	if (process->pid > 0)
		return;
	memcpy(process->ends, theirs, sizeof theirs);
	process->own_group = order->own_group;
	sigemptyset(&signals.mask);
	signals.pipe_action = (struct sigaction){.sa_handler = SIG_DFL};
	for (int i = 0; i < CHANNELS && status == 0; i++) {
		int ends[] = {-1, -1};
		status = pipe2(ends, O_CLOEXEC);
		process->ends[i] = ends[i == IN ? 1 : 0];
		theirs[i] = ends[i == IN ? 0 : 1];
	}
	if (status == 0) {
		const struct spawn_order spawned = {
		        .argv = order->argv,
		        .environment = order->environment == NULL ? environ : order->environment,
		        .signals = &signals,
		        .own_group = order->own_group,
		        .end_signal = SIGKILL,
		        .folder = order->folder,
		        .streams = theirs,
		        .limits = order->limits.resources,
		};
		process->pid = spawn(&spawned);
	}
	int error = errno;
	close_ends(theirs);
	if (process->pid > 0)
		return;
	process->pid = 0;
	close_ends(process->ends);
	x->result->started = false;
	exchange_finish(x, error);
}

/* Never blocks: a writable pipe has room for PIPE_BUF bytes. */
static int exchange_feed(struct exchange *x)
{
	struct slice part = slice_sub(x->input, 0, PIPE_BUF);
	if (os_write_all(x->process->ends[IN], part) != 0) {
		if (errno != EPIPE)
			return -1;
		part = x->input; /* the reader has closed it */
	}
	x->input = slice_tail(x->input, part.len);
	return 0;
}

static int exchange_drain(struct exchange *x, int channel)
{
	char chunk[CHUNK];
	long got = os_read(x->process->ends[channel], chunk, sizeof chunk);
	if (got < 0)
		return -1;
	size_t room = x->order->limit - x->kept_len[channel];
	size_t taken = (size_t)got < room ? (size_t)got : room;
	if (channel == OUT && x->order->is_whole && taken < (size_t)got)
		return os_fail(EMSGSIZE);
	memcpy(x->kept[channel] + x->kept_len[channel], chunk, taken);
	x->kept_len[channel] += taken;
	if (got == 0)
		os_close(&x->process->ends[channel]);
	return 0;
}

static bool has_answer(struct exchange *x)
{
	size_t len = x->kept_len[OUT];
	struct slice rest = slice_make(x->kept[OUT] + x->searched, len - x->searched), line;
	while (slice_find(rest, '\n', 0) < rest.len && slice_next_line(&rest, &line)) {
		if (slice_eq(line, x->last_line))
			return true;
		x->searched = len - rest.len;
	}
	return false;
}

static bool has_ended(const struct process *process)
{
	siginfo_t info = {0};
	int status = waitid(P_PID, (id_t)process->pid, &info, WEXITED | WNOHANG | WNOWAIT);
	return status == 0 ? info.si_pid == process->pid : errno == ECHILD;
}

/* Reads what the pipes hold after the child's end; processes that it has left may still write. Returns 0, or an
 * errno. */
static int exchange_drain_rest(struct exchange *x)
{
	if (x->process->own_group)
		kill(-x->process->pid, SIGKILL);
	for (int i = OUT; i < CHANNELS; i++) {
		struct pollfd end = {x->process->ends[i], POLLIN, 0};
		for (int left = PIPE_MAX / CHUNK; left > 0; left--) {
			int ready = poll(&end, 1, 0);
			if (ready == 0 || (ready < 0 && errno != EINTR))
				break;
			if (ready > 0 && exchange_drain(x, i) != 0)
				return errno;
			end.fd = x->process->ends[i];
		}
	}
	return 0;
}

/* Finishes the exchange if it is over. STOPS: see struct hold; -1 if signals wait for the end. A signal that came
 * before the end of the child counts. */
static void exchange_check(struct exchange *x, int stops)
{
	bool asks = x->last_line.len > 0; /* then more questions may follow */
	if (x->input.len == 0 && !asks)
		os_close(&x->process->ends[IN]);
	if (asks && has_answer(x)) {
		exchange_finish(x, 0);
	} else if (has_ended(x->process)) {
		struct pollfd stop = {stops, POLLIN, 0};
		int error = exchange_drain_rest(x);
		if (poll(&stop, 1, 0) > 0)
			error = EINTR;
		exchange_finish(x, error == 0 && asks && !has_answer(x) ? ECHILD : error);
	} else if (x->deadline != 0 && os_seconds() >= x->deadline) {
		exchange_finish(x, ETIMEDOUT);
	}
}

/* Waits until one of the descriptors is ready, or a deadline has passed. Returns 0, or an errno. */
static int exchange_wait(const struct exchange *all, size_t count, struct pollfd *polls)
{
	double wait = POLL_MAX_MS;
	for (size_t i = 0; i < count; i++) {
		double left = (all[i].deadline - os_seconds()) * MS + 1;
		if (!all[i].is_over && all[i].deadline != 0 && left < wait)
			wait = left < 0 ? 0 : left;
	}
	int ready = poll(polls, OWN_POLLS + count * CHANNELS, (int)wait);
	if (ready < 0 && errno != EINTR)
		return errno;
	if (ready <= 0) /* nothing is ready */
		memset(polls, 0, (OWN_POLLS + count * CHANNELS) * sizeof *polls);
	return polls[STOPS].revents != 0 ? EINTR : 0;
}

/* Returns when all exchanges are over. The first one's order decides whether signals end them. */
static void exchange_all(struct exchange *all, size_t count, struct pollfd *polls,
                         const struct hold *hold)
{
	int stops = all->order->to_the_end ? -1 : hold->stops;
	struct signalfd_siginfo info;
	for (;;) {
		bool any = false;
		polls[STOPS] = (struct pollfd){stops, POLLIN, 0};
		polls[ENDED] = (struct pollfd){hold->ended, POLLIN, 0};
		for (size_t i = 0; i < count; i++) {
			struct exchange *x = &all[i];
			struct pollfd *own = &polls[OWN_POLLS + i * CHANNELS];
			if (!x->is_over)
				exchange_check(x, stops);
			any |= !x->is_over;
			for (int k = 0; k < CHANNELS; k++)
				own[k] = (struct pollfd){x->is_over ? -1 : x->process->ends[k],
				                         k == IN ? POLLOUT : POLLIN, 0};
			if (x->input.len == 0)
				own[IN].fd = -1;
		}
		if (!any)
			return;
		int error = exchange_wait(all, count, polls);
		while (read(hold->ended, &info, sizeof info) > 0)
			;
		for (size_t i = 0; i < count; i++) {
			const struct pollfd *own = &polls[OWN_POLLS + i * CHANNELS];
			for (int k = 0; k < CHANNELS && error == 0 && !all[i].is_over; k++) {
				if (own[k].revents != 0 &&
				    (k == IN ? exchange_feed(&all[i])
				             : exchange_drain(&all[i], k)) != 0)
					exchange_finish(&all[i], errno);
			}
			if (error != 0 && !all[i].is_over)
				exchange_finish(&all[i], error);
		}
	}
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

int process_run_all(struct arena *arena, const struct process_order *orders, size_t count,
                    struct process_result *results)
{
	struct process *processes = arena_calloc(arena, count, sizeof *processes);
	struct exchange *all = arena_calloc(arena, count, sizeof *all);
	struct pollfd *polls = arena_calloc(arena, OWN_POLLS + count * CHANNELS, sizeof *polls);
	struct hold hold;
	/* Nothing is allocated after the first start. */
	for (size_t i = 0; i < count; i++)
		exchange_init(&all[i], arena, &processes[i], &orders[i], &results[i]);
	if (hold_begin(&hold) != 0)
		return -1;
	for (size_t i = 0; i < count; i++)
		exchange_begin(&all[i], &hold);
	if (count > 0)
		exchange_all(all, count, polls, &hold);
	for (size_t i = 0; i < count; i++) {
		if (results[i].started)
			end_child(&processes[i], &results[i].status);
	}
	hold_end(&hold);
	return 0;
}

int process_run(struct arena *arena, const struct process_order *order, struct process_result *out)
{
	if (process_run_all(arena, order, 1, out) != 0)
		return -1;
	return out->error == 0 ? 0 : os_fail(out->error);
}

int process_ask(struct arena *arena, struct process *process, const struct process_order *order,
                struct slice last_line, struct process_result *out)
{
	struct exchange x;
	struct pollfd polls[OWN_POLLS + CHANNELS];
	struct hold hold;
	exchange_init(&x, arena, process, order, out);
	x.last_line = last_line;
	if (hold_begin(&hold) != 0) {
		out->error = errno;
		return -1;
	}
	exchange_begin(&x, &hold);
	exchange_all(&x, 1, polls, &hold);
	if (out->started && (out->error != 0 || x.input.len > 0))
		end_child(process, &out->status);
	hold_end(&hold);
	return out->error == 0 ? 0 : os_fail(out->error);
}

void process_end(struct process *process)
{
	if (process->pid > 0)
		end_child(process, NULL);
}

struct slice process_ending(struct arena *arena, int status)
{
	if (WIFSIGNALED(status))
		return arena_printf(arena, "was killed by signal %d", WTERMSIG(status));
	return arena_printf(arena, "ended with status %d", WEXITSTATUS(status));
}

struct slice process_failure(struct arena *arena, const struct process_result *result,
                             double seconds)
{
	enum { LINE_MAX_BYTES = 200 };
	struct slice rest = result->err, line, last = slice_make("", 0);
	if (result->error == ETIMEDOUT)
		return arena_printf(arena, "it takes longer than %g s", seconds);
	if (result->error == EMSGSIZE)
		return SLICE("its answer is too long");
	if (result->error != 0 && result->error != ECHILD)
		return arena_printf(arena, "it cannot be started: %s", strerror(result->error));
	if (result->error == 0 && result->status == 0)
		return last;
	while (slice_next_line(&rest, &line))
		last = slice_trim(line).len > 0 ? slice_trim(line) : last;
	last = slice_sub(last, 0, LINE_MAX_BYTES);
	return arena_printf(arena, "it %.*s%s%.*s",
	                    SLICE_ARG(process_ending(arena, result->status)),
	                    last.len > 0 ? ": " : "", SLICE_ARG(last));
}
