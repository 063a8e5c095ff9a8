#include "sample/processes.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/os.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

enum { BYTES_PER_KIB = 1024 };

/* ---- what one of them has used ---- */

/* The usage of children that the process that waits for them inherits, without I/O. */
static const enum metric inherited[] = {METRIC_CPU, METRIC_MINOR_FAULTS, METRIC_MAJOR_FAULTS};

/* What adds up, over processes and over time. */
static const enum metric usage_counters[] = {
        METRIC_CPU,         METRIC_MINOR_FAULTS, METRIC_MAJOR_FAULTS,
        METRIC_READ_CALLS,  METRIC_WRITE_CALLS,  METRIC_READ_CHARS,
        METRIC_WRITE_CHARS, METRIC_READ_BYTES,   METRIC_WRITE_BYTES};

static void usage_add(struct usage *sum, const struct usage *usage)
{
	for (size_t i = 0; i < COUNT(usage_counters); i++)
		sum->of[usage_counters[i]] += usage->of[usage_counters[i]];
}

static void take_io(struct usage *out, struct slice text)
{
	static const struct {
		struct slice name;
		enum metric metric;
	} fields[] = {
	        {SLICE_INIT("rchar:"), METRIC_READ_CHARS},
	        {SLICE_INIT("wchar:"), METRIC_WRITE_CHARS},
	        {SLICE_INIT("syscr:"), METRIC_READ_CALLS},
	        {SLICE_INIT("syscw:"), METRIC_WRITE_CALLS},
	        {SLICE_INIT("read_bytes:"), METRIC_READ_BYTES},
	        {SLICE_INIT("write_bytes:"), METRIC_WRITE_BYTES},
	};
	for (size_t i = 0; text.len > 0 && i < COUNT(fields); i++)
		out->of[fields[i].metric] = procfs_number(text, fields[i].name);
}

/* Reads what it and the children that it waited for have read and written. */
static void process_read_io(struct process *process)
{
	char buffer[PROCESS_TEXT_MAX];
	take_io(&process->own, process_read_file(process, FILE_IO, buffer));
}

static void take_inherited(struct process *process, const struct usage *now)
{
	for (size_t i = 0; i < COUNT(inherited); i++) {
		enum metric metric = inherited[i];
		process->gained.of[metric] = now->of[metric] - process->inherited.of[metric];
		process->inherited.of[metric] = now->of[metric];
	}
}

/* Since the last look. */
enum process_state { PROCESS_WAITED, PROCESS_RAN, PROCESS_ENDED };

/* Reads the processor time, which can lag by a clock tick for a running process. If it is unchanged,
 * the process has not run, and nothing else has changed but what the kernel has reclaimed, which is
 * seen when it runs again. Most processes of a user wait most of the time. */
static enum process_state process_read_cpu(struct process *process)
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

bool process_read_memory(struct process *process)
{
	struct procfs_stat stat;
	if (!process_read_stat(process, &stat))
		return false;
	process->own.of[METRIC_RSS] = stat.resident;
	process->size = stat.size;
	return true;
}

/* Reads the processor time and the faults that PROCESS has inherited from its children. Returns false
 * if it is gone. */
static bool process_read_inherited(struct process *process)
{
	struct procfs_stat stat;
	if (!process_read_stat(process, &stat))
		return false;
	struct usage now = {.of = {[METRIC_CPU] = stat.child_time,
	                           [METRIC_MINOR_FAULTS] = stat.child_minor_faults,
	                           [METRIC_MAJOR_FAULTS] = stat.child_major_faults}};
	take_inherited(process, &now);
	process->parent = stat.parent;
	process->own.of[METRIC_MINOR_FAULTS] = stat.minor_faults;
	process->own.of[METRIC_MAJOR_FAULTS] = stat.major_faults;
	process->own.of[METRIC_THREADS] = stat.threads;
	process->own.of[METRIC_RSS] = stat.resident;
	process->size = stat.size;
	return true;
}

