#include "trace/series_late.h"

static const double tick = 1e7; /* nanoseconds: the longest one of Linux */
enum { KINDS = 2 };

static bool is_processor_time(enum metric metric)
{
	return metric == METRIC_CPU || metric == METRIC_CORE_CPU;
}

static double count_cores(const struct series *series)
{
	double count = 0;
	for (size_t i = 0; i < series->groups.count; i++) {
		const struct series_group *group = &series->groups.items[i];
		for (size_t k = 0; k < group->columns.count; k++)
			count += group->columns.items[k].metric == METRIC_CORE_CPU;
	}
	return count;
}

/* How many processors COLUMN can use; 0: that is not known. */
static double processors_of(const struct series *series, const struct series_group *group,
                            const struct series_column *column)
{
	if (column->metric == METRIC_CORE_CPU)
		return 1;
	if (group->level == LEVEL_COUNT)
		return 0;
	return group->level == LEVEL_PROCESS ? (double)series->head.cpus : count_cores(series);
}

/* How much of what was used by sample INDEX it may lack. Where the program began it is nothing.
 * Processes of other levels that have waited for long are read at every second sample. */
static double late_by(const struct series_group *group, const struct series_column *column,
                      size_t index, double processors)
{
	const struct series_time *times = group->times.items;
	double took = series_between(times[index].begin, times[index].end);
	if (column->values[index] == 0 && took == 0)
		return 0;
	if (group->level != LEVEL_PROCESS && index > 0)
		took += series_between(times[index - 1].end, times[index].end);
	return processors * (KINDS * tick + took);
}

/* From the last sample back to the first, as what one lacks may be missing in those before it, too. */
static void settle_column(const struct series_group *group, struct series_column *column,
                          double processors)
{
	const struct series_time *times = group->times.items;
	int64_t next = column->values[group->times.count - 1];
	double missing = 0; /* in the sample after it */
	for (size_t i = group->times.count - 1; i-- > 0;) {
		double late = late_by(group, column, i, processors);
		int64_t value = column->values[i];
		missing += (double)next - (double)value -
		           processors * series_between(times[i].end, times[i + 1].end);
		missing = missing < 1 ? 0 : missing < late ? missing : late;
		/* Damaged files may have any numbers. */
		if (missing < (double)INT64_MAX)
			column->values[i] = (int64_t)((uint64_t)value + (uint64_t)missing);
		next = value;
	}
}

void series_settle(const struct series *series, struct series_group *group)
{
	for (size_t i = 0; i < group->columns.count && group->times.count > 0; i++) {
		struct series_column *column = &group->columns.items[i];
		if (!is_processor_time(column->metric))
			continue;
		double processors = processors_of(series, group, column);
		if (processors > 0)
			settle_column(group, column, processors);
	}
}
