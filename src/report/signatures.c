#include "report/signatures.h"

struct slice signature_name(enum signature signature)
{
	static const struct slice names[] = {
#define SIGNATURE(id, name, text) [SIGNATURE_##id] = SLICE_INIT(name),
#include "report/signatures.def"
#undef SIGNATURE
	};
	return names[signature];
}

/* False where VALUE is NaN. */
static signature_set if_share(enum signature signature, double value, double of, double percent)
{
	return of > 0 && 100 * value >= percent * of ? 1u << signature : 0;
}

signature_set signatures_of(const struct figures *figures, double memory, double gpu_memory)
{
	enum { BUSY = 70, FULL = 80, ALL = 100 };
	const struct spread *gauges = figures->gauges;
	return if_share(SIGNATURE_CPU, figures->cpu.mean, ALL, BUSY) |
	       if_share(SIGNATURE_MEMORY, figures->memory.mean, memory, FULL) |
	       if_share(SIGNATURE_GPU_UTIL, gauges[METRIC_GPU_UTIL].mean, ALL, FULL) |
	       if_share(SIGNATURE_GPU_MEMORY, gauges[METRIC_GPU_MEM].mean, gpu_memory, FULL);
}

/* True if the GPU with the utilisation UTIL and the memory MEMORY is idle. */
static bool is_idle(struct series_view util, struct series_view memory, struct stretch stretch)
{
	enum { IDLE = 5 };                                        /* % */
	static const double allocated = 0.1 * 1024 * 1024 * 1024; /* bytes */
	const struct series_time *times = util.group->times.items;
	size_t all = 0, idle = 0, end = series_before(util.group, stretch.to);
	end = end < util.column->known ? end : util.column->known;
	for (size_t i = series_before(util.group, stretch.from); i < end; i++) {
		all++;
		idle += util.column->values[i] <= IDLE &&
		        series_at(memory, times[i].end) > allocated;
	}
	return all > 0 && 2 * idle >= all;
}

static const struct series_column *column_of(const struct series_group *group, enum metric metric,
                                             unsigned instance)
{
	for (size_t i = 0; i < group->columns.count; i++) {
		const struct series_column *column = &group->columns.items[i];
		if (column->metric == metric && column->instance == instance)
			return column;
	}
	return NULL;
}

signature_set signatures_of_gpus(const struct series *series, enum level level,
                                 struct stretch stretch)
{
	struct series_view util = {measure_group(series, level, METRIC_GPU_UTIL), NULL};
	enum metric metric = measure_gpu_memory_metric(series, level);
	struct series_view memory = {measure_group(series, level, metric), NULL};
	for (size_t i = 0;
	     util.group != NULL && memory.group != NULL && i < util.group->columns.count; i++) {
		util.column = &util.group->columns.items[i];
		if (util.column->metric != METRIC_GPU_UTIL)
			continue;
		memory.column = column_of(memory.group, metric, util.column->instance);
		if (memory.column != NULL && is_idle(util, memory, stretch))
			return 1u << SIGNATURE_GPU_IDLE;
	}
	return 0;
}
