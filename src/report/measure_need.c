/* How much memory a run needs. The sum of resident memory counts a page once for each process that
 * has it: what a parent had when it forked, and memory that ranks share. PSS counts it once, but it is
 * read less often. Between two of its samples what shows in the resident memory only counts
 * in full. */
#include "report/measure_need.h"

#include "report/measure.h"

#include <math.h>

/* What is known of the program's processes; a view without a column: nothing. TMPFS is what none of
 * them maps, which at the level SLURM is part of the resident memory. */
struct shares {
	struct series_view rss, pss, processes, tmpfs;
};

static struct shares shares_of(const struct series *series)
{
	return (struct shares){series_find(series, LEVEL_PROCESS, METRIC_RSS, 0),
	                       series_find(series, LEVEL_PROCESS, METRIC_PSS, 0),
	                       series_find(series, LEVEL_PROCESS, METRIC_PROCESSES, 0),
	                       series_find(series, LEVEL_PROCESS, METRIC_TMPFS, 0)};
}

/* The resident memory around sample INDEX of PSS: the lower one, because a process that has
 * ended between the two readings is missing in the second. */
static double rss_beside(const struct shares *shares, size_t index)
{
	const struct series_view rss = shares->rss;
	const struct series_time *times = shares->pss.group->times.items;
	if (rss.group == NULL || times == NULL)
		return NAN;
	int64_t moment = times[index].begin;
	size_t next = series_before(rss.group, moment);
	double before = next > 0 ? (double)rss.column->values[next - 1] : NAN;
	double after = next < rss.group->times.count ? (double)rss.column->values[next] : NAN;
	return measure_smaller(before, after);
}

/* What the program's resident memory RSS at MOMENT comes to when its pages are counted once. */
static double counted_once(const struct shares *shares, int64_t moment, double rss)
{
	double highest = NAN, highest_rss = NAN;
	if (shares->pss.group == NULL || !(series_at(shares->processes, moment) > 1))
		return rss;
	size_t next = series_before(shares->pss.group, moment);
	for (size_t i = next > 0 ? next - 1 : 0; i <= next; i++) {
		if (i >= shares->pss.group->times.count)
			continue;
		highest = measure_larger(highest, (double)shares->pss.column->values[i]);
		highest_rss = measure_larger(highest_rss, rss_beside(shares, i));
	}
	return measure_smaller(rss, highest + measure_larger(0, rss - highest_rss));
}

/* The program is part of its job, of which only the resident memory is known. */
static double need_of(const struct series *series, const struct shares *shares, enum level level,
                      size_t index)
{
	const struct series_view rss = series_find(series, level, METRIC_RSS, 0);
	int64_t moment = rss.group->times.items[index].end;
	double all = (double)rss.column->values[index];
	double tree = level == LEVEL_PROCESS ? all : series_at(shares->rss, moment);
	return tree <= all ? all - tree + counted_once(shares, moment, tree) : all;
}

/* What the program has in tmpfs, with its memory at that time. */
static double need_with_tmpfs(const struct shares *shares)
{
	double need = NAN;
	const struct series_view tmpfs = shares->tmpfs;
	for (size_t i = 0; tmpfs.group != NULL && i < tmpfs.group->times.count; i++) {
		int64_t moment = tmpfs.group->times.items[i].end;
		double rss = shares->rss.group == NULL ? 0 : series_at(shares->rss, moment);
		double held = (double)tmpfs.column->values[i];
		if (held > 0)
			need = measure_larger(need, held + counted_once(shares, moment, rss));
	}
	return need;
}

double measure_need(const struct series *series, enum level level)
{
	const struct shares shares = shares_of(series);
	const struct series_view rss = series_find(series, level, METRIC_RSS, 0);
	const struct series_view peak = series_find(series, level, METRIC_PEAK_RSS, 0);
	double need =
	        level == LEVEL_PROCESS && series->end.known ? (double)series->end.peak_rss : NAN;
	need = measure_larger(need, need_with_tmpfs(&shares));
	for (size_t i = 0; rss.group != NULL && i < rss.group->times.count; i++)
		need = measure_larger(need, need_of(series, &shares, level, i));
	for (size_t i = 0; peak.group != NULL && i < peak.group->times.count; i++)
		need = measure_larger(need, (double)peak.column->values[i]);
	return need;
}