/* What this process, SELF, has inherited from its children; its own use is left out. IS_FIRST: it was not read before. */
static void process_read_self(struct process *self, bool is_first)
{
	char name[300], buffer[PROCESS_TEXT_MAX];
	struct rusage usage;
	getrusage(RUSAGE_CHILDREN, &usage);
	struct usage now = {
	        .of = {[METRIC_CPU] = procfs_ns(usage.ru_utime) + procfs_ns(usage.ru_stime),
	               [METRIC_MINOR_FAULTS] = usage.ru_minflt,
	               [METRIC_MAJOR_FAULTS] = usage.ru_majflt}};
	take_inherited(self, &now);
	if (!is_first && self->gained.of[METRIC_MINOR_FAULTS] == 0)
		return;
	process_read_io(self);
	/* Without what its threads, which are alive, have read and written. */
	snprintf(name, sizeof name, "/proc/%d/task", (int)self->pid);
	DIR *threads = opendir(name);
	for (struct dirent *entry; threads != NULL && (entry = readdir(threads)) != NULL;) {
		struct usage thread = {0};
		if (!ascii_is_digit(entry->d_name[0]))
			continue;
		snprintf(name, sizeof name, "task/%s/io", entry->d_name);
		take_io(&thread, procfs_read_file(self->pid, name, buffer, sizeof buffer));
		for (size_t i = 0; i < COUNT(usage_counters); i++)
			self->own.of[usage_counters[i]] -= thread.of[usage_counters[i]];
	}
	if (threads != NULL)
		closedir(threads);
}

void process_read(struct process *process, bool deep)
{
	char buffer[PROCESS_TEXT_MAX];
	int64_t *own = process->own.of;
	process->ended =
	        process_read_cpu(process) == PROCESS_ENDED || !process_read_inherited(process);
	if (process->ended || !deep)
		return;
	process_read_io(process);
	/* Memory becomes resident by page faults, or where the system joins pages to a huge one. To ask for the
	 * highest takes as long as all else of a look. */
	int64_t faults = own[METRIC_MINOR_FAULTS] + own[METRIC_MAJOR_FAULTS];
	if (faults == process->peak_faults && own[METRIC_RSS] <= own[METRIC_PEAK_RSS])
		return;
	process->peak_faults = faults;
	int64_t peak =
	        procfs_number(process_read_file(process, FILE_STATUS, buffer), SLICE("VmHWM:"));
	if (peak > 0) /* a zombie has none */
		own[METRIC_PEAK_RSS] = peak * BYTES_PER_KIB;
}

static void keep_higher(struct usage *usage, const struct usage *other, enum metric metric)
{
	if (usage->of[metric] < other->of[metric])
		usage->of[metric] = other->of[metric];
}

/* ---- processes that have ended ---- */

/* The nearest living ancestor of PROCESS, which inherits its usage. */
static struct process *heir_of(struct processes *processes, const struct process *process)
{
	enum { DEPTH_MAX = 1000 }; /* pids that were used again could go round */
	const struct process *at = process;
	for (int i = 0; i < DEPTH_MAX && at != NULL; i++) {
		if (processes->adopts && at->parent == processes->self.pid)
			return &processes->self;
		struct process *parent = process_find(processes, at->parent);
		if (parent != NULL && parent->in_tree && !parent->ended)
			return parent;
		if (processes->launcher.pid != 0 && at->parent == processes->launcher.pid)
			return &processes->launcher;
		at = parent;
	}
	return NULL;
}

/* True if HEIR has inherited the usage of the processes that ended. Faults show it, because they are
 * counted exactly. */
static bool has_inherited(struct processes *processes, const struct process *heir)
{
	int64_t expected = 0;
	for (size_t i = 0; i < processes->members.count; i++) {
		const struct process *process = processes->members.items[i];
		if (process->ended && heir_of(processes, process) == heir)
			expected += process->own.of[METRIC_MINOR_FAULTS] +
			            process->inherited.of[METRIC_MINOR_FAULTS];
	}
	return heir->gained.of[METRIC_MINOR_FAULTS] >= expected;
}

static bool has_ended(const struct process *process)
{
	return process->ended;
}

