#include "sample/node.h"

#include <fcntl.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "base/os.h"
#include "base/strbuf.h"
#include "sample/cgroup.h"
#include "sample/procfs.h"

enum { NS = 1000000000, KIB = 1024, MIB = 1024 * 1024, TEXT_MAX = 64 * 1024, FILE_MAX = 1 << 20 };

/* "0-3,8" */
static void list_cpus(struct strbuf *out, const cpu_set_t *set)
{
	for (unsigned cpu = 0; cpu < CPU_SETSIZE; cpu++) {
		if (!CPU_ISSET(cpu, set))
			continue;
		unsigned last = cpu;
		while (last + 1 < CPU_SETSIZE && CPU_ISSET(last + 1, set))
			last++;
		strbuf_printf(out, "%s%u", out->len > 0 ? "," : "", cpu);
		if (last > cpu)
			strbuf_printf(out, "-%u", last);
		cpu = last;
	}
}

static void describe_mask(struct arena *arena, pid_t pid, struct series_head *head)
{
	cpu_set_t set;
	struct strbuf list;
	strbuf_init(&list, arena);
	if (sched_getaffinity(pid, sizeof set, &set) == 0) {
		head->cpus = CPU_COUNT(&set);
		list_cpus(&list, &set);
	} else {
		head->cpus = sysconf(_SC_NPROCESSORS_ONLN);
	}
	head->cpu_list = strbuf_slice(&list);
}

/* The number at the beginning of TEXT, or 0 without one, as for "max". */
static int64_t first_number(struct slice text)
{
	int64_t number = 0;
	for (size_t i = 0; i < text.len && i < 18 && ascii_is_digit(text.ptr[i]); i++)
		number = number * 10 + (text.ptr[i] - '0');
	return number;
}

/* Of this node for the job or the step; 0: that is not known. */
static int64_t slurm_cpus(void)
{
	const char *cpus = getenv("SLURM_CPUS_ON_NODE");
	return cpus == NULL ? 0 : first_number(slice_from(cpus));
}

/* A rank that is bound to its processors has fewer than all ranks of the node have: those are the job's
 * on the node, or else the launcher's. Slurm gives only their number. */
static void describe_cpus(struct arena *arena, pid_t pid, pid_t launcher, struct series_head *head)
{
	struct series_head all = {.cpus = 0};
	describe_mask(arena, pid, head);
	if (launcher == 0)
		return;
	describe_mask(arena, launcher, &all);
	int64_t cpus = slurm_cpus();
	if (cpus == 0 || cpus > all.cpus)
		cpus = all.cpus;
	if (cpus <= head->cpus)
		return;
	head->cpus = cpus;
	head->cpu_list = cpus == all.cpus ? all.cpu_list : slice_make("", 0);
}

/* ---- memory ---- */

static struct slice read_text(struct arena *arena, const char *path)
{
	struct strbuf text;
	strbuf_init(&text, arena);
	if (os_read_file(path, &text, FILE_MAX) < 0)
		text.len = 0;
	return strbuf_slice(&text);
}

/* Slurm gives MiB; 0: all of the node. */
static int64_t slurm_limit(int64_t cpus)
{
	const char *node = getenv("SLURM_MEM_PER_NODE"), *cpu = getenv("SLURM_MEM_PER_CPU");
	if (node != NULL)
		return first_number(slice_from(node)) * MIB;
	if (slurm_cpus() > 0)
		cpus = slurm_cpus();
	return cpu == NULL ? 0 : first_number(slice_from(cpu)) * MIB * cpus;
}

static int64_t address_space_limit(pid_t pid)
{
	struct rlimit limit;
	if (prlimit(pid, RLIMIT_AS, NULL, &limit) != 0 || limit.rlim_cur > INT64_MAX)
		return 0;
	return (int64_t)limit.rlim_cur;
}

/* A job has what Slurm gives it, whatever group it is in. */
static int64_t known_limit(struct arena *arena, pid_t pid, const struct series_head *head)
{
	struct cgroup cgroup;
	cgroup_open(&cgroup, arena, pid);
	int64_t group = cgroup_limit(&cgroup, arena);
	cgroup_close(&cgroup);
	bool in_job = getenv("SLURM_JOB_ID") != NULL;
	const int64_t limits[] = {in_job && cgroup.is_job ? group : 0,
	                          in_job ? slurm_limit(head->cpus) : 0, group,
	                          address_space_limit(pid)};
	for (size_t i = 0; i < sizeof limits / sizeof *limits; i++) {
		if (limits[i] > 0)
			return limits[i];
	}
	return 0;
}

