#include "monitor/sampler.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/os.h"
#include "monitor/gpu_thread.h"
#include "monitor/machine.h"
#include "monitor/node.h"
#include "monitor/processes.h"
#include "monitor/series_file.h"

enum { NS = 1000000000, COLUMNS_MAX = 32, MARKS_MAX = 4096 };

/* A group of numbers that are read together. */
struct source {
	bool (*read)(struct sampler *sampler, int64_t *values); /* false: there are none now */
	unsigned group;
	size_t columns;
	int64_t least;     /* no more often than that, in nanoseconds */
	int64_t due, cost; /* nanoseconds; the cost of the last time */
};

enum source_id {
	SOURCE_TREE,
	SOURCE_SHARES,
	SOURCE_SWITCHES,
	SOURCE_USERS,
	SOURCE_USERS_IO,
	SOURCE_JOB,
	SOURCE_JOB_IO,
	SOURCE_NODE,
	SOURCE_CORES,
	SOURCE_NET,
	SOURCE_OWN,
	SOURCE_COUNT
};

struct sampler {
	struct arena *arena;
	struct sampler_order order;
	pid_t pid; /* the program */
	struct processes processes;
	struct node node;
	struct series_writer writer;
	struct source sources[SOURCE_COUNT];
	int64_t *values;                /* room for the source with the most columns */
	struct gpu_thread *gpus;        /* NULL: there are none */
	struct gpu_columns gpu_columns; /* of the group GPU_GROUP; MEMORY_GROUP is the program's */
	unsigned gpu_group, memory_group;
	struct slice gpu_note;
	int poll, timer;
	int64_t due, missed;
	int64_t next_scan, next_deep, next_write;
	bool is_deep; /* the highest resident memory is read, too */
	int failed;   /* errno of what has stopped it, or 0 */
	char marks[MARKS_MAX];
	size_t marks_filled;
	bool heard_all; /* no more lines will come */
};

static int64_t clock_now(clockid_t clock)
{
	struct timespec time;
	clock_gettime(clock, &time);
	return (int64_t)time.tv_sec * NS + time.tv_nsec;
}

/* ---- the sources ---- */

static const enum metric tree_metrics[] = {
        METRIC_CPU,         METRIC_RSS,          METRIC_PEAK_RSS,     METRIC_READ_CALLS,
        METRIC_WRITE_CALLS, METRIC_READ_CHARS,   METRIC_WRITE_CHARS,  METRIC_READ_BYTES,
        METRIC_WRITE_BYTES, METRIC_MINOR_FAULTS, METRIC_MAJOR_FAULTS, METRIC_PROCESSES,
        METRIC_THREADS};
static const enum metric share_metrics[] = {METRIC_PSS, METRIC_USS};
static const enum metric switch_metrics[] = {METRIC_VOLUNTARY_SWITCHES,
                                             METRIC_INVOLUNTARY_SWITCHES};
static const enum metric level_metrics[] = {METRIC_CPU, METRIC_RSS, METRIC_PROCESSES};
static const enum metric io_metrics[] = {METRIC_READ_CALLS, METRIC_WRITE_CALLS,
                                         METRIC_READ_CHARS, METRIC_WRITE_CHARS,
                                         METRIC_READ_BYTES, METRIC_WRITE_BYTES};
static const enum metric node_metrics[] = {METRIC_MEMORY_USED};
static const enum metric net_metrics[] = {METRIC_NET_RECEIVED, METRIC_NET_SENT};
static const enum metric own_metrics[] = {METRIC_CPU, METRIC_RSS};

#define COUNT(array) (sizeof(array) / sizeof *(array))

static void pick(const struct usage *usage, const enum metric *metrics, size_t count,
                 int64_t *values)
{
	for (size_t i = 0; i < count; i++)
		values[i] = usage->of[metrics[i]];
}

static bool read_tree(struct sampler *s, int64_t *values)
{
	const struct usage *usage = processes_read_tree(&s->processes, s->is_deep);
	pick(usage, tree_metrics, COUNT(tree_metrics), values);
	return true;
}

static bool read_shares(struct sampler *s, int64_t *values)
{
	struct usage usage;
	processes_read_shares(&s->processes, &usage);
	pick(&usage, share_metrics, COUNT(share_metrics), values);
	return usage.of[METRIC_PSS] > 0;
}