static void account_for_ended(struct processes *processes)
{
	for (size_t i = 0; i < processes->members.count; i++) {
		struct process *process = processes->members.items[i];
		if (!process->ended)
			continue;
		struct process *heir = heir_of(processes, process);
		bool is_rank = heir == &processes->launcher;
		if (heir != NULL && !is_rank && has_inherited(processes, heir))
			continue;
		usage_add(is_rank ? &processes->ranks : &processes->lost, &process->own);
		usage_add(is_rank ? &processes->ranks : &processes->lost, &process->inherited);
		processes->any_rank_ended |= is_rank;
	}
	process_drop(processes, has_ended);
	for (size_t i = 0; i < processes->members.count; i++) {
		struct process *process = processes->members.items[i];
		/* Whose parent has ended has another one now. */
		if (process->pid != processes->root && process->parent != processes->self.pid &&
		    process_find(processes, process->parent) == NULL)
			process->is_known = false;
	}
	processes->any_ended = false;
}

/* ---- the levels ---- */

/* True if its memory is its parent's, as between vfork() and execve(). Two processes that do not share
 * their memory hardly ever have the same number of pages. */
static bool has_memory_of_parent(const struct processes *processes, const struct process *process)
{
	const struct process *parent = process_find(processes, process->parent);
	return parent != NULL && !parent->ended && parent->size == process->size &&
	       parent->own.of[METRIC_RSS] == process->own.of[METRIC_RSS];
}

static void add_process(const struct processes *processes, const struct process *process,
                        struct usage *sum)
{
	usage_add(sum, &process->own);
	usage_add(sum, &process->inherited);
	if (!has_memory_of_parent(processes, process))
		sum->of[METRIC_RSS] += process->own.of[METRIC_RSS];
	sum->of[METRIC_THREADS] += process->own.of[METRIC_THREADS];
	sum->of[METRIC_PROCESSES]++;
}

/* True if the program is one process, and no process or thread was created since the tree was read in
 * full. Then it inherits nothing, and its page faults can be read later. */
static bool is_alone(const struct processes *processes)
{
	return processes->members.count == 1 && processes->unseen_count == 0 &&
	       processes->last_pid >= 0 && processes->read_pid == processes->last_pid;
}

/* Reads all that have not ended. A process that has ended may have been waited for after its parent was read; then the
 * parent has inherited more than was read, and all are read again. */
static void read_members(struct processes *processes, bool deep)
{
	enum { TRIES = 3 };
	bool has_one_ended = true;
	for (size_t i = 0; i < processes->members.count; i++)
		processes->members.items[i]->gained = (struct usage){0};
	for (int k = 0; k < TRIES && has_one_ended; k++) {
		has_one_ended = false;
		for (size_t i = 0; i < processes->members.count; i++) {
			struct process *process = processes->members.items[i];
			if (process->ended)
				continue;
			struct usage gained = process->gained;
			process_read(process, deep);
			usage_add(&process->gained, &gained);
			has_one_ended |= process->ended;
		}
		processes->any_ended |= has_one_ended;
	}
	processes->read_pid = processes->last_pid;
}

