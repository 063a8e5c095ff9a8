#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/os.h"
#include "monitor/machine.h"
#include "monitor/sampler_inside.h"

enum { NS = SAMPLER_NS };

/* ---- reading ---- */

static bool read_once(struct sampler *s, const struct source *source, struct series_time *time)
{
	time->begin = os_clock(CLOCK_MONOTONIC);
	time->wall = os_clock(CLOCK_REALTIME);
	bool any = source->read(s, s->values);
	time->end = os_clock(CLOCK_MONOTONIC);
	return any;
}

static void read_source(struct sampler *s, struct source *source)
{
	struct series_time time;
	int64_t cpu = os_clock(CLOCK_THREAD_CPUTIME_ID);
	if (read_once(s, source, &time))
		series_write_sample(&s->writer, source->group, &time, s->values);
	source->read_at = time.begin;
	source->cost = os_clock(CLOCK_THREAD_CPUTIME_ID) - cpu;
}

/* Reads the program, again where it takes much longer than the last time: it was interrupted then, and
 * it is not known when within TIME the values were so. */
static void read_undisturbed(struct sampler *s, struct series_time *time)
{
	enum { TRIES = 3, USUAL = 4, MOMENT = NS / 10000 };
	struct source *tree = &s->sources[SOURCE_TREE];
	int64_t most = USUAL * tree->cost + MOMENT, took = INT64_MAX;
	for (int i = 0; i < TRIES && took > most; i++) {
		read_once(s, tree, time);
		took = time->end - time->begin;
	}
	tree->cost = took < most ? took : most;
}

/* Writes what was read of the program within TIME, of which S->VALUES are the tree's. */
static void write_program(struct sampler *s, const struct series_time *time)
{
	struct source *io = &s->sources[SOURCE_TREE_IO];
	series_write_sample(&s->writer, s->sources[SOURCE_TREE].group, time, s->values);
	if (s->is_deep && io->read(s, s->values))
		series_write_sample(&s->writer, io->group, time, s->values);
}

/* The program's resident memory does not tell what came and went between two samples; its highest
 * does. That and the I/O take twice as long to read as all else. */
static void read_program(struct sampler *s, int64_t now, bool deep)
{
	struct series_time time;
	s->is_deep = deep || now >= s->next_deep;
	if (s->is_deep)
		s->next_deep = now + NS / 10;
	processes_scan(&s->processes, now >= s->next_scan);
	if (now >= s->next_scan)
		s->next_scan = now + NS;
	read_undisturbed(s, &time);
	write_program(s, &time);
}

/* The next time on the grid of intervals; those that have passed are missed. */
static void advance(struct sampler *s, int64_t now)
{
	int64_t steps = (now - s->next) / s->order.interval + 1;
	s->due += steps;
	s->missed += steps - 1;
	s->next += steps * s->order.interval;
}

static bool is_due(const struct sampler *s, enum source_id id, int64_t now)
{
	enum { SHARE = 100, ALONE = 10 };
	const struct source *source = &s->sources[id];
	int64_t pause = source->cost * SHARE; /* the part of the time that reading may take */
	if (pause < source->least)
		pause = source->least;
	/* One process shares little, and its pages take as long to count as all else. */
	if (id == SOURCE_SHARES && s->processes.tree.of[METRIC_PROCESSES] <= 1)
		pause *= ALONE;
	return source->read != NULL && now >= source->read_at + pause;
}

static void read_others(struct sampler *s, int64_t now)
{
	for (enum source_id id = SOURCE_TREE_IO + 1; id < SOURCE_COUNT; id++) {
		if (is_due(s, id, now))
			read_source(s, &s->sources[id]);
	}
}

/* Expires when the program is due, and then at each interval. */
static void arm(struct sampler *s)
{
	int64_t interval = s->order.interval;
	struct itimerspec time = {
	        .it_value = {.tv_sec = s->next / NS, .tv_nsec = s->next % NS},
	        .it_interval = {.tv_sec = interval / NS, .tv_nsec = interval % NS}};
	if (timerfd_settime(s->timer, TFD_TIMER_ABSTIME, &time, NULL) != 0)
		s->failed = errno;
}

/* ---- the file ---- */

static void write_out(struct sampler *s)
{
	if (s->failed == 0 && os_write_all(s->order.output, strbuf_slice(&s->writer.out)) != 0)
		s->failed = errno;
	s->writer.out.len = 0;
}

/* A crash of this program leaves what was written; a crash of the node may take some seconds more. */
static void write_now_and_then(struct sampler *s, int64_t now)
{
	enum { ENOUGH = 32 * 1024 };
	if (now < s->next_write && s->writer.out.len < ENOUGH)
		return;
	s->next_write = now + NS;
	write_out(s);
}

/* ---- failures ---- */

/* Calls WHAT unless the sampler has failed, as it has where memory runs out in it. */
static void guarded(struct sampler *s, void (*what)(struct sampler *s))
{
	jmp_buf out_of_memory;
	if (s->failed != 0)
		return;
	jmp_buf *before = arena_set_handler(s->arena, &out_of_memory);
	if (setjmp(out_of_memory) == 0)
		what(s);
	else
		s->failed = ENOMEM;
	arena_set_handler(s->arena, before);
}

