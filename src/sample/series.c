#include "sample/series.h"

#include <math.h>

const struct metric_row *metric_row(enum metric metric)
{
	static const struct metric_row rows[] = {
#define METRIC(id, name, kind, unit, title)                                                        \
	[METRIC_##id] = {SLICE_INIT(name), SLICE_INIT(unit), SLICE_INIT(title), METRIC_IS_##kind},
#include "sample/metrics.def"
	};
	return &rows[metric];
}

enum metric metric_find(struct slice name)
{
	unsigned metric = 0;
	while (metric < METRIC_COUNT && !slice_eq(metric_row(metric)->name, name))
		metric++;
	return metric;
}

struct slice level_name(enum level level)
{
	static const struct slice names[] = {
#define LEVEL(id, name, text) [LEVEL_##id] = SLICE_INIT(name),
#include "sample/levels.def"
	};
	return names[level];
}

enum level level_find(struct slice name)
{
	unsigned level = 0;
	while (level < LEVEL_COUNT && !slice_eq(level_name(level), name))
		level++;
	return level;
}

struct series_view series_find(const struct series *series, enum level level, enum metric metric,
                               unsigned instance)
{
	vec_each(const struct series_group, group, &series->groups) {
		if (group->level != level || group->times.count == 0)
			continue;
		vec_each(const struct series_column, column, &group->columns) {
			if (column->metric == metric && column->instance == instance)
				return (struct series_view){group, column};
		}
	}
	return (struct series_view){0};
}

size_t series_before(const struct series_group *group, int64_t moment)
{
	size_t low = 0, high = group->times.count;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (group->times.items[middle].end <= moment)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

size_t series_first_from(const struct series_group *group, int64_t moment)
{
	const struct series_time *times = group->times.items;
	size_t at = series_before(group, moment);
	while (at > 0 && times[at - 1].begin >= moment)
		at--;
	while (at < group->times.count && times[at].begin < moment)
		at++;
	return at;
}

bool series_is_over(const struct series_group *group, enum metric metric, int64_t moment)
{
	static const double second = 1e9; /* nanoseconds */
	const struct series_time *times = group->times.items;
	size_t last = group->times.count - 1;
	double pace = last > 0 ? series_since(times[last - 1].end, times[last].end) : 0;
	return metric_is_of_gpu(metric) &&
	       series_since(times[last].end, moment) > 2 * pace + second;
}

double series_at(struct series_view view, int64_t moment)
{
	if (view.group == NULL || series_is_over(view.group, view.column->metric, moment))
		return NAN;
	size_t count = view.group->times.count, next = series_before(view.group, moment);
	const int64_t *values = view.column->values;
	bool grows = view.column->metric < METRIC_COUNT &&
	             metric_row(view.column->metric)->kind == METRIC_IS_COUNTER;
	size_t before = next == 0 ? 0 : next - 1;
	if (next == 0 || next == count || !grows)
		return (double)values[before];
	int64_t from = view.group->times.items[next - 1].end;
	int64_t to = view.group->times.items[next].end;
	double part = series_between(from, moment) / series_between(from, to);
	double value = (double)values[before];
	return value + part * ((double)values[next] - value);
}

const struct series_cell *series_find_cell(const struct series *series, unsigned number,
                                           size_t repeat)
{
	size_t at = number_map_get(&series->cells_by_key, series_cell_key(number, repeat));
	return at == 0 ? NULL : &series->cells.items[at - 1];
}

const struct series_title *series_find_title(const struct series *series, unsigned number)
{
	size_t at = number_map_get(&series->titles_by_number, number);
	return at == 0 ? NULL : &series->titles.items[at - 1];
}

int64_t series_begin(const struct series *series)
{
	return series->head.start_mono;
}

int64_t series_last(const struct series *series)
{
	int64_t end = series->end.known ? series->end.moment : series->head.start_mono;
	vec_each(const struct series_group, group, &series->groups) {
		size_t count = group->times.count;
		if (count > 0 && group->times.items[count - 1].end > end)
			end = group->times.items[count - 1].end;
	}
	return series->cells_last > end ? series->cells_last : end;
}