const struct usage *processes_read_tree(struct processes *processes, bool deep)
{
	char buffer[PROCESS_TEXT_MAX];
	struct usage now = {0};
	/* Before the ranks: which ones it has waited for by now will be seen to have ended. */
	if (processes->launcher.pid != 0 && process_read_inherited(&processes->launcher))
		usage_add(&processes->launched, &processes->launcher.gained);
	keep_higher(&now, &processes->tree, METRIC_PEAK_RSS);
	if (deep || !processes->takes_turns || !is_alone(processes))
		read_members(processes, deep);
	/* Also after a full look: statm and stat report different resident memory (by some pages on
	 * Linux 6.18), and must not alternate. */
	if (processes->takes_turns && is_alone(processes) && !processes->any_ended) {
		struct process *process = processes->members.items[0];
		struct slice text = process_read_file(process, FILE_STATM, buffer);
		process->ended = process_read_cpu(process) == PROCESS_ENDED || text.len == 0;
		if (!process->ended)
			process->own.of[METRIC_RSS] = procfs_resident(text);
		processes->any_ended |= process->ended;
	}
	for (size_t i = 0; i < processes->members.count; i++) {
		const struct process *process = processes->members.items[i];
		if (process->ended)
			continue;
		add_process(processes, process, &now);
		keep_higher(&now, &process->own, METRIC_PEAK_RSS);
	}
	/* A process that was not seen before it ended can wait for the next deep look. */
	if (processes->adopts && (deep || processes->any_ended))
		process_read_self(&processes->self, false);
	if (processes->any_ended)
		account_for_ended(processes);
	usage_add(&now, &processes->lost);
	/* What the ranks have used that have ended: their last readings, or where it is more what the launcher has inherited.
	 * (Its reads and writes may be its own, so these are not among it.) */
	struct usage ranks = processes->ranks;
	for (size_t i = 0; i < COUNT(usage_counters); i++)
		keep_higher(&ranks, &processes->launched, usage_counters[i]);
	if (processes->any_rank_ended)
		usage_add(&now, &ranks);
	usage_add(&now, &processes->self.own);
	usage_add(&now, &processes->self.inherited);
	for (size_t i = 0; i < COUNT(usage_counters); i++) {
		now.of[usage_counters[i]] -= processes->before.of[usage_counters[i]];
		/* Ticks of the clock are rounded down, and rounded again when they are inherited. */
		keep_higher(&now, &processes->tree, usage_counters[i]);
	}
	processes->tree = now;
	return &processes->tree;
}

void processes_had(struct processes *processes, int64_t peak)
{
	int64_t *highest = &processes->tree.of[METRIC_PEAK_RSS];
	if (*highest < peak)
		*highest = peak;
}

bool processes_correct(const struct processes *processes, pid_t pid, struct process_memory *memory)
{
	const struct process *reporter = process_find(processes, pid);
	if (reporter == NULL || !reporter->in_tree || reporter->ended)
		return false;
	for (size_t i = 0; i < processes->members.count; i++) {
		const struct process *process = processes->members.items[i];
		if (process == reporter || process->ended)
			continue;
		if (!has_memory_of_parent(processes, process))
			memory->resident += process->own.of[METRIC_RSS];
		if (memory->peak < process->own.of[METRIC_PEAK_RSS])
			memory->peak = process->own.of[METRIC_PEAK_RSS];
	}
	return true;
}

/* Looks at PROCESS, which is not the program's. */
static void read_stranger(struct processes *processes, struct process *process, bool io)
{
	enum process_state state = process_read_cpu(process);
	process->waits = state == PROCESS_WAITED ? process->waits + 1 : 0;
	process->io_is_old |= state == PROCESS_RAN;
	if (state == PROCESS_ENDED || (state == PROCESS_RAN && !process_read_memory(process))) {
		for (unsigned level = 0; level < LEVEL_COUNT; level++) {
			if ((process->levels & 1u << level) != 0)
				usage_add(&processes->ended[level], &process->own);
		}
		process->ended = true;
		processes->any_ended = true;
		return;
	}
	/* A parent that waits in vfork() has not run since its child, which has its memory, changed that. */
	struct process *parent = process_find(processes, process->parent);
	if (state == PROCESS_RAN && parent != NULL && !parent->in_tree && !parent->ended &&
	    parent->size == process->size)
		(void)process_read_memory(parent);
	if (io && process->io_is_old)
		process_read_io(process);
	process->io_is_old &= !io;
}

void processes_read_level(struct processes *processes, enum level level, bool io, struct usage *out)
{
	enum { LONG = 3 };
	*out = processes->tree;
	for (size_t i = 0; i < processes->list.count; i++) {
		struct process *process = processes->list.items[i];
		if ((process->levels & 1u << level) == 0 || process->in_tree || process->ended)
			continue;
		/* Most processes of a user wait all the time, and reading each takes longer than everything else: a
		 * process that has waited for long is read every second time. */
		process->passed_over =
		        !processes->everybody && process->waits >= LONG && !process->passed_over;
		if (!process->passed_over)
			read_stranger(processes, process, io);
		if (process->ended)
			continue;
		add_process(processes, process, out);
	}
	usage_add(out, &processes->ended[level]);
}