static bool read_switches(struct sampler *s, int64_t *values)
{
	struct usage usage;
	processes_read_switches(&s->processes, &usage);
	pick(&usage, switch_metrics, COUNT(switch_metrics), values);
	return usage.of[METRIC_VOLUNTARY_SWITCHES] > 0;
}

static bool read_level(struct sampler *s, enum level level, int64_t *values)
{
	struct usage usage;
	processes_read_level(&s->processes, level, false, &usage);
	pick(&usage, level_metrics, COUNT(level_metrics), values);
	return true;
}

static bool read_level_io(struct sampler *s, enum level level, int64_t *values)
{
	struct usage usage;
	processes_read_level(&s->processes, level, true, &usage);
	pick(&usage, io_metrics, COUNT(io_metrics), values);
	return true;
}

static bool read_users(struct sampler *s, int64_t *values)
{
	return read_level(s, LEVEL_USER, values);
}

static bool read_users_io(struct sampler *s, int64_t *values)
{
	return read_level_io(s, LEVEL_USER, values);
}

static bool read_job(struct sampler *s, int64_t *values)
{
	return read_level(s, LEVEL_SLURM, values);
}

static bool read_job_io(struct sampler *s, int64_t *values)
{
	return read_level_io(s, LEVEL_SLURM, values);
}

static bool read_node(struct sampler *s, int64_t *values)
{
	values[0] = node_memory_used(&s->node);
	return values[0] >= 0;
}

static bool read_cores(struct sampler *s, int64_t *values)
{
	return node_cores(&s->node, values);
}

static bool read_net(struct sampler *s, int64_t *values)
{
	return node_net(&s->node, &values[0], &values[1]);
}

static bool read_own(struct sampler *s, int64_t *values)
{
	values[0] = clock_now(CLOCK_PROCESS_CPUTIME_ID);
	values[1] = node_own_memory(&s->node);
	return true;
}

static void add_source(struct sampler *s, enum source_id id, const char *name, enum level level,
                       const enum metric *metrics, size_t count)
{
	struct series_column_kind kinds[COLUMNS_MAX] = {{0}};
	for (size_t i = 0; i < count; i++)
		kinds[i].metric = metrics[i];
	s->sources[id].columns = count;
	s->sources[id].group =
	        series_write_group(&s->writer, slice_from(name), level, kinds, count);
}

/* A column for each core, and one for all of them. */
static void add_cores(struct sampler *s)
{
	size_t count = s->node.cores;
	struct series_column_kind *kinds =
	        arena_calloc(s->arena, count, sizeof(struct series_column_kind));
	for (size_t i = 0; i < count; i++)
		kinds[i] = (struct series_column_kind){METRIC_CORE_CPU, (unsigned)i};
	s->sources[SOURCE_CORES].columns = count;
	s->sources[SOURCE_CORES].group =
	        series_write_group(&s->writer, SLICE("cores"), LEVEL_SYSTEM, kinds, count);
}

static size_t larger(size_t a, size_t b)
{
	return a > b ? a : b;
}

static void make_room(struct sampler *s)
{
	size_t columns = larger(COLUMNS_MAX, s->node.cores);
	s->values =
	        arena_calloc(s->arena, larger(columns, s->gpu_columns.list.count), sizeof(int64_t));
}

static void set_reader(struct sampler *s, enum source_id id, int64_t least,
                       bool (*read)(struct sampler *s, int64_t *values))
{
	s->sources[id].read = read;
	s->sources[id].least = least > s->order.interval ? least : s->order.interval;
}

