#include "sample/node.h"

#include <fcntl.h>
#include <sched.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "base/os.h"
#include "base/paths.h"
#include "sample/procfs.h"

enum { NS = 1000000000, KIB = 1024, MIB = 1024 * 1024, TEXT_MAX = 64 * 1024, FILE_MAX = 1 << 20 };

static struct slice read_text(struct arena *arena, const char *path)
{
	struct strbuf text = {.arena = arena};
	if (os_read_file(path, &text, FILE_MAX) < 0)
		text.len = 0;
	return strbuf_slice(&text);
}

/* ---- the control group ---- */

static const char *file_in(struct arena *arena, struct slice folder, const char *name)
{
	return arena_printf(arena, "%.*s/%s", SLICE_ARG(folder), name).ptr;
}

static bool has_file(struct arena *arena, struct slice folder, const char *name)
{
	return access(file_in(arena, folder, name), R_OK) == 0;
}

/* The folder of the group PATH. A container may see no more than its own group, as the base. */
static struct slice folder_of(struct arena *arena, const char *base, struct slice path)
{
	struct slice folder = arena_printf(arena, "%s%.*s", base,
	                                   SLICE_ARG(path.len == 1 ? slice_make("", 0) : path));
	return has_file(arena, folder, "memory.stat") ? folder : slice_from(base);
}

/* A limit as good as none counts as none: 0. */
int64_t cgroup_limit(const struct cgroup *cgroup, struct arena *arena)
{
	const int64_t most = 100000000000000000; /* bytes */
	int64_t limit = most;
	if (!cgroup->is_known)
		return 0;
	if (cgroup->is_v1) {
		limit = procfs_number(
		        read_text(arena, file_in(arena, cgroup->whole, "memory.stat")),
		        SLICE("hierarchical_memory_limit "));
		return limit > 0 && limit < most ? limit : 0;
	}
	for (struct slice at = cgroup->whole; at.len >= strlen(cgroup->base);) {
		struct slice text = read_text(arena, file_in(arena, at, "memory.max"));
		int64_t here = procfs_take_number(&text); /* of "max" 0 */
		if (here > 0 && here < limit)
			limit = here;
		while (at.len > 0 && at.ptr[--at.len] != '/') /* path_folder() would stay at "/" */
			;
	}
	return limit < most ? limit : 0;
}

/* A line is NUMBER:CONTROLLERS:PATH; of version 2 it has no controllers. Where both versions are
 * mounted, memory is of the first one unless that has none. */
void cgroup_open_at(struct cgroup *cgroup, struct arena *arena, struct slice groups,
                    const char *base)
{
	struct slice line, path = {0};
	*cgroup = (struct cgroup){.stat = -1, .events = -1, .base = base};
	while (!cgroup->is_v1 && slice_next_line(&groups, &line)) {
		struct slice number, controllers;
		(void)slice_next_part(&line, ':', &number);
		(void)slice_next_part(&line, ':', &controllers);
		struct slice listed = arena_printf(arena, ",%.*s,", SLICE_ARG(controllers));
		cgroup->is_v1 = slice_find_slice(listed, SLICE(",memory,"), 0) < listed.len;
		if (cgroup->is_v1 || controllers.len == 0)
			path = line;
	}
	if (path.len == 0)
		return;
	if (cgroup->is_v1)
		cgroup->base = arena_cstr(arena, arena_printf(arena, "%s/memory", base));
	/* The group of a job is that up to and with the part "job_7" of the path. */
	size_t at = slice_find_slice(path, SLICE("/job_"), 0);
	cgroup->is_job = at < path.len;
	struct slice own = folder_of(arena, cgroup->base, path);
	cgroup->whole = own;
	if (cgroup->is_job)
		cgroup->whole = folder_of(arena, cgroup->base,
		                          slice_sub(path, 0, slice_find(path, '/', at + 1)));
	/* In version 2 the group of the whole node does not report its memory; in version 1 it looks like the group
	 * of a container without a limit. */
	cgroup->is_known = has_file(arena, cgroup->whole, "memory.stat");
	bool is_of_node = cgroup->is_v1 ? slice_eq(cgroup->whole, slice_from(cgroup->base)) &&
	                                          cgroup_limit(cgroup, arena) == 0
	                                : !has_file(arena, cgroup->whole, "memory.current");
	cgroup->is_known &= !is_of_node;
	if (!cgroup->is_known)
		return;
	/* Version 1 counts what the kernel has killed in the process's own group only. */
	const char *events = cgroup->is_v1 ? file_in(arena, own, "memory.oom_control")
	                                   : file_in(arena, cgroup->whole, "memory.events");
	cgroup->stat = open(file_in(arena, cgroup->whole, "memory.stat"), O_RDONLY | O_CLOEXEC);
	cgroup->events = open(events, O_RDONLY | O_CLOEXEC);
}