/* First ranks sample: two of them, of different launches, would wait for each other. */
bool processes_have_other_ranks(const struct processes *processes)
{
	for (size_t i = 0; processes->launcher.pid != 0 && i < processes->members.count; i++) {
		struct process *process = processes->members.items[i];
		struct procfs_stat stat;
		/* Who starts ranks may wait for this process first. */
		if (process->parent == processes->launcher.pid &&
		    process_read_stat(process, &stat) && stat.state != 'Z' &&
		    !process_has_variable(process->pid, processes->rank_variable, 0))
			return true;
	}
	return false;
}

void processes_read_shares(const struct processes *processes, struct usage *out)
{
	char buffer[PROCESS_TEXT_MAX];
	*out = (struct usage){0};
	for (size_t i = 0; i < processes->members.count; i++) {
		const struct process *process = processes->members.items[i];
		struct slice text =
		        procfs_read_file(process->pid, "smaps_rollup", buffer, sizeof buffer);
		int64_t clean = procfs_number(text, SLICE("Private_Clean:"));
		int64_t dirty = procfs_number(text, SLICE("Private_Dirty:"));
		int64_t share = procfs_number(text, SLICE("Pss:"));
		int64_t rss = process->own.of[METRIC_RSS];
		/* If the kernel does not report the shares, as for a process with other rights, all of its
		 * memory counts as its own. */
		bool is_told = share >= 0 && clean >= 0 && dirty >= 0;
		out->of[METRIC_PSS] += is_told ? share * BYTES_PER_KIB : rss;
		out->of[METRIC_USS] += is_told ? (clean + dirty) * BYTES_PER_KIB : rss;
	}
}

int64_t processes_read_mapped(struct processes *processes)
{
	char buffer[PROCESS_TEXT_MAX];
	int64_t mapped = 0;
	for (size_t i = 0; i < processes->list.count; i++) {
		struct process *process = processes->list.items[i];
		if (process->ended ||
		    (!process->in_tree && (process->levels & 1u << LEVEL_SLURM) == 0))
			continue;
		int64_t here = procfs_number(process_read_file(process, FILE_STATUS, buffer),
		                             SLICE("RssShmem:"));
		mapped += here > 0 ? here * BYTES_PER_KIB : 0;
	}
	return mapped;
}

/* ---- begin and end ---- */

void processes_init(struct processes *processes, struct arena *arena)
{
	enum { SPARE = 8 };
	struct rlimit limit = {0};
	/* Each process of the user has some files open here; descriptors from files_end on are for others. */
	if (getrlimit(RLIMIT_NOFILE, &limit) == 0) {
		limit.rlim_cur = limit.rlim_max;
		setrlimit(RLIMIT_NOFILE, &limit);
	}
	const struct process no_files = {.files = PROCESS_NO_FILES,
	                                 .files_end = limit.rlim_max > INT_MAX ? INT_MAX
	                                              : limit.rlim_max > SPARE
	                                                      ? (int)limit.rlim_max - SPARE
	                                                      : 0};
	const pid_t launcher = processes->launcher.pid;
	processes->arena = arena;
	processes->job = getenv("SLURM_JOB_ID");
	processes->last_pid = -1;
	processes->launcher = processes->self = no_files;
	processes->launcher.pid = launcher;
	processes->self.pid = getpid();
	processes->loadavg = open("/proc/loadavg", O_RDONLY | O_CLOEXEC);
	if (processes->adopts) {
		process_read_self(&processes->self, true);
		usage_add(&processes->before, &processes->self.own);
		usage_add(&processes->before, &processes->self.inherited);
	}
	if (launcher != 0)
		process_read_inherited(&processes->launcher);
	process_add(processes, processes->root);
	processes_scan(processes, true);
}

void processes_release(struct processes *processes)
{
	for (size_t i = 0; i < processes->list.count; i++)
		process_close_files(processes->list.items[i]);
	process_close_files(&processes->self);
	process_close_files(&processes->launcher);
	os_close_quietly(processes->loadavg);
}
