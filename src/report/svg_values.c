#include "report/svg_values.h"

#include <math.h>

/* The part of the report's stretch that comes before part I of COUNT, in nanoseconds. */
static uint64_t before(const struct report *report, size_t i, size_t count)
{
	uint64_t length = (uint64_t)report->stretch.to - (uint64_t)report->stretch.from;
	return length / count * i + length % count * i / count;
}

/* By how much a time of NODE is later than that of the lead at the same moment; modulo 2^64. */
static uint64_t shift_of(const struct report *report, const struct report_node *node)
{
	const struct series_head *lead = &report->lead->series.head, *head = &node->series.head;
	return (uint64_t)lead->start_wall - (uint64_t)lead->start_mono -
	       ((uint64_t)head->start_wall - (uint64_t)head->start_mono);
}

/* Growth per second between the first sample and the last one, if the time is long enough. */
static double growth_in(const struct series *series, const struct series_group *group,
                        enum level level, enum metric metric, struct stretch part)
{
	int64_t first = group->times.items[0].end;
	int64_t last = group->times.items[group->times.count - 1].end;
	part.from = part.from < first ? first : part.from;
	part.to = part.to > last ? last : part.to;
	if (part.to <= part.from)
		return NAN;
	double span = measure_rate_span(series, metric);
	if (series_between(part.from, part.to) < span) {
		double side = (span - series_between(part.from, part.to)) / 2;
		part.to = series_between(part.to, last) > side ? part.to + (int64_t)side : last;
		part.from = series_between(first, part.to) > span ? part.to - (int64_t)span : first;
	}
	return measure_rate(series, level, metric, part);
}

/* Of what was read, and of what held when the part began. */
static double highest_in(const struct series_group *group, enum metric metric, struct stretch part)
{
	size_t first = series_before(group, part.from), end = series_before(group, part.to);
	double highest = NAN;
	for (size_t i = first > 0 ? first - 1 : 0; i < end; i++) {
		double value = measure_value(group, metric, i);
		if (isnan(highest) || value > highest)
			highest = value;
	}
	return highest;
}

/* The metric that is METRIC at the level of the report. */
static enum metric metric_of(const struct report *report, const struct series *series,
                             enum metric metric)
{
	switch (metric) {
	case METRIC_CPU:
		return measure_cpu_metric(series, report->level);
	case METRIC_RSS:
		return measure_memory_metric(report->level);
	case METRIC_GPU_MEM:
		return measure_gpu_memory_metric(series, report->level);
	default:
		return metric;
	}
}

static void add_node(const struct report *report, const struct report_node *node,
                     const struct series_group *group, enum metric metric, double *values,
                     size_t count)
{
	bool grows = metric_row(metric)->kind == METRIC_IS_COUNTER;
	uint64_t begin = (uint64_t)report->stretch.from + shift_of(report, node);
	for (size_t i = 0; i < count; i++) {
		struct stretch part = {(int64_t)(begin + before(report, i, count)),
		                       (int64_t)(begin + before(report, i + 1, count))};
		double value = grows ? growth_in(&node->series, group, report->level, metric, part)
		                     : highest_in(group, metric, part);
		if (isnan(values[i]))
			values[i] = value;
		else if (!isnan(value))
			values[i] += value;
	}
}

size_t svg_values(const struct report *report, enum metric metric, double *values, size_t count)
{
	size_t nodes = 0;
	for (size_t i = 0; i < count; i++)
		values[i] = NAN;
	for (size_t i = 0; i < report->run->nodes.count; i++) {
		const struct report_node *node = &report->run->nodes.items[i];
		enum metric here = metric_of(report, &node->series, metric);
		const struct series_group *group =
		        measure_group(&node->series, report->level, here);
		if (group == NULL)
			continue;
		add_node(report, node, group, here, values, count);
		nodes++;
	}
	return nodes;
}