static void add_sources(struct sampler *s)
{
	const int64_t slow = NS, medium = NS / 10;
#define ADD(id, name, level, metrics) add_source(s, id, name, level, metrics, COUNT(metrics))
	ADD(SOURCE_TREE, "process", LEVEL_PROCESS, tree_metrics);
	ADD(SOURCE_SHARES, "process.shares", LEVEL_PROCESS, share_metrics);
	ADD(SOURCE_SWITCHES, "process.switches", LEVEL_PROCESS, switch_metrics);
	ADD(SOURCE_USERS, "user", LEVEL_USER, level_metrics);
	ADD(SOURCE_USERS_IO, "user.io", LEVEL_USER, io_metrics);
	ADD(SOURCE_JOB, "slurm", LEVEL_SLURM, level_metrics);
	ADD(SOURCE_JOB_IO, "slurm.io", LEVEL_SLURM, io_metrics);
	ADD(SOURCE_NODE, "system", LEVEL_SYSTEM, node_metrics);
	ADD(SOURCE_NET, "net", LEVEL_SYSTEM, net_metrics);
	ADD(SOURCE_OWN, "sampler", LEVEL_COUNT, own_metrics);
#undef ADD
	add_cores(s);
	set_reader(s, SOURCE_TREE, 0, read_tree);
	set_reader(s, SOURCE_SHARES, slow, read_shares);
	set_reader(s, SOURCE_SWITCHES, slow, read_switches);
	set_reader(s, SOURCE_OWN, slow, read_own);
	if ((s->order.levels & 1u << LEVEL_USER) != 0) {
		set_reader(s, SOURCE_USERS, 0, read_users);
		set_reader(s, SOURCE_USERS_IO, 2 * slow, read_users_io);
	}
	if ((s->order.levels & 1u << LEVEL_SLURM) != 0) {
		set_reader(s, SOURCE_JOB, 0, read_job);
		set_reader(s, SOURCE_JOB_IO, 2 * slow, read_job_io);
	}
	if ((s->order.levels & 1u << LEVEL_SYSTEM) != 0) {
		set_reader(s, SOURCE_NODE, medium, read_node);
		set_reader(s, SOURCE_CORES, medium, read_cores);
		set_reader(s, SOURCE_NET, medium, read_net);
	}
}

/* ---- GPUs ---- */

static void open_gpus(struct sampler *s)
{
	/* NVML averages over a sixth of a second and more. */
	const int64_t period = NS / 10, open_patience = 10 * (int64_t)NS, stop_patience = NS;
	const struct gpu_thread_order order = {
	        NVML_LIBRARY, s->order.interval > period ? s->order.interval : period,
	        open_patience, stop_patience};
	s->gpus = gpu_thread_start(&order, s->arena, &s->gpu_note);
	if (s->gpus != NULL)
		gpus_columns(gpu_thread_gpus(s->gpus), s->arena, &s->gpu_columns);
}

static void describe_gpus(struct sampler *s, struct series_head *head)
{
	const struct gpus *gpus = s->gpus == NULL ? NULL : gpu_thread_gpus(s->gpus);
	for (size_t i = 0; gpus != NULL && i < gpus->list.count; i++) {
		const struct gpu *gpu = &gpus->list.items[i];
		vec_push(s->arena, &head->gpus, (struct series_gpu){gpu->name, gpu->memory});
	}
}

static void add_gpus(struct sampler *s)
{
	if (s->gpu_note.len > 0)
		series_write_note(&s->writer, s->gpu_note);
	if (s->gpus == NULL)
		return;
	const struct gpus *gpus = gpu_thread_gpus(s->gpus);
	struct gpu_columns memory = {0};
	for (unsigned i = 0; i < gpus->list.count; i++)
		vec_push(s->arena, &memory.list,
		         (struct series_column_kind){METRIC_GPU_PROCESS_MEM, i});
	s->gpu_group = series_write_group(&s->writer, SLICE("gpu"), LEVEL_COUNT,
	                                  s->gpu_columns.list.items, s->gpu_columns.list.count);
	s->memory_group = series_write_group(&s->writer, SLICE("process.gpu"), LEVEL_PROCESS,
	                                     memory.list.items, memory.list.count);
}

static void read_gpus(struct sampler *s)
{
	enum { PROCESSES_MAX = 4096 };
	pid_t pids[PROCESSES_MAX];
	const struct gpu_reading *reading = s->gpus == NULL ? NULL : gpu_thread_take(s->gpus);
	if (reading == NULL)
		return;
	const struct gpus *gpus = gpu_thread_gpus(s->gpus);
	gpus_values(gpus, reading, s->values);
	series_write_sample(&s->writer, s->gpu_group, &reading->time, s->values);
	if (!gpus_have_processes(gpus))
		return;
	size_t count = processes_of_tree(&s->processes, pids, PROCESSES_MAX);
	for (unsigned i = 0; i < gpus->list.count; i++)
		s->values[i] = gpu_held(reading, i, pids, count);
	series_write_sample(&s->writer, s->memory_group, &reading->time, s->values);
}