/* ---- marks ---- */

static void write_mark(struct sampler *s)
{
	const struct cell_mark *mark = s->mark;
	read_program(s, os_clock(CLOCK_MONOTONIC), true);
	if (mark->begins)
		series_write_begin(&s->writer, mark->cell, mark->moment);
	else
		series_write_end(&s->writer, mark->cell, mark->moment, mark->state);
}

void sampler_mark(struct sampler *s, const struct cell_mark *mark)
{
	s->mark = mark;
	guarded(s, write_mark);
}

static void write_title(struct sampler *s)
{
	series_write_title(&s->writer, s->title);
}

void sampler_title(struct sampler *s, const struct series_title *title)
{
	s->title = title;
	guarded(s, write_title);
}

/* "7 the title" */
static void take_title(struct sampler *s, struct slice rest)
{
	struct series_title title = {0};
	struct slice number = slice_next_word(&rest);
	if (!cell_number_read(number, &title.number))
		return;
	title.title = slice_trim(rest);
	sampler_title(s, &title);
}

/* Whoever waits for the answer finds all in the file. */
static void answer(struct sampler *s)
{
	read_program(s, os_clock(CLOCK_MONOTONIC), true);
	series_write_missed(&s->writer, s->due, s->missed);
	write_out(s);
	if (s->failed == 0 && os_write_all(s->order.answers, SLICE("done\n")) != 0)
		s->heard_all = true;
}

static void take_line(struct sampler *s, struct slice line)
{
	struct cell_mark mark;
	struct slice rest = line, word = slice_next_word(&rest);
	if (cell_mark_read(line, &mark))
		sampler_mark(s, &mark);
	else if (slice_eq(word, SLICE("title")))
		take_title(s, rest);
	else if (slice_eq(word, SLICE("sync")))
		answer(s);
	else if (slice_eq(word, SLICE("quit")))
		s->heard_all = true;
}

static void take_lines(struct sampler *s)
{
	struct slice rest = slice_make(s->marks, s->marks_filled);
	for (size_t end; (end = slice_find(rest, '\n', 0)) < rest.len;) {
		if (!s->skips_line)
			take_line(s, slice_sub(rest, 0, end));
		s->skips_line = false;
		rest = slice_sub(rest, end + 1, rest.len);
	}
	s->skips_line |= rest.len == sizeof s->marks; /* no mark is that long */
	s->marks_filled = s->skips_line ? 0 : rest.len;
	memmove(s->marks, rest.ptr, s->marks_filled);
}

static bool is_readable(int fd)
{
	struct pollfd descriptor = {.fd = fd, .events = POLLIN};
	return fd >= 0 && poll(&descriptor, 1, 0) > 0;
}

static void read_marks(struct sampler *s)
{
	while (is_readable(s->order.marks)) {
		ssize_t got = read(s->order.marks, s->marks + s->marks_filled,
		                   sizeof s->marks - s->marks_filled);
		if (got == 0) { /* nobody will say more: else the descriptor stays readable */
			epoll_ctl(s->poll, EPOLL_CTL_DEL, s->order.marks, NULL);
			s->order.marks = -1;
			s->heard_all = true;
		}
		if (got <= 0)
			return;
		s->marks_filled += (size_t)got;
		take_lines(s);
	}
}

/* ---- begin, look, end ---- */

/* A child that has ended is still there until it is waited for: the last moment to read it. */
static bool is_ending(const struct sampler *s)
{
	siginfo_t info = {.si_pid = 0};
	return s->order.adopts && waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
	       info.si_pid != 0;
}

static void look(struct sampler *s)
{
	uint64_t expired;
	read_marks(s);
	(void)!read(s->timer, &expired, sizeof expired); /* before the clock, which tells then */
	int64_t now = os_clock(CLOCK_MONOTONIC);
	bool due = now >= s->next;
	if (due || is_ending(s)) /* what ends wakes who waits, so that most looks need not ask */
		read_program(s, now, !due);
	read_others(s, now);
	sampler_read_gpus(s);
	if (due)
		advance(s, now);
	write_now_and_then(s, now);
}

/* It has failed, and nothing of it is to become readable any more. */
static void give_up(struct sampler *s)
{
	epoll_ctl(s->poll, EPOLL_CTL_DEL, s->timer, NULL);
	if (s->order.marks >= 0)
		epoll_ctl(s->poll, EPOLL_CTL_DEL, s->order.marks, NULL);
	if (s->gpus != NULL)
		epoll_ctl(s->poll, EPOLL_CTL_DEL, gpu_thread_fd(s->gpus), NULL);
}

void sampler_look(struct sampler *s)
{
	guarded(s, look);
	if (s->failed != 0)
		give_up(s);
}

int sampler_descriptor(const struct sampler *s)
{
	return s->poll;
}

bool sampler_has_other_ranks(const struct sampler *s)
{
	return s->failed == 0 && processes_have_other_ranks(&s->processes);
}

bool sampler_is_over(const struct sampler *s)
{
	return s->heard_all || s->failed != 0;
}

