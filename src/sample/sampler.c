#include "sample/sampler.h"

#include <poll.h>
#include <sys/epoll.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/os.h"
#include "sample/sampler_sources.h"
#include "sample/series_write.h"

enum { NS = SAMPLER_NS };

/* ---- the file ---- */

static void write_out(struct sampler *s)
{
	if (s->failed == 0 && os_write_all(s->order.output, strbuf_slice(&s->writer.out)) != 0)
		s->failed = errno;
	s->writer.out.len = 0;
}

/* ---- failures ---- */

/* Calls WHAT unless the sampler has failed, as it has where memory runs out in it. */
static void guard_memory(struct sampler *s, void (*what)(struct sampler *s))
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

/* ---- begins, ends and titles of cells, as calls and as lines that others write ---- */

/* The script has reported its own memory at the mark: until the sampler has read the program, the next cell may
 * have allocated more.
 *
 * The script could have the kernel forget its peak when a cell begins (5 to /proc/self/clear_refs),
 * which would show the peak of each cell. It does not: ru_maxrss would be forgotten, too, which
 * scripts, Score-P and batch systems report of the whole run. */
static void write_mark(struct sampler *s)
{
	const struct cell_mark *mark = s->mark;
	processes_had(&s->processes, mark->children);
	processes_had(&s->processes, mark->peak);
	/* The peak is the highest one known before the program is read. */
	struct process_memory memory = {mark->resident, s->processes.tree.of[METRIC_PEAK_RSS]};
	sampler_read_program(s, os_clock(CLOCK_MONOTONIC), true);
	if (mark->pid != 0 && mark->moment >= s->last_mark &&
	    processes_correct(&s->processes, (pid_t)mark->pid, &memory)) {
		struct series_time time = {mark->moment, mark->moment, mark->moment};
		const int64_t values[] = {memory.resident, memory.peak};
		time.wall += os_clock(CLOCK_REALTIME) - os_clock(CLOCK_MONOTONIC);
		s->last_mark = mark->moment;
		series_write_sample(&s->writer, s->sources[SOURCE_MARKS].group, &time, values);
	}
	series_write_mark(&s->writer, mark);
}

void sampler_mark(struct sampler *s, const struct cell_mark *mark)
{
	s->mark = mark;
	guard_memory(s, write_mark);
}

static void write_title(struct sampler *s)
{
	series_write_title(&s->writer, s->title);
}

void sampler_title(struct sampler *s, const struct series_title *title)
{
	s->title = title;
	guard_memory(s, write_title);
}

static void take_line(struct sampler *s, struct slice line)
{
	struct cell_mark mark;
	struct series_title title = {0};
	struct slice rest = line, word = slice_next_word(&rest);
	if (cell_mark_read(line, &mark)) {
		sampler_mark(s, &mark);
	} else if (slice_eq(word, SLICE("title"))) { /* "title 7 TEXT" */
		bool is_cell = cell_number_read(slice_next_word(&rest), &title.number);
		title.title = slice_trim(rest);
		if (is_cell && title.number > 0)
			sampler_title(s, &title);
	} else if (slice_eq(word, SLICE("sync"))) {
		/* Whoever waits for the answer finds all in the file, what is read beside the program only
		 * with "all". */
		sampler_read_program(s, os_clock(CLOCK_MONOTONIC), true);
		if (slice_eq(slice_next_word(&rest), SLICE("all"))) {
			sampler_read_gpus(s);
			sampler_read_up_to_now(s);
		}
		series_write_missed(&s->writer, s->due, s->missed);
		write_out(s);
		if (s->failed == 0 && os_write_all(s->order.answers, SLICE("done\n")) != 0)
			s->heard_all = true;
	} else if (slice_eq(word, SLICE("quit"))) {
		s->heard_all = true;
	}
}

