/* The figures of reports for a stretch of time, from a series. Memory is that of the level:
 * resident memory, or for the level SYSTEM what is not available. A figure that the file does not
 * have is NaN. */
#pragma once

#include "sample/series.h"

/* Bytes. */
#define MEGABYTE 0x1p20
#define GIGABYTE 0x1p30

/* Two moments of CLOCK_MONOTONIC. */
struct stretch {
	int64_t from, to;
};

/* Values of a gauge, or of the use of the processors, in a stretch. A gauge that is read right
 * after its end (within 2 ms, or a hundredth of it) is its value at the end, and counts. A mark with
 * the program's memory at the end or the beginning replaces that value. The mean is one over time,
 * because samples are closer together at the beginning and end of cells. Values before the first sample
 * are not known. */
struct spread {
	double mean, min, max;
	size_t samples; /* read within it; with 0 of them all is the value of the one before */
};

struct figures {
	double seconds;
	double core_seconds;        /* processor time */
	struct spread cpu;          /* %; 100: all processors of the level were busy */
	struct spread memory;       /* bytes */
	double memory_peak;         /* bytes; it was at least this high */
	double memory_change;       /* bytes, from the beginning to the end; NaN: not known */
	double grown[METRIC_COUNT]; /* of each counter: by how much; of all instances together */
	struct spread gauges[METRIC_COUNT]; /* of each gauge; see measure_value() */
	struct spread gpu_memory;           /* bytes */
};

/* A and B together; where one is NaN, the other one, as fmax() and fmin() do. */
static inline double measure_sum(double a, double b)
{
	return a != a ? b : b != b ? a : a + b;
}

/* Compares two doubles for qsort(). */
static inline int measure_compare(const void *a, const void *b)
{
	double left = *(const double *)a, right = *(const double *)b;
	return left < right ? -1 : left > right;
}

/* From the begin to the last moment that anything is known of. */
struct stretch measure_run(const struct series *series);

/* True if a sample has processor time or memory at LEVEL. */
bool measure_has(const struct series *series, enum level level);

/* The group of LEVEL with METRIC, for metrics of GPUs the group without a level; or NULL. */
const struct series_group *measure_group(const struct series *series, enum level level,
                                         enum metric metric);

/* METRIC at sample INDEX of GROUP: the sum of its instances, of percentages their mean, without
 * those that are not known; NaN: none is. */
double measure_value(const struct series_group *group, enum metric metric, size_t index);

/* What METRIC is at LEVEL. The memory and the processor time of the level SYSTEM are what is used, and the time of its cores
 * if their sum is not known; the memory of GPUs is what the processes of the level hold where that is known, else what
 * is in use. */
enum metric measure_metric(const struct series *series, enum level level, enum metric metric);

/* By how much the counter METRIC of LEVEL, all instances together, grew in STRETCH. Between samples
 * it grows evenly. NaN without such a counter, or if all of STRETCH is before the first sample or after
 * the last one. */
double measure_grown(const struct series *series, enum level level, enum metric metric,
                     struct stretch stretch);

/* How many processors LEVEL has: those of the affinity mask, or for the level SYSTEM all cores
 * whose time is in the file. At least 1. */
unsigned measure_cpus(const struct series *series, enum level level);

/* The shortest time, in ns, for a rate of METRIC: half an interval, because two samples right after each
 * other give no useful rate. For processor time at least 50 ms, because Linux counts the time of a
 * running process in ticks (1 to 10 ms, time(7)) and adds that of children in ticks of 10 ms (proc(5)).
 * For page faults 200 ms, because they are read at most ten times a second. */
double measure_rate_span(const struct series *series, enum metric metric);

/* Returns CORE_SECONDS of SECONDS as % of CPUS; NaN if SECONDS is not positive. */
double measure_cpu_percent(unsigned cpus, double core_seconds, double seconds);

/* Processor time of LEVEL in the part of STRETCH that is sampled, as % of its processors. */
double measure_cpu(const struct series *series, enum level level, struct stretch stretch);

/* All figures of STRETCH. Of the whole run, the level PROCESS has at least the processor time,
 * peak and faults that the kernel reported when the program ended. */
void measure_figures(const struct series *series, enum level level, struct stretch stretch,
                     struct figures *out);

/* Bytes that LEVEL may have, as far as known; else 0. */
int64_t measure_limit(const struct series *series, enum level level);

/* The rule for the memory to request for the next job: PEAK and a fifth, at least 256 MiB more,
 * rounded up to 256 MiB, from 8 GiB on to a GiB. Bytes; 0 where PEAK is NaN. */
int64_t measure_request(double peak);

/* REQUEST as sbatch's --mem takes it: "1280M", "12G". */
struct slice measure_request_text(struct arena *arena, int64_t request);