void cgroup_open(struct cgroup *cgroup, struct arena *arena, pid_t pid)
{
	const char *groups = arena_printf(arena, "/proc/%d/cgroup", (int)pid).ptr;
	cgroup_open_at(cgroup, arena, read_text(arena, groups), "/sys/fs/cgroup");
}

void cgroup_close(struct cgroup *cgroup)
{
	os_close(&cgroup->stat);
	os_close(&cgroup->events);
}

void cgroup_read(const struct cgroup *cgroup, struct cgroup_memory *out)
{
	char text[TEXT_MAX];
	out->shared = procfs_number(procfs_read(cgroup->stat, text, sizeof text),
	                            cgroup->is_v1 ? SLICE("total_shmem ") : SLICE("shmem "));
	out->oom_kills =
	        procfs_number(procfs_read(cgroup->events, text, sizeof text), SLICE("oom_kill "));
}

/* ---- the processors ---- */

static void describe_mask(struct arena *arena, pid_t pid, struct series_head *head)
{
	cpu_set_t set;
	struct strbuf list = {.arena = arena};
	if (sched_getaffinity(pid, sizeof set, &set) == 0) {
		head->cpus = CPU_COUNT(&set);
		for (unsigned cpu = 0, last; cpu < CPU_SETSIZE; cpu = last + 1) { /* "0-3,8" */
			last = cpu;
			if (!CPU_ISSET(cpu, &set))
				continue;
			while (last + 1 < CPU_SETSIZE && CPU_ISSET(last + 1, &set))
				last++;
			strbuf_printf(&list, "%s%u", list.len > 0 ? "," : "", cpu);
			if (last > cpu)
				strbuf_printf(&list, "-%u", last);
		}
	} else {
		head->cpus = sysconf(_SC_NPROCESSORS_ONLN);
	}
	head->cpu_list = strbuf_slice(&list);
}

int64_t node_variable(const char *name)
{
	const char *text = getenv(name);
	uint64_t number = 0;
	return text != NULL && slice_read_number(slice_from(text), INT32_MAX, &number)
	               ? (int64_t)number
	               : -1;
}

/* ---- memory ---- */

/* A job has what Slurm gives it, whatever group it is in. */
static int64_t known_limit(struct arena *arena, pid_t pid, const struct cgroup *cgroup,
                           const struct series_head *head)
{
	int64_t group = cgroup_limit(cgroup, arena), cpus = node_variable("SLURM_CPUS_ON_NODE");
	/* Slurm gives MiB; 0: all of the node. */
	int64_t slurm =
	        getenv("SLURM_MEM_PER_NODE") != NULL
	                ? node_variable("SLURM_MEM_PER_NODE")
	                : node_variable("SLURM_MEM_PER_CPU") * (cpus > 0 ? cpus : head->cpus);
	struct rlimit space;
	bool is_limited = prlimit(pid, RLIMIT_AS, NULL, &space) == 0 && space.rlim_cur <= INT64_MAX;
	bool in_job = getenv("SLURM_JOB_ID") != NULL;
	const int64_t limits[] = {in_job && cgroup->is_job ? group : 0, in_job ? slurm * MIB : 0,
	                          group, is_limited ? (int64_t)space.rlim_cur : 0};
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

void node_describe_frequency(struct arena *arena, const char *folder, struct series_head *head)
{
	static const char *const names[] = {"base_frequency", "cpuinfo_max_freq",
	                                    "scaling_max_freq"};
	int64_t kilohertz[sizeof names / sizeof *names];
	struct slice list = head->cpu_list;
	int64_t first = procfs_take_number(&list);
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		const char *path = arena_printf(arena, "%s/cpu%lld/cpufreq/%s", folder,
		                                (long long)first, names[i])
		                           .ptr;
		struct slice text = read_text(arena, path);
		kilohertz[i] = procfs_take_number(&text);
	}
	head->frequency = kilohertz[0] > 0 ? kilohertz[0] : kilohertz[1];
	head->frequency_limit = kilohertz[2];
}