static void read_marks(struct sampler *s)
{
	struct pollfd marks = {.fd = s->order.marks, .events = POLLIN};
	while (!s->heard_all && s->order.marks >= 0 && poll(&marks, 1, 0) > 0) {
		ssize_t got = read(s->order.marks, s->marks + s->marks_filled,
		                   sizeof s->marks - s->marks_filled);
		if (got == 0) { /* the lines have ended; otherwise the descriptor stays readable */
			epoll_ctl(s->poll, EPOLL_CTL_DEL, s->order.marks, NULL);
			s->order.marks = -1;
			s->heard_all = true;
		}
		if (got <= 0)
			return;
		struct slice rest = slice_make(s->marks, s->marks_filled + (size_t)got);
		for (size_t end; (end = slice_find(rest, '\n', 0)) < rest.len;) {
			if (!s->skips_line && !s->heard_all)
				take_line(s, slice_sub(rest, 0, end));
			s->skips_line = false;
			rest = slice_tail(rest, end + 1);
		}
		s->skips_line |= rest.len == sizeof s->marks; /* no mark is that long */
		s->marks_filled = s->skips_line ? 0 : rest.len;
		memmove(s->marks, rest.ptr, s->marks_filled);
	}
}

/* ---- begin, look, end ---- */

static void look_once(struct sampler *s)
{
	enum { ENOUGH = 32 * 1024, HELD = NS / 10 };
	uint64_t expired;
	siginfo_t info = {.si_pid = 0};
	read_marks(s);
	(void)!read(s->timer, &expired, sizeof expired); /* before the clock is read */
	int64_t now = os_clock(CLOCK_MONOTONIC);
	bool due = now >= s->next;
	/* A child that has ended is still there until it is waited for: the last moment to read it. Its end wakes
	 * the waiting process, so most looks need no test. */
	if (due || (s->order.adopts && waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
	            info.si_pid != 0))
		sampler_read_program(s, now, !due);
	sampler_read_others(s, now);
	sampler_read_gpus(s);
	if (due) { /* the next time on the grid of intervals; those that have passed are missed */
		int64_t steps = (now - s->next) / s->order.interval + 1;
		s->due += steps;
		s->missed += steps - 1;
		s->next += steps * s->order.interval;
	}
	/* A crash of this program leaves what was written; a crash of the node may take some seconds more. Soon
	 * comes the next look, at which it can be written. */
	bool soon = s->next - now < HELD;
	if (soon && now < s->next_write && s->writer.out.len < ENOUGH)
		return;
	s->next_write = now + HELD;
	write_out(s);
}

