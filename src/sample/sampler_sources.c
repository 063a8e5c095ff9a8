/* A source is a group of numbers that are read together: a row of source_rows. GPUs are read by a thread of their
 * own, whose readings become samples here. */
#include "sample/sampler_sources.h"

#include <time.h>
#include <unistd.h>

#include "base/os.h"

enum { NS = SAMPLER_NS, SLOW = 2 * NS, MEDIUM = NS / 10 };

/* ---- the sources ---- */

/* What processes map is part of their resident memory, also if they end or begin to map it just now. */
static bool read_cgroup(struct sampler *s, struct usage *usage)
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
	usage->of[METRIC_TMPFS] = s->tmpfs;
	usage->of[METRIC_OOM_KILLS] = s->oom_kills;
	return true;
}

#define IO_METRICS                                                                                 \
	METRIC_READ_CALLS, METRIC_WRITE_CALLS, METRIC_READ_CHARS, METRIC_WRITE_CHARS,              \
	        METRIC_READ_BYTES, METRIC_WRITE_BYTES

#define PROGRAM_METRICS                                                                            \
	METRIC_CPU, METRIC_RSS, METRIC_PEAK_RSS, METRIC_MINOR_FAULTS, METRIC_MAJOR_FAULTS,         \
	        METRIC_PROCESSES, METRIC_THREADS
#define LEVEL_METRICS METRIC_CPU, METRIC_RSS, METRIC_PROCESSES
#define ROW(id, name, level, least, ...)                                                           \
	{                                                                                          \
		SOURCE_##id, SLICE_INIT(name), LEVEL_##level, least,                               \
		        sizeof((enum metric[]){__VA_ARGS__}) / sizeof(enum metric),                \
		{                                                                                  \
			__VA_ARGS__                                                                \
		}                                                                                  \
	}

/* In the order of their groups in the file; they are read in the order of enum source_id. */
static const struct source_row {
	enum source_id id;
	struct slice name;
	enum level level; /* LEVEL_COUNT: of none */
	int64_t least;    /* nanoseconds between two readings, if the interval is shorter */
	size_t count;     /* of METRICS */
	enum metric metrics[7];
} source_rows[] = {
        ROW(TREE, "process", PROCESS, 0, PROGRAM_METRICS),
        ROW(TREE_IO, "process.io", PROCESS, 0, IO_METRICS),
        ROW(SHARES, "process.shares", PROCESS, SLOW, METRIC_PSS, METRIC_USS),
        ROW(USERS, "user", USER, 0, LEVEL_METRICS),
        ROW(USERS_IO, "user.io", USER, SLOW, IO_METRICS),
        ROW(JOB, "slurm", SLURM, 0, LEVEL_METRICS),
        ROW(JOB_IO, "slurm.io", SLURM, SLOW, IO_METRICS),
        ROW(NODE, "system", SYSTEM, MEDIUM, METRIC_MEMORY_USED),
        ROW(NET, "net", SYSTEM, MEDIUM, METRIC_NET_RECEIVED, METRIC_NET_SENT),
        ROW(CGROUP, "process.cgroup", PROCESS, MEDIUM, METRIC_TMPFS, METRIC_OOM_KILLS),
        ROW(OWN, "sampler", COUNT, SLOW, METRIC_CPU, METRIC_RSS),
        ROW(MARKS, "process.marks", PROCESS, 0, METRIC_MARK_RSS, METRIC_MARK_PEAK_RSS),
        ROW(CORES, "cores", SYSTEM, MEDIUM, METRIC_CORE_CPU), /* a column for each core */
};

/* ---- GPUs ---- */

void sampler_open_gpus(struct sampler *s)
{
	/* NVML averages over a sixth of a second and more. */
	const int64_t period = NS / 10, open_patience = 10 * (int64_t)NS, stop_patience = NS;
	const struct gpu_thread_order order = {
	        NVML_LIBRARY, s->order.interval > period ? s->order.interval : period,
	        open_patience, stop_patience};
	s->gpus = gpu_thread_start(&order, s->arena, &s->gpu_note);
	/* A note is for a node that has GPUs, or a job to which Slurm gave one. */
	if (s->gpus == NULL && getenv("SLURM_JOB_GPUS") == NULL &&
	    access("/dev/nvidiactl", F_OK) != 0)
		s->gpu_note.len = 0;
}