/* ---- reading ---- */

/* Reads once. Was it left alone meanwhile? Else it is not known when within TIME the values were so. */
static bool read_once(struct sampler *s, struct source *source, struct series_time *time, bool *any)
{
	enum { USUAL = 4, MOMENT = NS / 10000 };
	time->begin = clock_now(CLOCK_MONOTONIC);
	time->wall = clock_now(CLOCK_REALTIME);
	int64_t cpu = clock_now(CLOCK_THREAD_CPUTIME_ID);
	*any = source->read(s, s->values);
	source->cost = clock_now(CLOCK_THREAD_CPUTIME_ID) - cpu;
	time->end = clock_now(CLOCK_MONOTONIC);
	return time->end - time->begin <= USUAL * source->cost + MOMENT;
}

static void read_source(struct sampler *s, struct source *source)
{
	enum { TRIES = 3 };
	struct series_time time;
	bool any, again = source == &s->sources[SOURCE_TREE];
	for (int i = 0; !read_once(s, source, &time, &any) && again && i < TRIES - 1; i++)
		;
	if (any)
		series_write_sample(&s->writer, source->group, &time, s->values);
}

/* The program's resident memory does not tell what came and went between two samples; its highest
 * does, and takes as long to read as all else. */
static void read_program(struct sampler *s, int64_t now, bool deep)
{
	s->is_deep = deep || now >= s->next_deep;
	if (s->is_deep)
		s->next_deep = now + NS / 10;
	processes_scan(&s->processes, now >= s->next_scan);
	if (now >= s->next_scan)
		s->next_scan = now + NS;
	read_source(s, &s->sources[SOURCE_TREE]);
}

/* The next time on the grid of intervals; those that have passed are missed. */
static void advance(struct sampler *s, int64_t now)
{
	struct source *tree = &s->sources[SOURCE_TREE];
	int64_t steps = (now - tree->due) / s->order.interval + 1;
	s->due += steps;
	s->missed += steps - 1;
	tree->due += steps * s->order.interval;
}

static void read_others(struct sampler *s, int64_t now)
{
	enum { SHARE = 100 }; /* of the time, that reading may take */
	for (int i = SOURCE_TREE + 1; i < SOURCE_COUNT; i++) {
		struct source *source = &s->sources[i];
		if (source->read == NULL || now < source->due)
			continue;
		read_source(s, source);
		int64_t pause = source->cost * SHARE;
		source->due = now + (pause > source->least ? pause : source->least);
	}
}