/* ---- what it is ---- */

static struct slice environment_text(const char *name)
{
	const char *value = getenv(name);
	return value == NULL ? slice_make("", 0) : slice_from(value);
}

struct slice node_name(struct arena *arena)
{
	char host[256] = "";
	struct slice name = environment_text("SLURMD_NODENAME");
	if (name.len > 0 && getenv("SLURM_JOB_ID") != NULL)
		return name;
	gethostname(host, sizeof host - 1);
	return arena_dup(arena, slice_from(host));
}

void node_describe(struct arena *arena, pid_t pid, pid_t launcher, struct series_head *head)
{
	head->host = node_name(arena);
	head->job = environment_text("SLURM_JOB_ID");
	head->pid = pid;
	describe_cpus(arena, pid, launcher, head);
	int64_t total = procfs_number(read_text(arena, "/proc/meminfo"), SLICE("MemTotal:"));
	head->memory_total = total < 0 ? 0 : total * KIB;
	head->memory_limit = known_limit(arena, pid, head);
	if (head->memory_limit == 0 || (total > 0 && head->memory_limit > head->memory_total))
		head->memory_limit = head->memory_total;
	head->start_mono = os_clock(CLOCK_MONOTONIC);
	head->start_wall = os_clock(CLOCK_REALTIME);
}

/* ---- what it has used ---- */

void node_open(struct node *node)
{
	long cores = sysconf(_SC_NPROCESSORS_CONF);
	node->cores = cores < 1 ? 1 : (size_t)cores;
	node->stat = open("/proc/stat", O_RDONLY | O_CLOEXEC);
	node->meminfo = open("/proc/meminfo", O_RDONLY | O_CLOEXEC);
	node->net = open("/proc/net/dev", O_RDONLY | O_CLOEXEC);
	node->own = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
}

int64_t node_memory_used(const struct node *node)
{
	char buffer[TEXT_MAX];
	struct slice text = procfs_read(node->meminfo, buffer, sizeof buffer);
	int64_t total = procfs_number(text, SLICE("MemTotal:"));
	int64_t available = procfs_number(text, SLICE("MemAvailable:"));
	return total < 0 || available < 0 ? -1 : (total - available) * KIB;
}

/* user nice system idle iowait irq softirq steal guest guest_nice (proc(5)); guests are in user. */
static int64_t busy_ticks(struct slice rest)
{
	enum { IDLE = 3, IOWAIT = 4, STEAL = 7 };
	int64_t sum = 0;
	for (int i = 0; i <= STEAL; i++) {
		int64_t ticks = procfs_take_number(&rest);
		sum += i == IDLE || i == IOWAIT || i == STEAL ? 0 : ticks;
	}
	return sum;
}

bool node_cores(const struct node *node, int64_t *busy)
{
	char buffer[TEXT_MAX];
	struct slice rest = procfs_read(node->stat, buffer, sizeof buffer), line;
	bool any = false;
	memset(busy, 0, node->cores * sizeof *busy);
	while (slice_next_line(&rest, &line) && slice_starts_with(line, SLICE("cpu"))) {
		struct slice name = slice_next_word(&line);
		if (name.len == 3) /* the sum of all */
			continue;
		name = slice_sub(name, 3, name.len);
		size_t core = (size_t)procfs_take_number(&name);
		if (core < node->cores)
			busy[core] = busy_ticks(line) * (NS / sysconf(_SC_CLK_TCK));
		any = true;
	}
	return any;
}

bool node_net(const struct node *node, int64_t *received, int64_t *sent)
{
	char buffer[TEXT_MAX];
	struct slice text = procfs_read(node->net, buffer, sizeof buffer);
	procfs_net(text, received, sent);
	return text.len > 0;
}

int64_t node_own_memory(const struct node *node)
{
	char buffer[256];
	return procfs_resident(procfs_read(node->own, buffer, sizeof buffer));
}

void node_close(struct node *node)
{
	const int files[] = {node->stat, node->meminfo, node->net, node->own};
	for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
		if (files[i] >= 0)
			close(files[i]);
	}
}