static int watch(struct sampler *s, int fd)
{
	struct epoll_event event = {.events = EPOLLIN, .data.fd = fd};
	return epoll_ctl(s->poll, EPOLL_CTL_ADD, fd, &event);
}

static int open_descriptors(struct sampler *s)
{
	s->poll = epoll_create1(EPOLL_CLOEXEC);
	s->timer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
	if (s->poll < 0 || s->timer < 0 || watch(s, s->timer) != 0)
		return -1;
	if (s->gpus != NULL && watch(s, gpu_thread_fd(s->gpus)) != 0)
		return -1;
	return s->order.marks < 0 ? 0 : watch(s, s->order.marks);
}

static void open_all(struct sampler *s)
{
	sampler_open_gpus(s);
	if (open_descriptors(s) != 0)
		s->failed = errno;
}

void sampler_close(struct sampler *s)
{
	int error = errno;
	if (s->timer >= 0)
		close(s->timer);
	if (s->poll >= 0)
		close(s->poll);
	if (s->gpus != NULL)
		gpu_thread_stop(s->gpus);
	errno = error;
}

struct sampler *sampler_open(struct arena *arena, const struct sampler_order *order)
{
	struct sampler *s = ARENA_NEW(arena, struct sampler);
	*s = (struct sampler){.arena = arena,
	                      .order = *order,
	                      .node = {.stat = -1, .meminfo = -1, .net = -1, .own = -1},
	                      .poll = -1,
	                      .timer = -1};
	guarded(s, open_all);
	if (s->failed == 0)
		return s;
	sampler_close(s);
	errno = s->failed;
	return NULL;
}

/* What the program has used before the first look counts, too. */
static void write_start(struct sampler *s)
{
	const enum source_id ids[] = {SOURCE_TREE, SOURCE_TREE_IO};
	for (size_t i = 0; i < sizeof ids / sizeof *ids; i++) {
		struct series_time time;
		read_once(s, &s->sources[ids[i]], &time);
		sampler_clear_counters(s, ids[i]);
		time.end = time.begin;
		series_write_sample(&s->writer, s->sources[ids[i]].group, &time, s->values);
	}
}

/* A script that is a rank itself has started none. */
static pid_t launcher_of(const struct sampler_order *order)
{
	bool is_launcher = order->launcher != 0 &&
	                   !process_has_variable(order->launcher, order->rank_variable);
	return is_launcher ? order->launcher : 0;
}

static void begin(struct sampler *s)
{
	struct series_head head = {
	        .command = s->order.command, .interval = s->order.interval, .node = s->order.node};
	pid_t launcher = launcher_of(&s->order);
	machine_describe(s->arena, s->pid, launcher, &head);
	sampler_describe_gpus(s, &head);
	node_open(&s->node);
	series_write_head(&s->writer, s->arena, &head);
	sampler_add_sources(s);
	sampler_add_gpus(s);
	sampler_make_room(s);
	const struct processes_order order = {.pid = s->pid,
	                                      .adopts = s->order.adopts,
	                                      .launcher = launcher,
	                                      .rank_variable = s->order.rank_variable,
	                                      .levels = s->order.levels};
	s->watches = true;
	processes_init(&s->processes, s->arena, &order);
	if (s->order.adopts)
		write_start(s);
	s->next = os_clock(CLOCK_MONOTONIC);
	arm(s);
	look(s);
}

void sampler_begin(struct sampler *s, pid_t pid)
{
	s->pid = pid;
	guarded(s, begin);
}

static void write_last(struct sampler *s)
{
	read_program(s, os_clock(CLOCK_MONOTONIC), true);
	sampler_read_gpus(s);
	for (int i = SOURCE_TREE_IO + 1; i < SOURCE_COUNT; i++) {
		bool sums_up = i != SOURCE_SHARES && i != SOURCE_SWITCHES;
		if (s->sources[i].read != NULL && sums_up)
			read_source(s, &s->sources[i]);
	}
	series_write_missed(&s->writer, s->due, s->missed);
	series_write_finish(&s->writer, &s->end);
	write_out(s);
}

static int64_t as_ns(struct timeval time)
{
	return (int64_t)time.tv_sec * NS + (int64_t)time.tv_usec * 1000;
}

int sampler_end(struct sampler *s, int status, const struct rusage *usage)
{
	enum { KIB = 1024 };
	struct series_end *end = &s->end;
	*end = (struct series_end){.moment = os_clock(CLOCK_MONOTONIC), .status = status};
	if (usage != NULL) {
		end->user = as_ns(usage->ru_utime);
		end->system = as_ns(usage->ru_stime);
		end->peak_rss = usage->ru_maxrss * KIB;
		end->minor_faults = usage->ru_minflt;
		end->major_faults = usage->ru_majflt;
		end->voluntary_switches = usage->ru_nvcsw;
		end->involuntary_switches = usage->ru_nivcsw;
	}
	guarded(s, write_last);
	if (s->watches)
		processes_release(&s->processes);
	node_close(&s->node);
	sampler_close(s);
	errno = s->failed;
	return s->failed == 0 ? 0 : -1;
}
