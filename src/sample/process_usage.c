#include "sample/process_usage.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/resource.h>
#include <unistd.h>

enum { NS = 1000000000, NS_PER_US = 1000 };

/* The usage of children that the process that waits for them inherits, without I/O. */
static const enum metric inherited[] = {METRIC_CPU, METRIC_MINOR_FAULTS, METRIC_MAJOR_FAULTS};

#define COUNT(array) (sizeof(array) / sizeof *(array))

const enum metric usage_counters[USAGE_COUNTERS] = {
        METRIC_CPU,         METRIC_MINOR_FAULTS, METRIC_MAJOR_FAULTS,
        METRIC_READ_CALLS,  METRIC_WRITE_CALLS,  METRIC_READ_CHARS,
        METRIC_WRITE_CHARS, METRIC_READ_BYTES,   METRIC_WRITE_BYTES};

void usage_add(struct usage *sum, const struct usage *usage)
{
	for (size_t i = 0; i < USAGE_COUNTERS; i++)
		sum->of[usage_counters[i]] += usage->of[usage_counters[i]];
}

void process_read_io(struct process *process)
{
	char buffer[PROCESS_TEXT_MAX];
	struct procfs_io io;
	if (!procfs_parse_io(process_read_file(process, FILE_IO, buffer), &io))
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

enum process_state process_read_cpu(struct process *process)
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
	char buffer[PROCESS_TEXT_MAX];
	struct procfs_stat stat;
	if (!procfs_parse_stat(process_read_file(process, FILE_STAT, buffer), &stat))
		return false;
	process->own.of[METRIC_RSS] = stat.resident;
	process->size = stat.size;
	return true;
}

/* False when it has ended. */
bool process_read_inherited(struct process *process)
{
	char buffer[PROCESS_TEXT_MAX];
	struct procfs_stat stat;
	if (!procfs_parse_stat(process_read_file(process, FILE_STAT, buffer), &stat))
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

/* Memory becomes resident by page faults, or where the system joins pages to a huge one. To ask for
 * the highest takes as long as all else of a look. */
static void read_peak(struct process *process)
{
	enum { BYTES_PER_KIB = 1024 };
	char buffer[PROCESS_TEXT_MAX];
	const int64_t *own = process->own.of;
	int64_t faults = own[METRIC_MINOR_FAULTS] + own[METRIC_MAJOR_FAULTS];
	if (faults == process->peak_faults && own[METRIC_RSS] <= own[METRIC_PEAK_RSS])
		return;
	process->peak_faults = faults;
	int64_t peak =
	        procfs_number(process_read_file(process, FILE_STATUS, buffer), SLICE("VmHWM:"));
	if (peak > 0) /* a zombie has none */
		process->own.of[METRIC_PEAK_RSS] = peak * BYTES_PER_KIB;
}

static int64_t as_ns(struct timeval time)
{
	return (int64_t)time.tv_sec * NS + (int64_t)time.tv_usec * NS_PER_US;
}

/* Subtracts what this program's own threads have done. */
void process_subtract_threads(struct process *self)
{
	char path[300];
	struct process thread = {.pid = self->pid, .files = PROCESS_NO_FILES};
	DIR *threads = opendir("/proc/self/task");
	for (struct dirent *entry; threads != NULL && (entry = readdir(threads)) != NULL;) {
		if (!ascii_is_digit(entry->d_name[0]))
			continue;
		snprintf(path, sizeof path, "/proc/self/task/%s/io", entry->d_name);
		thread.files[FILE_IO] = open(path, O_RDONLY | O_CLOEXEC);
		thread.own = (struct usage){0};
		if (thread.files[FILE_IO] < 0)
			continue;
		process_read_io(&thread);
		process_close_files(&thread);
		for (size_t i = 0; i < USAGE_COUNTERS; i++)
			self->own.of[usage_counters[i]] -= thread.own.of[usage_counters[i]];
	}
	if (threads != NULL)
		closedir(threads);
}

/* What this program's children have left to it. */
void process_read_self(struct process *self)
{
	struct rusage usage;
	getrusage(RUSAGE_CHILDREN, &usage);
	struct usage now = {.of = {[METRIC_CPU] = as_ns(usage.ru_utime) + as_ns(usage.ru_stime),
	                           [METRIC_MINOR_FAULTS] = usage.ru_minflt,
	                           [METRIC_MAJOR_FAULTS] = usage.ru_majflt}};
	take_inherited(self, &now);
	if (self->gained.of[METRIC_MINOR_FAULTS] == 0)
		return;
	process_read_io(self);
	process_subtract_threads(self);
}

void process_read_briefly(struct process *process)
{
	char buffer[PROCESS_TEXT_MAX];
	struct slice text = process_read_file(process, FILE_STATM, buffer);
	process->ended = process_read_cpu(process) == PROCESS_ENDED || text.len == 0;
	if (!process->ended)
		process->own.of[METRIC_RSS] = procfs_resident(text);
}

void process_read(struct process *process, bool deep)
{
	process->ended =
	        process_read_cpu(process) == PROCESS_ENDED || !process_read_inherited(process);
	if (process->ended || !deep)
		return;
	process_read_io(process);
	read_peak(process);
}