void sampler_read_gpus(struct sampler *s)
{
	const struct gpu_reading *reading = s->gpus == NULL ? NULL : gpu_thread_take(s->gpus);
	if (reading == NULL)
		return;
	const struct gpus *gpus = gpu_thread_gpus(s->gpus);
	if (reading->lost != NULL) {
		series_write_note(&s->writer, slice_from(reading->lost));
		return;
	}
	gpus_values(gpus, reading, s->values);
	series_write_sample(&s->writer, s->gpu_group, &reading->time, s->values);
	if (!gpus->have_processes)
		return;
	memset(s->values, 0, gpus->list.count * sizeof *s->values);
	vec_each(const struct gpu_process, holds, &reading->processes) {
		const struct process *process = process_find(&s->processes, holds->pid);
		if (process != NULL && process->in_tree)
			s->values[holds->gpu] += holds->memory;
	}
	series_write_sample(&s->writer, s->memory_group, &reading->time, s->values);
}

void sampler_add_sources(struct sampler *s)
{
	const struct gpus *gpus = gpu_thread_gpus(s->gpus);
	size_t gpu_count = gpus == NULL ? 0 : gpus->list.count;
	for (size_t i = 0; i < sizeof source_rows / sizeof *source_rows; i++) {
		const struct source_row *row = &source_rows[i];
		struct source *source = &s->sources[row->id];
		bool is_asked = row->level == LEVEL_PROCESS || row->level == LEVEL_COUNT ||
		                (s->order.levels & 1u << row->level) != 0;
		bool is_cores = row->id == SOURCE_CORES;
		size_t count = is_cores ? s->node.cores : row->count;
		struct series_column_kind *kinds = arena_calloc(s->arena, count, sizeof *kinds);
		for (unsigned k = 0; k < count; k++)
			kinds[k] = (struct series_column_kind){row->metrics[is_cores ? 0 : k],
			                                       is_cores ? k : 0};
		source->group = series_write_group(&s->writer, row->name, row->level, kinds, count);
		source->row = row;
		source->is_read = is_asked && row->id != SOURCE_MARKS &&
		                  (row->id != SOURCE_CGROUP || s->cgroup_before.shared >= 0);
		source->read_at = INT64_MIN / 2; /* never */
	}
	s->values =
	        arena_calloc(s->arena, s->node.cores + METRIC_COUNT + GPU_VALUE_COUNT * gpu_count,
	                     sizeof(int64_t));
	if (s->gpu_note.len > 0)
		series_write_note(&s->writer, s->gpu_note);
	if (gpus == NULL)
		return;
	gpu_columns columns = {0}, memory = {0};
	gpus_columns(gpus, s->arena, &columns);
	for (unsigned i = 0; i < gpu_count; i++)
		vec_push(s->arena, &memory, (struct series_column_kind){METRIC_GPU_PROCESS_MEM, i});
	s->gpu_group = series_write_group(&s->writer, SLICE("gpu"), LEVEL_COUNT, columns.items,
	                                  columns.count);
	s->memory_group = series_write_group(&s->writer, SLICE("process.gpu"), LEVEL_PROCESS,
	                                     memory.items, memory.count);
}

/* ---- reading what is due ---- */

/* Reads SOURCE into s->values. Returns false where it has no values now. */
static bool read_values(struct sampler *s, const struct source *source)
{
	const enum source_id id = source->row->id;
	struct usage usage = {0};
	int64_t *of = usage.of;
	bool any = true;
	switch (id) {
	case SOURCE_TREE:
		usage = *processes_read_tree(&s->processes, s->is_deep);
		break;
	case SOURCE_TREE_IO: /* what the last look at the program has found */
		usage = s->processes.tree;
		break;
	case SOURCE_SHARES:
		processes_read_shares(&s->processes, &usage);
		s->shared_of = s->processes.tree.of[METRIC_RSS];
		any = of[METRIC_PSS] > 0;
		break;
	case SOURCE_CGROUP:
		any = read_cgroup(s, &usage);
		break;
	case SOURCE_USERS:
	case SOURCE_USERS_IO:
		processes_read_level(&s->processes, LEVEL_USER, id == SOURCE_USERS_IO, &usage);
		break;
	case SOURCE_JOB:
	case SOURCE_JOB_IO:
		processes_read_level(&s->processes, LEVEL_SLURM, id == SOURCE_JOB_IO, &usage);
		/* The memory of a job has what is in its tmpfs, as its limit has. */
		of[METRIC_RSS] += s->cgroup.is_job ? s->tmpfs : 0;
		break;
	case SOURCE_NODE:
		of[METRIC_MEMORY_USED] = node_memory_used(&s->node);
		any = of[METRIC_MEMORY_USED] >= 0;
		break;
	case SOURCE_CORES:
		return node_cores(&s->node, s->values);
	case SOURCE_NET:
		any = node_net(&s->node, &of[METRIC_NET_RECEIVED], &of[METRIC_NET_SENT]);
		break;
	case SOURCE_OWN:
		of[METRIC_CPU] = os_clock(CLOCK_PROCESS_CPUTIME_ID);
		of[METRIC_RSS] = node_own_memory(&s->node);
		break;
	default:
		any = false;
	}
	for (size_t i = 0; i < source->row->count && any; i++)
		s->values[i] = of[source->row->metrics[i]];
	return any;
}

