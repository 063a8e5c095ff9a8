/* What is sampled besides GPUs: a table of sources. */
#include "sample/sampler_sources.h"

#include <time.h>

#include "base/os.h"
#include "sample/sampler_inside.h"
#include "sample/series_write.h"

enum { NS = SAMPLER_NS, COLUMNS_MAX = 32 };

static const enum metric tree_metrics[] = {
        METRIC_CPU,          METRIC_RSS,       METRIC_PEAK_RSS, METRIC_MINOR_FAULTS,
        METRIC_MAJOR_FAULTS, METRIC_PROCESSES, METRIC_THREADS};
static const enum metric share_metrics[] = {METRIC_PSS, METRIC_USS};
static const enum metric switch_metrics[] = {METRIC_VOLUNTARY_SWITCHES,
                                             METRIC_INVOLUNTARY_SWITCHES};
static const enum metric level_metrics[] = {METRIC_CPU, METRIC_RSS, METRIC_PROCESSES};
static const enum metric io_metrics[] = {METRIC_READ_CALLS, METRIC_WRITE_CALLS,
                                         METRIC_READ_CHARS, METRIC_WRITE_CHARS,
                                         METRIC_READ_BYTES, METRIC_WRITE_BYTES};
static const enum metric node_metrics[] = {METRIC_MEMORY_USED};
static const enum metric net_metrics[] = {METRIC_NET_RECEIVED, METRIC_NET_SENT};
static const enum metric mark_metrics[] = {METRIC_MARK_RSS, METRIC_MARK_PEAK_RSS};
static const enum metric cgroup_metrics[] = {METRIC_TMPFS, METRIC_OOM_KILLS};
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

/* What the last look at the program has found. */
static bool read_tree_io(struct sampler *s, int64_t *values)
{
	pick(&s->processes.tree, io_metrics, COUNT(io_metrics), values);
	return true;
}

static bool read_shares(struct sampler *s, int64_t *values)
{
	struct usage usage;
	processes_read_shares(&s->processes, &usage);
	s->shared_of = s->processes.tree.of[METRIC_RSS];
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

/* The memory of a job has what is in its tmpfs, as its limit has. */
static bool read_job(struct sampler *s, int64_t *values)
{
	enum { RSS_COLUMN = 1 };
	bool any = read_level(s, LEVEL_SLURM, values);
	if (s->cgroup.is_job)
		values[RSS_COLUMN] += s->tmpfs;
	return any;
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

/* What processes map is part of their resident memory, also if they end or begin to map it just now. */
static bool read_cgroup(struct sampler *s, int64_t *values)
{
	struct cgroup_memory memory;
	int64_t mapped = processes_read_mapped(&s->processes);
	cgroup_read(&s->cgroup, &memory);
	if (memory.shared < 0)
		return false;
	int64_t mapped_now = processes_read_mapped(&s->processes);
	int64_t before = s->cgroup.is_job ? 0 : s->cgroup_before.shared;
	int64_t rest = memory.shared - before - (mapped > mapped_now ? mapped : mapped_now);
	s->tmpfs = rest > 0 ? rest : 0;
	s->oom_kills = memory.oom_kills - s->cgroup_before.oom_kills;
	values[0] = s->tmpfs;
	values[1] = s->oom_kills;
	return true;
}

static bool read_own(struct sampler *s, int64_t *values)
{
	values[0] = os_clock(CLOCK_PROCESS_CPUTIME_ID);
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

void sampler_make_room(struct sampler *s)
{
	size_t columns = larger(larger(COLUMNS_MAX, s->node.cores), s->gpu_columns.list.count);
	const struct gpus *gpus = s->gpus == NULL ? NULL : gpu_thread_gpus(s->gpus);
	if (gpus != NULL) /* of which each holds memory of the program */
		columns = larger(columns, gpus->list.count);
	s->values = arena_calloc(s->arena, columns, sizeof(int64_t));
}

static void set_reader(struct sampler *s, enum source_id id, int64_t least,
                       bool (*read)(struct sampler *s, int64_t *values))
{
	s->sources[id].read = read;
	s->sources[id].read_at = INT64_MIN / 2; /* never */
	s->sources[id].least = least > s->order.interval ? least : s->order.interval;
}

void sampler_add_sources(struct sampler *s)
{
	const int64_t slow = 2 * (int64_t)NS, medium = NS / 10;
#define ADD(id, name, level, metrics) add_source(s, id, name, level, metrics, COUNT(metrics))
	ADD(SOURCE_TREE, "process", LEVEL_PROCESS, tree_metrics);
	ADD(SOURCE_TREE_IO, "process.io", LEVEL_PROCESS, io_metrics);
	ADD(SOURCE_SHARES, "process.shares", LEVEL_PROCESS, share_metrics);
	ADD(SOURCE_SWITCHES, "process.switches", LEVEL_PROCESS, switch_metrics);
	ADD(SOURCE_USERS, "user", LEVEL_USER, level_metrics);
	ADD(SOURCE_USERS_IO, "user.io", LEVEL_USER, io_metrics);
	ADD(SOURCE_JOB, "slurm", LEVEL_SLURM, level_metrics);
	ADD(SOURCE_JOB_IO, "slurm.io", LEVEL_SLURM, io_metrics);
	ADD(SOURCE_NODE, "system", LEVEL_SYSTEM, node_metrics);
	ADD(SOURCE_NET, "net", LEVEL_SYSTEM, net_metrics);
	ADD(SOURCE_CGROUP, "process.cgroup", LEVEL_PROCESS, cgroup_metrics);
	ADD(SOURCE_OWN, "sampler", LEVEL_COUNT, own_metrics);
	ADD(SOURCE_MARKS, "process.marks", LEVEL_PROCESS, mark_metrics);
#undef ADD
	add_cores(s);
	set_reader(s, SOURCE_TREE, 0, read_tree);
	set_reader(s, SOURCE_TREE_IO, 0, read_tree_io);
	set_reader(s, SOURCE_SHARES, slow, read_shares);
	set_reader(s, SOURCE_SWITCHES, slow, read_switches);
	set_reader(s, SOURCE_OWN, slow, read_own);
	if (s->cgroup_before.shared >= 0)
		set_reader(s, SOURCE_CGROUP, medium, read_cgroup);
	if ((s->order.levels & 1u << LEVEL_USER) != 0) {
		set_reader(s, SOURCE_USERS, 0, read_users);
		set_reader(s, SOURCE_USERS_IO, slow, read_users_io);
	}
	if ((s->order.levels & 1u << LEVEL_SLURM) != 0) {
		set_reader(s, SOURCE_JOB, 0, read_job);
		set_reader(s, SOURCE_JOB_IO, slow, read_job_io);
	}
	if ((s->order.levels & 1u << LEVEL_SYSTEM) != 0) {
		set_reader(s, SOURCE_NODE, medium, read_node);
		set_reader(s, SOURCE_CORES, medium, read_cores);
		set_reader(s, SOURCE_NET, medium, read_net);
	}
}

void sampler_clear_counters(struct sampler *s, enum source_id id)
{
	const enum metric *metrics = id == SOURCE_TREE ? tree_metrics : io_metrics;
	for (size_t i = 0; i < s->sources[id].columns; i++) {
		if (metric_row(metrics[i])->kind == METRIC_IS_COUNTER)
			s->values[i] = 0;
	}
}