void sampler_look(struct sampler *s)
{
	guard_memory(s, look_once);
	if (s->failed == 0)
		return;
	/* Nothing of it is to become readable any more. */
	epoll_ctl(s->poll, EPOLL_CTL_DEL, s->timer, NULL);
	if (s->order.marks >= 0)
		epoll_ctl(s->poll, EPOLL_CTL_DEL, s->order.marks, NULL);
	if (s->gpus != NULL)
		epoll_ctl(s->poll, EPOLL_CTL_DEL, gpu_thread_fd(s->gpus), NULL);
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

static int watch_descriptor(struct sampler *s, int fd)
{
	struct epoll_event event = {.events = EPOLLIN, .data.fd = fd};
	return epoll_ctl(s->poll, EPOLL_CTL_ADD, fd, &event);
}

static void open_all(struct sampler *s)
{
	sampler_open_gpus(s);
	s->poll = epoll_create1(EPOLL_CLOEXEC);
	s->timer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
	if (s->poll < 0 || s->timer < 0 || watch_descriptor(s, s->timer) != 0 ||
	    (s->gpus != NULL && watch_descriptor(s, gpu_thread_fd(s->gpus)) != 0) ||
	    (s->order.marks >= 0 && watch_descriptor(s, s->order.marks) != 0))
		s->failed = errno;
}

void sampler_close(struct sampler *s)
{
	int error = errno;
	os_close_quietly(s->timer);
	os_close_quietly(s->poll);
	if (s->gpus != NULL)
		gpu_thread_stop(s->gpus);
	errno = error;
}

struct sampler *sampler_open(struct arena *arena, const struct sampler_order *order)
{
	struct sampler *s = ARENA_NEW(arena, struct sampler);
	*s = (struct sampler){.arena = arena,
	                      .order = *order,
	                      .cgroup = {.stat = -1, .events = -1},
	                      .node = {.stat = -1, .meminfo = -1, .net = -1, .own = -1},
	                      .poll = -1,
	                      .timer = -1};
	getrusage(RUSAGE_CHILDREN, &s->before);
	guard_memory(s, open_all);
	s->opened = os_clock(CLOCK_MONOTONIC);
	if (s->failed == 0)
		return s;
	sampler_close(s);
	errno = s->failed;
	return NULL;
}

static void begin_sampling(struct sampler *s)
{
	/* A script that is a rank itself has started none. */
	bool is_launcher = s->order.launcher != 0 &&
	                   !process_has_variable(s->order.launcher, s->order.rank_variable, -1);
	pid_t launcher = is_launcher ? s->order.launcher : 0;
	struct series_head head = {
	        .command = s->order.command, .interval = s->order.interval, .node = s->order.node};
	cgroup_open(&s->cgroup, s->arena, s->pid);
	node_describe(s->arena, s->pid, launcher, &s->cgroup, &head);
	const struct gpus *gpus = gpu_thread_gpus(s->gpus);
	for (size_t i = 0; gpus != NULL && i < gpus->list.count; i++) {
		const struct gpu *gpu = &gpus->list.items[i];
		vec_push(s->arena, &head.gpus, (struct series_gpu){gpu->name, gpu->memory});
	}
	if (s->order.adopts) {
		/* The program may have been started long before this process came to look at it, but not before
		 * sampler_open(), nor before the tick of the clock that the kernel has. */
		int64_t start = procfs_start(s->pid);
		int64_t passed = head.start_mono - (start > s->opened ? start : s->opened);
		head.start_mono -= passed;
		head.start_wall -= passed;
	}
	node_open(&s->node);
	cgroup_read(&s->cgroup, &s->cgroup_before);
	series_write_head(&s->writer, s->arena, &head);
	sampler_add_sources(s);
	s->processes = (struct processes){.root = s->pid,
	                                  .adopts = s->order.adopts,
	                                  .levels = s->order.levels,
	                                  .takes_turns = s->order.interval < SAMPLER_DEEP_NS,
	                                  .launcher = {.pid = launcher},
	                                  .rank_variable = s->order.rank_variable};
	s->watches = true;
	processes_init(&s->processes, s->arena);
	if (s->order.adopts)
		sampler_read_start(s, head.start_mono, head.start_wall);
	s->next = os_clock(CLOCK_MONOTONIC);
	int64_t interval = s->order.interval;
	const struct itimerspec time = {
	        .it_value = {.tv_sec = s->next / NS, .tv_nsec = s->next % NS},
	        .it_interval = {.tv_sec = interval / NS, .tv_nsec = interval % NS}};
	if (timerfd_settime(s->timer, TFD_TIMER_ABSTIME, &time, NULL) != 0)
		s->failed = errno;
	look_once(s);
}

void sampler_begin(struct sampler *s, pid_t pid)
{
	s->pid = pid;
	guard_memory(s, begin_sampling);
}

static void write_last(struct sampler *s)
{
	sampler_read_program(s, os_clock(CLOCK_MONOTONIC), true);
	sampler_read_gpus(s);
	sampler_read_up_to_now(s);
	if (s->oom_kills > 0)
		series_write_note(&s->writer,
		                  arena_printf(s->arena,
		                               "out of memory: the kernel killed %" PRId64
		                               " process%s of the control group",
		                               s->oom_kills, s->oom_kills == 1 ? "" : "es"));
	series_write_missed(&s->writer, s->due, s->missed);
	series_write_finish(&s->writer, &s->end);
	write_out(s);
}

int sampler_end(struct sampler *s, int status, const struct rusage *usage)
{
	enum { KIB = 1024 };
	/* Whoever asked Python for its modules before the program began was a child, too. */
	const struct rusage *before = &s->before;
	struct series_end *end = &s->end;
	*end = (struct series_end){.moment = os_clock(CLOCK_MONOTONIC), .status = status};
	if (usage != NULL) {
		end->user = procfs_ns(usage->ru_utime) - procfs_ns(before->ru_utime);
		end->system = procfs_ns(usage->ru_stime) - procfs_ns(before->ru_stime);
		end->peak_rss = usage->ru_maxrss > before->ru_maxrss
		                        ? usage->ru_maxrss * KIB
		                        : s->processes.tree.of[METRIC_PEAK_RSS];
		end->minor_faults = usage->ru_minflt - before->ru_minflt;
		end->major_faults = usage->ru_majflt - before->ru_majflt;
		end->voluntary_switches = usage->ru_nvcsw - before->ru_nvcsw;
		end->involuntary_switches = usage->ru_nivcsw - before->ru_nivcsw;
	}
	guard_memory(s, write_last);
	if (s->watches)
		processes_release(&s->processes);
	node_close(&s->node);
	cgroup_close(&s->cgroup);
	sampler_close(s);
	errno = s->failed;
	return s->failed == 0 ? 0 : -1;
}