static bool read_once(struct sampler *s, const struct source *source, struct series_time *time)
{
	time->begin = os_clock(CLOCK_MONOTONIC);
	time->wall = os_clock(CLOCK_REALTIME);
	bool any = read_values(s, source);
	time->end = os_clock(CLOCK_MONOTONIC);
	return any;
}

static void read_source(struct sampler *s, struct source *source)
{
	struct series_time time;
	int64_t cpu = os_clock(CLOCK_THREAD_CPUTIME_ID);
	bool any = read_once(s, source, &time);
	source->read_at = time.begin;
	/* Levels have the program as it was read last. */
	if (source->row->id >= SOURCE_USERS && source->row->id <= SOURCE_JOB_IO) {
		time.wall -= time.begin - s->program_read;
		time.begin = s->program_read;
	}
	if (any)
		series_write_sample(&s->writer, source->group, &time, s->values);
	source->cost = os_clock(CLOCK_THREAD_CPUTIME_ID) - cpu;
}

/* The program's resident memory does not show what came and went between two samples; its peak does.
 * The peak and the I/O take twice as long to read as everything else. */
void sampler_read_program(struct sampler *s, int64_t now, bool deep)
{
	enum { TRIES = 3, USUAL = 4, MOMENT = NS / 10000 };
	struct series_time time = {0};
	struct source *tree = &s->sources[SOURCE_TREE], *io = &s->sources[SOURCE_TREE_IO];
	int64_t most = USUAL * tree->cost + MOMENT, took = INT64_MAX;
	s->is_deep = deep || s->order.interval >= SAMPLER_DEEP_NS || now >= s->next_deep;
	if (s->is_deep)
		s->next_deep = now + SAMPLER_DEEP_NS;
	processes_scan(&s->processes, now >= s->next_scan);
	if (now >= s->next_scan)
		s->next_scan = now + NS;
	/* Again where it takes much longer than the last time: it was interrupted then, and it is not known when
	 * within TIME the values were so. */
	for (int i = 0; i < TRIES && took > most; i++) {
		read_once(s, tree, &time);
		took = time.end - time.begin;
	}
	tree->cost = took < most ? took : most;
	s->program_read = time.begin;
	series_write_sample(&s->writer, tree->group, &time, s->values);
	if (s->is_deep && read_values(s, io))
		series_write_sample(&s->writer, io->group, &time, s->values);
}

void sampler_read_start(struct sampler *s, int64_t start_mono, int64_t start_wall)
{
	const struct series_time time = {start_mono, start_mono, start_wall};
	for (enum source_id id = SOURCE_TREE; id <= SOURCE_TREE_IO; id++) {
		const struct source *source = &s->sources[id];
		read_values(s, source);
		for (size_t k = 0; k < source->row->count; k++) {
			if (metric_row(source->row->metrics[k])->kind == METRIC_IS_COUNTER)
				s->values[k] = 0;
		}
		series_write_sample(&s->writer, source->group, &time, s->values);
	}
}

void sampler_read_others(struct sampler *s, int64_t now)
{
	enum { SHARE = 100, ALONE = 10, PART = 4 }; /* reading may take 1/SHARE of the time */
	const int64_t *tree = s->processes.tree.of;
	for (enum source_id id = SOURCE_TREE_IO + 1; id < SOURCE_COUNT; id++) {
		struct source *source = &s->sources[id];
		int64_t pause = source->cost * SHARE;
		/* Looks come at each interval, and a source is read a little after the beginning of one. */
		int64_t interval = s->order.interval, least = source->row->least;
		least = (least > interval ? least : interval) - interval / 2;
		if (pause < least)
			pause = least;
		/* One process shares little, and its pages take as long to count as all else: it is read
		 * often only while its memory changes. */
		if (id == SOURCE_SHARES && tree[METRIC_PROCESSES] <= 1 &&
		    llabs(tree[METRIC_RSS] - s->shared_of) <= s->shared_of / PART)
			pause *= ALONE;
		if (source->is_read && now >= source->read_at + pause)
			read_source(s, source);
	}
}

void sampler_read_up_to_now(struct sampler *s)
{
	s->processes.everybody = true;
	for (int i = SOURCE_TREE_IO + 1; i < SOURCE_COUNT; i++) {
		if (s->sources[i].is_read && i != SOURCE_SHARES)
			read_source(s, &s->sources[i]);
	}
	s->processes.everybody = false;
}