void node_describe(struct arena *arena, pid_t pid, pid_t launcher, const struct cgroup *cgroup,
                   struct series_head *head)
{
	head->host = node_name(arena);
	head->job = environment_text("SLURM_JOB_ID");
	head->pid = pid;
	describe_mask(arena, pid, head);
	/* A rank that is bound to its processors has fewer than all ranks of the node have: those are the job's on the
	 * node, or else the launcher's. Slurm gives only their number. */
	if (launcher != 0) {
		struct series_head all = {.cpus = 0};
		describe_mask(arena, launcher, &all);
		int64_t cpus = node_variable("SLURM_CPUS_ON_NODE"); /* for the job or the step */
		if (cpus <= 0 || cpus >= all.cpus)
			cpus = all.cpus;
		else
			all.cpu_list.len = 0;
		if (cpus > head->cpus) {
			head->cpus = cpus;
			head->cpu_list = all.cpu_list;
		}
	}
	int64_t total = procfs_number(read_text(arena, "/proc/meminfo"), SLICE("MemTotal:"));
	head->memory_total = total < 0 ? 0 : total * KIB;
	head->memory_limit = known_limit(arena, pid, cgroup, head);
	if (head->memory_limit == 0 || (total > 0 && head->memory_limit > head->memory_total))
		head->memory_limit = head->memory_total;
	node_describe_frequency(arena, "/sys/devices/system/cpu", head);
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

bool node_cores(const struct node *node, int64_t *busy)
{
	/* user nice system idle iowait irq softirq steal guest guest_nice (proc(5)); guests are in user. */
	enum { IDLE = 3, IOWAIT = 4, STEAL = 7 };
	char buffer[TEXT_MAX];
	struct slice rest = procfs_read(node->stat, buffer, sizeof buffer), line;
	bool any = false;
	memset(busy, 0, node->cores * sizeof *busy);
	while (slice_next_line(&rest, &line) && slice_starts_with(line, SLICE("cpu"))) {
		struct slice name = slice_next_word(&line);
		if (name.len == 3) /* the sum of all */
			continue;
		name = slice_tail(name, 3);
		size_t core = (size_t)procfs_take_number(&name);
		for (int i = 0; i < STEAL && core < node->cores; i++) {
			int64_t ticks = procfs_take_number(&line);
			if (i != IDLE && i != IOWAIT)
				busy[core] += ticks * (NS / sysconf(_SC_CLK_TCK));
		}
		any = true;
	}
	return any;
}

bool node_net(const struct node *node, int64_t *received, int64_t *sent)
{
	enum { TRANSMIT_BYTES = 8 }; /* proc_pid_net(5); the first number is what was received */
	char buffer[TEXT_MAX];
	struct slice text = procfs_read(node->net, buffer, sizeof buffer), line;
	*received = *sent = 0;
	for (struct slice rest = text, name; slice_next_line(&rest, &line);) {
		(void)slice_next_part(&line, ':', &name); /* leaves nothing of the heading */
		if (slice_eq(slice_trim(name), SLICE("lo")))
			continue;
		*received += procfs_take_number(&line);
		for (int i = 1; i < TRANSMIT_BYTES; i++)
			(void)procfs_take_number(&line);
		*sent += procfs_take_number(&line);
	}
	return text.len > 0;
}

int64_t node_own_memory(const struct node *node)
{
	char buffer[256];
	return procfs_resident(procfs_read(node->own, buffer, sizeof buffer));
}

void node_close(struct node *node)
{
	os_close_quietly(node->stat);
	os_close_quietly(node->meminfo);
	os_close_quietly(node->net);
	os_close_quietly(node->own);
}
