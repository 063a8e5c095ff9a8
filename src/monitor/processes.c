#include "monitor/processes.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/os.h"
#include "base/strbuf.h"

enum { NS = 1000000000, NS_PER_US = 1000, TEXT_MAX = 4096 };

static const char *const file_names[PROCESS_FILE_COUNT] = {"stat", "statm", "io", "status"};

/* What children leave to who waits for them, but I/O. */
static const enum metric inherited[] = {METRIC_CPU, METRIC_MINOR_FAULTS, METRIC_MAJOR_FAULTS};

/* What adds up, over processes and over time. */
static const enum metric counters[] = {METRIC_CPU,         METRIC_MINOR_FAULTS, METRIC_MAJOR_FAULTS,
                                       METRIC_READ_CALLS,  METRIC_WRITE_CALLS,  METRIC_READ_CHARS,
                                       METRIC_WRITE_CHARS, METRIC_READ_BYTES,   METRIC_WRITE_BYTES};

#define COUNT(array) (sizeof(array) / sizeof *(array))

/* Since the last look. */
enum process_state { PROCESS_WAITED, PROCESS_RAN, PROCESS_ENDED };

/* ---- the list ---- */

/* Where PID stands, or would stand. */
static size_t place_of(const struct processes *processes, pid_t pid)
{
	size_t low = 0, high = processes->list.count;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (processes->list.items[middle]->pid < pid)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static struct process *find(const struct processes *processes, pid_t pid)
{
	size_t at = place_of(processes, pid);
	bool found = at < processes->list.count && processes->list.items[at]->pid == pid;
	return found ? processes->list.items[at] : NULL;
}

static struct process *insert(struct processes *processes, pid_t pid)
{
	struct process *process = processes->spare.count > 0
	                                  ? processes->spare.items[--processes->spare.count]
	                                  : ARENA_NEW(processes->arena, struct process);
	*process = (struct process){.pid = pid, .files = {-1, -1, -1, -1}};
	size_t at = place_of(processes, pid);
	/* NOLINTNEXTLINE(bugprone-sizeof-expression): a list of pointers */
	vec_push(processes->arena, &processes->list, process);
	struct process **items = processes->list.items;
	for (size_t i = processes->list.count - 1; i > at; i--)
		items[i] = items[i - 1];
	items[at] = process;
	return process;
}

static void close_files(struct process *process)
{
	for (int i = 0; i < PROCESS_FILE_COUNT; i++) {
		if (process->files[i] >= 0)
			close(process->files[i]);
		process->files[i] = -1;
	}
}

/* Takes out whom WHOM says. */
static void drop(struct processes *processes, bool (*whom)(const struct process *process))
{
	size_t kept = 0;
	for (size_t i = 0; i < processes->list.count; i++) {
		struct process *process = processes->list.items[i];
		if (!whom(process)) {
			processes->list.items[kept++] = process;
			continue;
		}
		close_files(process);
		/* NOLINTNEXTLINE(bugprone-sizeof-expression): a list of pointers */
		vec_push(processes->arena, &processes->spare, process);
	}
	processes->list.count = kept;
}

static bool has_ended(const struct process *process)
{
	return process->ended;
}

static bool is_stranger(const struct process *process)
{
	return !process->in_tree && process->levels == 0;
}

static bool is_gone_stranger(const struct process *process)
{
	return is_stranger(process) && !process->seen;
}

static struct slice read_file(struct process *process, enum process_file file,
                              char buffer[TEXT_MAX])
{
	if (process->files[file] < 0)
		process->files[file] = procfs_open(process->pid, file_names[file]);
	return procfs_read(process->files[file], buffer, TEXT_MAX);
}

/* ---- who is there ---- */

static bool is_of_tree(const struct processes *processes, const struct process *process)
{
	const struct process *parent = find(processes, process->parent);
	return process->pid == processes->root || (parent != NULL && parent->in_tree) ||
	       (processes->adopts && process->parent == processes->self.pid) ||
	       (processes->launcher != 0 && process->parent == processes->launcher);
}

/* Is WORD in /proc/PID/NAME? */
static bool file_holds(pid_t pid, const char *name, struct slice word)
{
	enum { MOST = 1 << 20 };
	char path[64];
	jmp_buf out_of_memory;
	struct arena arena;
	struct strbuf text;
	volatile bool found = false;
	arena_init(&arena, &out_of_memory);
	if (setjmp(out_of_memory) == 0) {
		strbuf_init(&text, &arena);
		snprintf(path, sizeof path, "/proc/%d/%s", (int)pid, name);
		found = os_read_file(path, &text, MOST) == 0 &&
		        slice_find_slice(strbuf_slice(&text), word, 0) < text.len;
	}
	arena_release(&arena);
	return found;
}

static bool is_of_job(const struct processes *processes, pid_t pid)
{
	char word[64];
	if (processes->job == NULL)
		return false;
	int len = snprintf(word, sizeof word, "/job_%s/", processes->job);
	struct slice group = slice_make(word, (size_t)len);
	if (file_holds(getpid(), "cgroup", group))
		return file_holds(pid, "cgroup", group);
	len = snprintf(word, sizeof word, "SLURM_JOB_ID=%s", processes->job);
	return file_holds(pid, "environ", slice_make(word, (size_t)len + 1)); /* with its NUL */
}

static unsigned levels_of(const struct processes *processes, const struct process *process)
{
	struct stat owner;
	unsigned user = 1u << LEVEL_USER, slurm = 1u << LEVEL_SLURM;
	if (fstat(process->files[FILE_STAT], &owner) != 0 || owner.st_uid != geteuid())
		return 0;
	bool is_jobs = (processes->levels & slurm) != 0 && is_of_job(processes, process->pid);
	return (processes->levels & user) | (is_jobs ? slurm : 0);
}

static void add(struct processes *processes, pid_t pid)
{
	char buffer[TEXT_MAX];
	struct procfs_stat stat;
	struct process *process = find(processes, pid);
	if (process != NULL)
		process->seen = true;
	if (pid == processes->self.pid || process != NULL)
		return;
	process = insert(processes, pid);
	process->seen = true;
	if (procfs_parse_stat(read_file(process, FILE_STAT, buffer), &stat)) {
		process->parent = stat.parent;
		process->in_tree = is_of_tree(processes, process);
		process->levels = levels_of(processes, process);
		processes->tree_grew |= process->in_tree;
	}
	if (!process->in_tree)
		close_files(process);
}

/* Not a thread, which has a folder in /proc, too. */
static bool is_process(pid_t pid)
{
	int fd = (int)syscall(SYS_pidfd_open, pid, 0);
	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

static void scan_all(struct processes *processes)
{
	DIR *folder = opendir("/proc");
	if (folder == NULL)
		return;
	for (size_t i = 0; i < processes->list.count; i++)
		processes->list.items[i]->seen = false;
	for (struct dirent *entry; (entry = readdir(folder)) != NULL;) {
		if (ascii_is_digit(entry->d_name[0]))
			add(processes, (pid_t)strtol(entry->d_name, NULL, 10));
	}
	closedir(folder);
	drop(processes, is_gone_stranger);
}

/* A child may have been met before its parent, whose number is higher. */
static void find_children(struct processes *processes)
{
	while (processes->tree_grew) {
		bool found = false;
		for (size_t i = 0; i < processes->list.count; i++) {
			struct process *process = processes->list.items[i];
			bool is_new = !process->in_tree && is_of_tree(processes, process);
			process->in_tree |= is_new;
			found |= is_new;
		}
		processes->tree_grew = found;
	}
}

void processes_scan(struct processes *processes, bool full)
{
	enum { FEW = 64 };
	char buffer[128];
	int64_t before = processes->last_pid;
	int64_t last = procfs_last_pid(procfs_read(processes->loadavg, buffer, sizeof buffer));
	processes->last_pid = last;
	if (last >= 0 && last == before && !full)
		return;
	/* Numbers begin again, so that a stranger's may be somebody else's. */
	if (last < before)
		drop(processes, is_stranger);
	if (full || last < before || before < 0 || last - before > FEW)
		scan_all(processes);
	else
		for (int64_t pid = before + 1; pid <= last; pid++) {
			if (is_process((pid_t)pid))
				add(processes, (pid_t)pid);
		}
	find_children(processes);
}

/* ---- what they use ---- */

static void add_counters(struct usage *sum, const struct usage *usage)
{
	for (size_t i = 0; i < COUNT(counters); i++)
		sum->of[counters[i]] += usage->of[counters[i]];
}

static void read_io(struct process *process)
{
	char buffer[TEXT_MAX];
	struct procfs_io io;
	if (!procfs_parse_io(read_file(process, FILE_IO, buffer), &io))
		return;
	int64_t *of = process->own.of;
	of[METRIC_READ_CHARS] = io.read_chars;
	of[METRIC_WRITE_CHARS] = io.write_chars;
	of[METRIC_READ_CALLS] = io.read_calls;
	of[METRIC_WRITE_CALLS] = io.write_calls;
	of[METRIC_READ_BYTES] = io.read_bytes;
	of[METRIC_WRITE_BYTES] = io.write_bytes;
}

static void take_inherited(struct process *process, const struct usage *now)
{
	for (size_t i = 0; i < COUNT(inherited); i++) {
		enum metric metric = inherited[i];
		process->gained.of[metric] = now->of[metric] - process->inherited.of[metric];
		process->inherited.of[metric] = now->of[metric];
	}
}

/* Of what has not run since the last look nothing else can have changed, but by what the kernel
 * takes away from it: that is seen when it runs again. Most processes of a user wait most of the
 * time. */
static enum process_state read_cpu(struct process *process)
{
	int64_t cpu = procfs_cpu(process->pid);
	if (cpu < 0)
		return PROCESS_ENDED;
	if (process->is_known && cpu <= process->own.of[METRIC_CPU])
		return PROCESS_WAITED;
	if (process->own.of[METRIC_CPU] < cpu)
		process->own.of[METRIC_CPU] = cpu;
	process->is_known = true;
	return PROCESS_RAN;
}

/* False when it has ended. */
static bool read_memory(struct process *process)
{
	char buffer[TEXT_MAX];
	struct slice text = read_file(process, FILE_STATM, buffer);
	process->own.of[METRIC_RSS] = procfs_resident(text);
	return text.len > 0;
}

/* False when it has ended. */
static bool read_stat(struct process *process)
{
	char buffer[TEXT_MAX];
	struct procfs_stat stat;
	if (!procfs_parse_stat(read_file(process, FILE_STAT, buffer), &stat))
		return false;
	struct usage now = {.of = {[METRIC_CPU] = stat.child_time,
	                           [METRIC_MINOR_FAULTS] = stat.child_minor_faults,
	                           [METRIC_MAJOR_FAULTS] = stat.child_major_faults}};
	take_inherited(process, &now);
	process->parent = stat.parent;
	process->own.of[METRIC_MINOR_FAULTS] = stat.minor_faults;
	process->own.of[METRIC_MAJOR_FAULTS] = stat.major_faults;
	process->own.of[METRIC_THREADS] = stat.threads;
	return true;
}

static void read_peak(struct process *process)
{
	enum { BYTES_PER_KIB = 1024 };
	char buffer[TEXT_MAX];
	int64_t peak = procfs_number(read_file(process, FILE_STATUS, buffer), SLICE("VmHWM:"));
	if (peak > 0) /* a zombie has none */
		process->own.of[METRIC_PEAK_RSS] = peak * BYTES_PER_KIB;
}

static int64_t as_ns(struct timeval time)
{
	return (int64_t)time.tv_sec * NS + (int64_t)time.tv_usec * NS_PER_US;
}

/* Subtracts what this program's own threads have done. */
static void subtract_own_io(struct process *self)
{
	char path[300];
	struct process thread = {.pid = self->pid, .files = {-1, -1, -1, -1}};
	DIR *threads = opendir("/proc/self/task");
	for (struct dirent *entry; threads != NULL && (entry = readdir(threads)) != NULL;) {
		if (!ascii_is_digit(entry->d_name[0]))
			continue;
		snprintf(path, sizeof path, "/proc/self/task/%s/io", entry->d_name);
		thread.files[FILE_IO] = open(path, O_RDONLY | O_CLOEXEC);
		thread.own = (struct usage){0};
		if (thread.files[FILE_IO] < 0)
			continue;
		read_io(&thread);
		close_files(&thread);
		for (size_t i = 0; i < COUNT(counters); i++)
			self->own.of[counters[i]] -= thread.own.of[counters[i]];
	}
	if (threads != NULL)
		closedir(threads);
}

/* What this program's children have left to it. */
static void read_self(struct process *self)
{
	struct rusage usage;
	getrusage(RUSAGE_CHILDREN, &usage);
	struct usage now = {.of = {[METRIC_CPU] = as_ns(usage.ru_utime) + as_ns(usage.ru_stime),
	                           [METRIC_MINOR_FAULTS] = usage.ru_minflt,
	                           [METRIC_MAJOR_FAULTS] = usage.ru_majflt}};
	take_inherited(self, &now);
	if (self->gained.of[METRIC_MINOR_FAULTS] == 0)
		return;
	read_io(self);
	subtract_own_io(self);
}

/* ---- who has ended ---- */

/* Who waits for what PROCESS leaves: the nearest of those that it comes from who is still there. */
static struct process *heir_of(struct processes *processes, const struct process *process)
{
	enum { DEPTH_MAX = 1000 }; /* pids that were used again could go round */
	const struct process *at = process;
	for (int i = 0; i < DEPTH_MAX && at != NULL; i++) {
		if (processes->adopts && at->parent == processes->self.pid)
			return &processes->self;
		struct process *parent = find(processes, at->parent);
		if (parent != NULL && parent->in_tree && !parent->ended)
			return parent;
		at = parent;
	}
	return NULL;
}

/* Did HEIR inherit what those who ended have used? Faults tell, which are counted exactly. */
static bool has_inherited(struct processes *processes, const struct process *heir)
{
	int64_t expected = 0;
	for (size_t i = 0; i < processes->list.count; i++) {
		const struct process *process = processes->list.items[i];
		if (process->ended && process->in_tree && heir_of(processes, process) == heir)
			expected += process->own.of[METRIC_MINOR_FAULTS] +
			            process->inherited.of[METRIC_MINOR_FAULTS];
	}
	return heir->gained.of[METRIC_MINOR_FAULTS] >= expected;
}

/* Whose parent has ended has another one now. */
static void find_new_parents(struct processes *processes)
{
	for (size_t i = 0; i < processes->list.count; i++) {
		struct process *process = processes->list.items[i];
		if (process->in_tree && process->pid != processes->root &&
		    process->parent != processes->self.pid &&
		    find(processes, process->parent) == NULL)
			process->is_known = false;
	}
}

static void account_for_ended(struct processes *processes)
{
	for (size_t i = 0; i < processes->list.count; i++) {
		struct process *process = processes->list.items[i];
		if (!process->ended || !process->in_tree)
			continue;
		struct process *heir = heir_of(processes, process);
		if (heir != NULL && has_inherited(processes, heir))
			continue;
		add_counters(&processes->lost, &process->own);
		add_counters(&processes->lost, &process->inherited);
	}
	drop(processes, has_ended);
	find_new_parents(processes);
	processes->any_ended = false;
}

/* ---- the levels ---- */

static void add_process(struct usage *sum, const struct process *process)
{
	add_counters(sum, &process->own);
	add_counters(sum, &process->inherited);
	sum->of[METRIC_RSS] += process->own.of[METRIC_RSS];
	sum->of[METRIC_THREADS] += process->own.of[METRIC_THREADS];
	sum->of[METRIC_PROCESSES]++;
}

static void keep_higher(struct usage *usage, const struct usage *other, enum metric metric)
{
	if (usage->of[metric] < other->of[metric])
		usage->of[metric] = other->of[metric];
}

static void read_member(struct process *process, bool deep)
{
	enum process_state state = read_cpu(process);
	process->gained = (struct usage){0};
	if (state == PROCESS_RAN && read_stat(process) && read_memory(process))
		read_io(process);
	else if (state != PROCESS_WAITED)
		process->ended = true;
	if (deep && !process->ended)
		read_peak(process);
}

const struct usage *processes_read_tree(struct processes *processes, bool deep)
{
	struct usage now = {0};
	keep_higher(&now, &processes->tree, METRIC_PEAK_RSS);
	for (size_t i = 0; i < processes->list.count; i++) {
		struct process *process = processes->list.items[i];
		if (!process->in_tree)
			continue;
		read_member(process, deep);
		processes->any_ended |= process->ended;
		if (process->ended)
			continue;
		add_process(&now, process);
		keep_higher(&now, &process->own, METRIC_PEAK_RSS);
	}
	if (processes->adopts)
		read_self(&processes->self);
	if (processes->any_ended)
		account_for_ended(processes);
	add_counters(&now, &processes->lost);
	add_counters(&now, &processes->self.own);
	add_counters(&now, &processes->self.inherited);
	for (size_t i = 0; i < COUNT(counters); i++) {
		now.of[counters[i]] -= processes->before.of[counters[i]];
		/* Ticks of the clock are rounded down, and rounded again when they are inherited. */
		keep_higher(&now, &processes->tree, counters[i]);
	}
	processes->tree = now;
	return &processes->tree;
}

/* PROCESS has ended. */
static void leave_levels(struct processes *processes, struct process *process)
{
	for (unsigned level = 0; level < LEVEL_COUNT; level++) {
		if ((process->levels & 1u << level) != 0)
			add_counters(&processes->ended[level], &process->own);
	}
	process->ended = true;
	processes->any_ended = true;
}

void processes_read_level(struct processes *processes, enum level level, bool io, struct usage *out)
{
	*out = processes->tree;
	for (size_t i = 0; i < processes->list.count; i++) {
		struct process *process = processes->list.items[i];
		if ((process->levels & 1u << level) == 0 || process->in_tree || process->ended)
			continue;
		enum process_state state = read_cpu(process);
		process->io_is_old |= state == PROCESS_RAN;
		if (state == PROCESS_ENDED || (state == PROCESS_RAN && !read_memory(process))) {
			leave_levels(processes, process);
			continue;
		}
		if (io && process->io_is_old)
			read_io(process);
		process->io_is_old &= !io;
		add_process(out, process);
	}
	add_counters(out, &processes->ended[level]);
}

size_t processes_of_tree(const struct processes *processes, pid_t *pids, size_t most)
{
	size_t count = 0;
	for (size_t i = 0; i < processes->list.count && count < most; i++) {
		if (processes->list.items[i]->in_tree)
			pids[count++] = processes->list.items[i]->pid;
	}
	return count;
}

void processes_read_shares(const struct processes *processes, struct usage *out)
{
	enum { BYTES_PER_KIB = 1024 };
	char buffer[TEXT_MAX];
	*out = (struct usage){0};
	for (size_t i = 0; i < processes->list.count; i++) {
		const struct process *process = processes->list.items[i];
		if (!process->in_tree)
			continue;
		int fd = procfs_open(process->pid, "smaps_rollup");
		struct slice text = procfs_read(fd, buffer, sizeof buffer);
		if (text.len > 0) {
			out->of[METRIC_PSS] += procfs_number(text, SLICE("Pss:")) * BYTES_PER_KIB;
			out->of[METRIC_USS] += (procfs_number(text, SLICE("Private_Clean:")) +
			                        procfs_number(text, SLICE("Private_Dirty:"))) *
			                       BYTES_PER_KIB;
		}
		if (fd >= 0)
			close(fd);
	}
}

static void add_switches(struct usage *out, pid_t pid, const char *thread)
{
	char name[300], buffer[TEXT_MAX];
	snprintf(name, sizeof name, "task/%s/status", thread);
	int fd = procfs_open(pid, name);
	struct slice text = procfs_read(fd, buffer, sizeof buffer);
	if (text.len > 0) {
		out->of[METRIC_VOLUNTARY_SWITCHES] +=
		        procfs_number(text, SLICE("voluntary_ctxt_switches:"));
		out->of[METRIC_INVOLUNTARY_SWITCHES] +=
		        procfs_number(text, SLICE("nonvoluntary_ctxt_switches:"));
	}
	if (fd >= 0)
		close(fd);
}

void processes_read_switches(const struct processes *processes, struct usage *out)
{
	char path[64];
	*out = (struct usage){0};
	for (size_t i = 0; i < processes->list.count; i++) {
		const struct process *process = processes->list.items[i];
		if (!process->in_tree)
			continue;
		snprintf(path, sizeof path, "/proc/%d/task", (int)process->pid);
		DIR *threads = opendir(path);
		for (struct dirent *entry; threads != NULL && (entry = readdir(threads)) != NULL;) {
			if (ascii_is_digit(entry->d_name[0]))
				add_switches(out, process->pid, entry->d_name);
		}
		if (threads != NULL)
			closedir(threads);
	}
}

/* ---- begin and end ---- */

/* Each process of the user has some files open here. */
static void raise_file_limit(void)
{
	struct rlimit limit;
	if (getrlimit(RLIMIT_NOFILE, &limit) != 0)
		return;
	limit.rlim_cur = limit.rlim_max;
	setrlimit(RLIMIT_NOFILE, &limit);
}

void processes_init(struct processes *processes, struct arena *arena,
                    const struct processes_order *order)
{
	*processes = (struct processes){.arena = arena,
	                                .root = order->pid,
	                                .adopts = order->adopts,
	                                .launcher = order->launcher,
	                                .levels = order->levels,
	                                .job = getenv("SLURM_JOB_ID"),
	                                .last_pid = -1,
	                                .self = {.pid = getpid(), .files = {-1, -1, -1, -1}}};
	processes->loadavg = open("/proc/loadavg", O_RDONLY | O_CLOEXEC);
	raise_file_limit();
	if (order->adopts) {
		read_self(&processes->self);
		read_io(&processes->self);
		subtract_own_io(&processes->self);
		add_counters(&processes->before, &processes->self.own);
		add_counters(&processes->before, &processes->self.inherited);
	}
	add(processes, order->pid);
	processes_scan(processes, true);
}

static bool is_any(const struct process *process)
{
	(void)process;
	return true;
}

void processes_release(struct processes *processes)
{
	drop(processes, is_any);
	close_files(&processes->self);
	if (processes->loadavg >= 0)
		close(processes->loadavg);
}
