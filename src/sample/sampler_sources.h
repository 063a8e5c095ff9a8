/* What a sampler reads, and when: the program, the levels, the node and the GPUs. Only sampler.c includes it. */
#pragma once

#include "sample/gpu_thread.h"
#include "sample/node.h"
#include "sample/processes.h"
#include "sample/sampler.h"
#include "sample/series_write.h"

enum {
	SAMPLER_NS = 1000000000,
	SAMPLER_DEEP_NS = SAMPLER_NS / 10, /* looks at all of the program come no more often */
	SAMPLER_MARKS_MAX = 4096
};

/* The state of a source; source_rows[] in sampler_sources.c describes it. */
struct source {
	const struct source_row *row;
	bool is_read;
	unsigned group;
	int64_t read_at, cost; /* nanoseconds; of the last time, the program's time by the clock */
};

enum source_id {
	SOURCE_TREE,
	SOURCE_TREE_IO, /* is read and written together with the one before it */
	SOURCE_SHARES,
	SOURCE_CGROUP,
	SOURCE_USERS,
	SOURCE_USERS_IO,
	SOURCE_JOB,
	SOURCE_JOB_IO,
	SOURCE_NODE,
	SOURCE_CORES,
	SOURCE_NET,
	SOURCE_OWN,
	SOURCE_MARKS, /* is written where cells begin and end */
	SOURCE_COUNT
};

struct sampler {
	struct arena *arena;
	struct sampler_order order;
	int64_t opened; /* CLOCK_MONOTONIC */
	pid_t pid;      /* the program */
	struct processes processes;
	bool watches; /* PROCESSES have been found */
	struct node node;
	struct cgroup cgroup;               /* the program's */
	struct cgroup_memory cgroup_before; /* what it had before the program */
	int64_t tmpfs, oom_kills;           /* as they were read last */
	struct series_writer writer;
	struct source sources[SOURCE_COUNT];
	int64_t *values;                  /* room for the source with the most columns */
	struct gpu_thread *gpus;          /* NULL: no GPUs */
	unsigned gpu_group, memory_group; /* of GPUs; of the program's memory in them */
	struct slice gpu_note;
	int poll, timer;
	int64_t next;        /* when the program is due */
	int64_t due, missed; /* how often it was, and was not read */
	int64_t next_scan, next_deep, next_write;
	int64_t program_read; /* when the last reading of the program began */
	bool is_deep;         /* the program's I/O and highest resident memory are read, too */
	int64_t shared_of;    /* the program's resident memory when its shares were read */
	int failed;           /* errno of what has stopped it, or 0 */
	char marks[SAMPLER_MARKS_MAX];
	size_t marks_filled;
	int64_t last_mark; /* CLOCK_MONOTONIC: whose memory was written last */
	bool skips_line;   /* it was too long, and goes on */
	bool heard_all;    /* no more lines will come */
	/* What is being written. */
	const struct cell_mark *mark;
	const struct series_title *title;
	struct series_end end;
	struct rusage before; /* what this process' children had used before the program began */
};

/* Makes the groups of all sources and GPUs and room for their values, and decides which sources are read, and how
 * often. */
void sampler_add_sources(struct sampler *s);

/* Lets NVML find GPUs, if there are any. */
void sampler_open_gpus(struct sampler *s);

/* Writes what was read of the GPUs since the last call. */
void sampler_read_gpus(struct sampler *s);

/* Reads the program and writes what there is; DEEP: all of it, else what is due by NOW. */
void sampler_read_program(struct sampler *s, int64_t now, bool deep);

/* Writes what the program had used when it began, at START by both clocks: nothing. What it uses
 * before the first look counts. */
void sampler_read_start(struct sampler *s, int64_t start_mono, int64_t start_wall);

/* Reads what else is due. */
void sampler_read_others(struct sampler *s, int64_t now);

/* Reads, due or not, the sources that cover the time until now. The program was read before. */
void sampler_read_up_to_now(struct sampler *s);
