/* What a file of samples holds, in memory: series of numbers, each with its times, and the cells
 * that ran meanwhile. nbscorep-samples(5) describes the file.
 *
 * * Times are nanoseconds of CLOCK_MONOTONIC on the node that sampled. Values that were read
 * together form a group, and have their times in common; groups are read at paces of their own. */
#pragma once

#include "base/number_map.h"

enum metric {
#define METRIC(id, name, kind, unit, title) METRIC_##id,
#include "sample/metrics.def"
	METRIC_COUNT
};

enum metric_kind { METRIC_IS_GAUGE, METRIC_IS_COUNTER };

struct metric_row {
	struct slice name, unit, title;
	enum metric_kind kind;
};

/* The row of METRIC in metrics.def. */
const struct metric_row *metric_row(enum metric metric);

/* True for a value of a GPU that NVML reports. */
static inline bool metric_is_of_gpu(enum metric metric)
{
	return metric >= METRIC_GPU_UTIL && metric <= METRIC_GPU_PROCESS_MEM;
}

/* The metric called NAME, or METRIC_COUNT. */
enum metric metric_find(struct slice name);

enum level {
#define LEVEL(id, name, text) LEVEL_##id,
#include "sample/levels.def"
	LEVEL_COUNT
};

/* "process". */
struct slice level_name(enum level level);

/* The level called NAME, or LEVEL_COUNT. */
enum level level_find(struct slice name);

struct series_gpu {
	struct slice name;
	int64_t memory; /* bytes that it has */
};

/* Who was sampled, how and where: the head of a file. Texts are UTF-8 without line ends. */
struct series_head {
	struct slice host, command, job; /* JOB: of Slurm, or empty */
	struct slice cpu_list;           /* the affinity mask, "0-3,8" */
	int64_t pid;
	int64_t interval; /* requested, in nanoseconds */
	int64_t start_mono,
	        start_wall;   /* both clocks read together; WALL since 1970, nanoseconds */
	int64_t cpus;         /* in the affinity mask */
	int64_t memory_limit; /* bytes that the program may have; 0: unknown */
	int64_t memory_total; /* bytes of the node */
	int64_t node;         /* SLURM_NODEID, or -1 */
	/* kHz of the first processor in the mask: without turbo, and the most that it may have now; 0: unknown */
	int64_t frequency, frequency_limit;
	VECTOR(struct series_gpu) gpus;
};

/* One number over time. */
struct series_column {
	enum metric metric; /* METRIC_COUNT: one that this version does not know */
	unsigned instance;  /* which core or GPU; else 0 */
	int64_t *
	        values; /* as many as the group has times; of processor time: see trace/series_read.c */
};

/* What a column is of. */
struct series_column_kind {
	enum metric metric;
	unsigned instance;
};

/* When a group was read: from BEGIN to END, CLOCK_MONOTONIC; WALL is CLOCK_REALTIME at BEGIN, which is written only. */
struct series_time {
	int64_t begin, end, wall;
};

struct series_group {
	/* Of its columns. LEVEL_COUNT: of none, or of one that this version does not know; then it
	 * knows no metric of it either. */
	enum level level;
	VECTOR(struct series_column) columns;
	VECTOR(struct series_time) times; /* its capacity is that of each column, too */
};

/* A cell that ran. */
struct series_cell {
	unsigned number;    /* among all cells of the notebook, from 1 */
	size_t repeat;      /* how often a cell of this number began before */
	int64_t begin, end; /* END is 0 while it runs */
	/* "done", "failed", "exited"; "unknown" where the program's status is; empty while it
	 * runs */
	struct slice state;
};

/* What is known of a cell before it runs. */
struct series_title {
	unsigned number;
	struct slice title, source;
};

/* The status of a process whose parent is not the sampler. */
enum { SERIES_NO_STATUS = -1 };

/* How the program ended: wait status, and getrusage(RUSAGE_CHILDREN) without the usage of earlier
 * children; PEAK_RSS is the highest one that was seen if one of those had more. */
struct series_end {
	bool known;
	int64_t moment;       /* CLOCK_MONOTONIC */
	int64_t status;       /* as waitpid() gives it, or SERIES_NO_STATUS */
	int64_t user, system; /* nanoseconds of processor time */
	int64_t peak_rss;     /* bytes, of the largest process */
	int64_t minor_faults, major_faults, voluntary_switches, involuntary_switches;
};

struct series {
	struct series_head head;
	VECTOR(struct series_group) groups;
	VECTOR(struct series_cell) cells; /* in the order in which they began */
	int64_t cells_last;               /* the last moment of one of them; INT64_MIN: none */
	VECTOR(struct series_title) titles;
	/* 1 + an index of CELLS, by series_cell_key(); the same of TITLES, by number. */
	struct number_map cells_by_key, titles_by_number;
	VECTOR(struct slice) notes;
	int64_t due,
	        missed; /* samples of the program that were due, and those that were not taken */
	struct series_end end;
	/* The file ends in the middle of a record, or is damaged; the part before is here. */
	bool truncated;
};

/* One column and the times of its group. */
struct series_view {
	const struct series_group *group; /* or NULL */
	const struct series_column *column;
};

/* The column of LEVEL (LEVEL_COUNT: of no level) with METRIC and INSTANCE. */
struct series_view series_find(const struct series *series, enum level level, enum metric metric,
                               unsigned instance);

/* How many samples of GROUP were complete at MOMENT. */
size_t series_before(const struct series_group *group, int64_t moment);

/* The first sample of GROUP that does not begin before MOMENT, or the count of all. */
size_t series_first_from(const struct series_group *group, int64_t moment);

/* True if METRIC is a GPU's, and MOMENT long after the last sample of GROUP, which has one: a GPU was lost. */
bool series_is_over(const struct series_group *group, enum metric metric, int64_t moment);

/* The value at MOMENT: of a counter in between two samples what a straight line between them has,
 * of a gauge the last one before. Before the first sample the first value. NaN where there is
 * none, or series_is_over(). */
double series_at(struct series_view view, int64_t moment);

/* Nanoseconds from FROM to TO, which is not before it; cannot overflow, for any numbers of a file. */
static inline double series_between(int64_t from, int64_t to)
{
	return (double)((uint64_t)to - (uint64_t)from);
}

/* The same, negative where TO is before FROM. */
static inline double series_since(int64_t from, int64_t to)
{
	return to < from ? -series_between(to, from) : series_between(from, to);
}

/* The wall clock when the monotonic clock was 0; modulo 2^64. */
static inline uint64_t series_wall_offset(const struct series *series)
{
	return (uint64_t)series->head.start_wall - (uint64_t)series->head.start_mono;
}

/* A key that is unique for each cell that ran. */
static inline uint64_t series_cell_key(unsigned number, size_t repeat)
{
	return (uint64_t)repeat << 32 | number;
}

/* The cell with NUMBER and REPEAT, or NULL. */
const struct series_cell *series_find_cell(const struct series *series, unsigned number,
                                           size_t repeat);

/* The first title of cell NUMBER; NULL: it has none. */
const struct series_title *series_find_title(const struct series *series, unsigned number);

/* First and last moment that anything is known of. */
int64_t series_begin(const struct series *series);
int64_t series_last(const struct series *series);