/* Expires when the program is due, and then at each interval. */
static void arm(struct sampler *s)
{
	int64_t due = s->sources[SOURCE_TREE].due, interval = s->order.interval;
	struct itimerspec time = {
	        .it_value = {.tv_sec = due / NS, .tv_nsec = due % NS},
	        .it_interval = {.tv_sec = interval / NS, .tv_nsec = interval % NS}};
	timerfd_settime(s->timer, TFD_TIMER_ABSTIME, &time, NULL);
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

/* ---- marks ---- */

void sampler_mark(struct sampler *s, const struct cell_mark *mark)
{
	read_program(s, clock_now(CLOCK_MONOTONIC), true);
	if (mark->begins)
		series_write_begin(&s->writer, mark->cell, mark->moment);
	else
		series_write_end(&s->writer, mark->cell, mark->moment, mark->state);
}

void sampler_title(struct sampler *s, const struct series_title *title)
{
	series_write_title(&s->writer, title);
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
	read_program(s, clock_now(CLOCK_MONOTONIC), true);
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
	struct slice all = slice_make(s->marks, s->marks_filled), rest = all;
	for (size_t end; (end = slice_find(rest, '\n', 0)) < rest.len;) {
		take_line(s, slice_sub(rest, 0, end));
		rest = slice_sub(rest, end + 1, rest.len);
	}
	s->marks_filled = rest.len == sizeof s->marks ? 0 : rest.len; /* no mark is that long */
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
	int64_t now = clock_now(CLOCK_MONOTONIC);
	bool due = now >= s->sources[SOURCE_TREE].due;
	(void)!read(s->timer, &expired, sizeof expired);
	if (due || is_ending(s)) /* what ends wakes who waits, so that most looks need not ask */
		read_program(s, now, !due);
	read_others(s, now);
	read_gpus(s);
	if (due)
		advance(s, now);
	write_now_and_then(s, now);
}

/* Calls WHAT; where memory runs out the sampler has failed. */
static void guarded(struct sampler *s, void (*what)(struct sampler *s))
{
	jmp_buf out_of_memory;
	jmp_buf *before = arena_set_handler(s->arena, &out_of_memory);
	if (setjmp(out_of_memory) == 0)
		what(s);
	else
		s->failed = ENOMEM;
	arena_set_handler(s->arena, before);
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
	if (s->failed == 0)
		guarded(s, look);
	if (s->failed != 0)
		give_up(s);
}

int sampler_descriptor(const struct sampler *s)
{
	return s->poll;
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
	*s = (struct sampler){.arena = arena, .order = *order, .poll = -1, .timer = -1};
	open_gpus(s);
	if (open_descriptors(s) == 0)
		return s;
	sampler_close(s);
	return NULL;
}

/* What the program has used before the first look counts, too: it began with nothing. */
static void write_start(struct sampler *s)
{
	struct series_time time;
	bool any;
	read_once(s, &s->sources[SOURCE_TREE], &time, &any);
	for (size_t i = 0; i < COUNT(tree_metrics); i++) {
		if (metric_row(tree_metrics[i])->kind == METRIC_IS_COUNTER)
			s->values[i] = 0;
	}
	time.end = time.begin;
	series_write_sample(&s->writer, s->sources[SOURCE_TREE].group, &time, s->values);
}

static void begin(struct sampler *s)
{
	struct series_head head = {.command = s->order.command, .interval = s->order.interval};
	machine_describe(s->arena, s->pid, &head);
	describe_gpus(s, &head);
	node_open(&s->node);
	series_write_head(&s->writer, s->arena, &head);
	add_sources(s);
	add_gpus(s);
	make_room(s);
	const struct processes_order order = {.pid = s->pid,
	                                      .adopts = s->order.adopts,
	                                      .launcher = s->order.is_rank ? getppid() : 0,
	                                      .levels = s->order.levels};
	processes_init(&s->processes, s->arena, &order);
	if (s->order.adopts)
		write_start(s);
	s->sources[SOURCE_TREE].due = clock_now(CLOCK_MONOTONIC);
	arm(s);
	look(s);
}

void sampler_begin(struct sampler *s, pid_t pid)
{
	s->pid = pid;
	guarded(s, begin);
}

static void read_last(struct sampler *s)
{
	read_program(s, clock_now(CLOCK_MONOTONIC), true);
	read_gpus(s);
	for (int i = SOURCE_TREE + 1; i < SOURCE_COUNT; i++) {
		bool sums_up = i != SOURCE_SHARES && i != SOURCE_SWITCHES;
		if (s->sources[i].read != NULL && sums_up)
			read_source(s, &s->sources[i]);
	}
	series_write_missed(&s->writer, s->due, s->missed);
}

static int64_t as_ns(struct timeval time)
{
	return (int64_t)time.tv_sec * NS + (int64_t)time.tv_usec * 1000;
}

int sampler_end(struct sampler *s, int status, const struct rusage *usage)
{
	enum { KIB = 1024 };
	struct series_end end = {.moment = clock_now(CLOCK_MONOTONIC), .status = status};
	if (usage != NULL) {
		end.user = as_ns(usage->ru_utime);
		end.system = as_ns(usage->ru_stime);
		end.peak_rss = usage->ru_maxrss * KIB;
		end.minor_faults = usage->ru_minflt;
		end.major_faults = usage->ru_majflt;
		end.voluntary_switches = usage->ru_nvcsw;
		end.involuntary_switches = usage->ru_nivcsw;
	}
	if (s->failed == 0)
		guarded(s, read_last);
	series_write_finish(&s->writer, &end);
	write_out(s);
	processes_release(&s->processes);
	node_close(&s->node);
	sampler_close(s);
	errno = s->failed;
	return s->failed == 0 ? 0 : -1;
}
