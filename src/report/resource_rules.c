#include "report/resource_rules.h"

#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>

#define MEGABYTE (1024.0 * 1024.0)

/* The control group counts processes that were killed (memory.events); without it, SIGKILL near the limit is one. */
bool find_out_of_memory(const struct subject *s, double limit, struct finding *f)
{
	const struct report *samples = s->samples;
	bool is_killed = false;
	if (s->cell != NULL || samples == NULL)
		return false;
	for (size_t i = 0; i < samples->run->nodes.count; i++) {
		const struct series_end *end = &samples->run->nodes.items[i].series.end;
		int status = (int)end->status;
		is_killed |= end->known && end->status != SERIES_NO_STATUS && WIFSIGNALED(status) &&
		             WTERMSIG(status) == SIGKILL;
	}
	if (!(samples->oom_kills > 0) &&
	    !(is_killed && samples->peak >= limit * samples->memory && samples->memory > 0))
		return false;
	for (size_t i = 0; i < samples->rows.count; i++) {
		const struct report_row *row = &samples->rows.items[i];
		if (slice_eq(row->state, SLICE("unfinished")))
			f->cell = arena_printf(s->profile->arena, "cell %u", row->number);
	}
	f->seconds = NAN;
	f->gain = 1;
	f->evidence =
	        arena_printf(s->profile->arena, "%s for lack of memory: it had %.0f MB of %.0f MB",
	                     samples->oom_kills > 0
	                             ? "the kernel killed the program, or one that it had started,"
	                             : "the program was killed by SIGKILL, probably",
	                     samples->peak / MEGABYTE, samples->memory / MEGABYTE);
	return true;
}

/* No kill, but little more would have been one. */
bool find_near_limit(const struct subject *s, double limit, struct finding *f)
{
	const struct report *samples = s->samples;
	if (s->cell != NULL || samples == NULL || samples->oom_kills > 0 ||
	    !(samples->memory > 0 && samples->peak >= limit * samples->memory))
		return false;
	f->seconds = NAN;
	f->gain = 0.05;
	f->evidence = arena_printf(s->profile->arena, "at its peak it has %.0f MB of %.0f MB",
	                           samples->peak / MEGABYTE, samples->memory / MEGABYTE);
	return true;
}

/* The thread waits for storage whenever a page is not in memory: of the program, if it is swapped out, or of a mapped
 * file. */
bool find_swapping(const struct subject *s, double limit, struct finding *f)
{
	enum { LEAST_RATE = 100 }; /* a second */
	double faults = counted(s, METRIC_MAJOR_FAULTS);
	f->seconds = s->kinds[TIME_IDLE];
	if (s->cell == NULL || share(faults, s->seconds) < LEAST_RATE ||
	    share(f->seconds, s->seconds) < limit)
		return false;
	name_line(s, LINE_IDLE, f);
	f->evidence = arena_printf(
	        s->profile->arena,
	        "%.0f times it waits until storage has read a page of memory that was swapped out, "
	        "or of a file that is mapped: %.1f of %.1f s",
	        faults, f->seconds, s->seconds);
	return true;
}

/* Of a job: what it requested and does not use, others cannot have. */
bool find_request(const struct subject *s, double limit, struct finding *f)
{
	const struct report *samples = s->samples;
	if (s->cell != NULL || samples == NULL || samples->lead->series.head.job.len == 0 ||
	    samples->lead->series.head.memory_limit <= 0 || samples->request == 0 ||
	    samples->memory < limit * (double)samples->request)
		return false;
	f->seconds = NAN;
	f->gain = 0.05;
	f->evidence = arena_printf(
	        s->profile->arena,
	        "the job may have %.0f MB of memory and uses at most %.0f MB; --mem=%.*s is enough",
	        samples->memory / MEGABYTE, samples->peak / MEGABYTE,
	        SLICE_ARG(measure_request_text(s->profile->arena, samples->request)));
	return true;
}

/* The same of its processors: never, for as long as an interval of samples, does it use a LIMITth of them. */
bool find_core_request(const struct subject *s, double limit, struct finding *f)
{
	const struct report *samples = s->samples;
	if (s->cell != NULL || samples == NULL || samples->lead->series.head.job.len == 0)
		return false;
	double cpus = (double)samples->cpus, most = samples->figures.cpu.max / 100 * cpus;
	if (!(cpus >= limit && most * limit <= cpus))
		return false;
	f->seconds = NAN;
	f->gain = 0.05;
	f->evidence = arena_printf(
	        s->profile->arena,
	        "the job may use %.0f processors and uses at most %.1f at a time", cpus, most);
	return true;
}

/* What the processors compute takes longer by the part of their frequency that is missing. */
bool find_frequency(const struct subject *s, double limit, struct finding *f)
{
	enum { KHZ = 1000000 };
	const struct series_head *head = s->samples == NULL ? NULL : &s->samples->lead->series.head;
	if (s->cell != NULL || head == NULL || head->frequency <= 0 || head->frequency_limit <= 0 ||
	    !(s->cores >= 0.5))
		return false;
	double part = (double)head->frequency_limit / (double)head->frequency;
	if (part > limit)
		return false;
	f->seconds = s->seconds * measure_smaller(s->cores, 1) * (1 - part);
	f->evidence = arena_printf(
	        s->profile->arena,
	        "the processors may have %.1f GHz at most; without turbo they have %.1f GHz",
	        (double)head->frequency_limit / KHZ, (double)head->frequency / KHZ);
	return true;
}

/* The time that the first touch of a page takes on this machine, in seconds: half a microsecond on most, many times
 * that in some virtual machines. NaN: not known. */
static double fault_cost(void)
{
	enum { PAGES = 1024, PAGE = 4096, TIMES = 3 };
	double least = NAN;
	for (int i = 0; i < TIMES; i++) {
		struct timespec begin, end;
		char *pages = mmap(NULL, (size_t)PAGES * PAGE, PROT_READ | PROT_WRITE,
		                   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		if (pages == MAP_FAILED)
			return NAN;
		(void)madvise(pages, (size_t)PAGES * PAGE, MADV_NOHUGEPAGE);
		clock_gettime(CLOCK_MONOTONIC, &begin);
		for (size_t k = 0; k < PAGES; k++)
			((volatile char *)pages)[k * PAGE] = 1;
		clock_gettime(CLOCK_MONOTONIC, &end);
		munmap(pages, (size_t)PAGES * PAGE);
		double time = (double)(end.tv_sec - begin.tv_sec) +
		              (double)(end.tv_nsec - begin.tv_nsec) / 1e9;
		least = measure_smaller(least, time / PAGES);
	}
	return least;
}

bool find_faults(const struct subject *s, double limit, struct finding *f)
{
	enum { LEAST_RATE = 20000 }; /* a second */
	if (s->cell == NULL || s->figures == NULL)
		return false;
	/* Each page by which memory grows must be touched once; what comes on top could be saved. */
	double growth = measure_larger(0, s->figures->memory_peak - s->figures->memory.min);
	double faults = counted(s, METRIC_MINOR_FAULTS) - growth / 4096;
	if (share(faults, s->seconds) < LEAST_RATE)
		return false;
	double cost = fault_cost();
	/* Those of several processes happen side by side. */
	f->seconds = measure_smaller(share(faults * cost, measure_larger(s->cores, 1)), s->seconds);
	if (!(share(f->seconds, s->seconds) >= limit))
		return false;
	name_line(s, LINE_ANY, f);
	f->evidence = arena_printf(s->profile->arena,
	                           "memory grows by %.1f GB, but the kernel gives %.1f GB more: "
	                           "%.2f million new pages, at "
	                           "about %.1f us each on this machine, take %.1f of %.1f s",
	                           growth / (1 << 30), faults * 4096 / (1 << 30), faults / 1e6,
	                           cost * 1e6, f->seconds, s->seconds);
	return true;
}

bool find_leak(const struct subject *s, double limit, struct finding *f)
{
	enum { LEAST_CELLS = 4 };
	double grown = 0, first = NAN, peak = s->figures == NULL ? NAN : s->figures->memory_peak;
	size_t cells = 0;
	for (size_t i = 0; s->cell == NULL && s->samples != NULL && i < s->samples->rows.count;
	     i++) {
		const struct report_row *row = &s->samples->rows.items[i];
		double change = row->figures.memory_change;
		if (change > 16.0 * (1 << 20)) {
			grown += change;
			cells++;
			first = first != first ? row->number : first;
		} else if (change < -16.0 * (1 << 20)) {
			grown += change;
		}
	}
	if (cells < LEAST_CELLS || share(grown, peak) < limit)
		return false;
	f->seconds = NAN;
	f->gain = share(grown, peak) * 0.8;
	f->evidence =
	        arena_printf(s->profile->arena,
	                     "memory grows in %zu cells, from cell %.0f on, by %.0f MB, and is not "
	                     "freed; the peak "
	                     "is %.0f MB",
	                     cells, first, grown / (1 << 20), peak / (1 << 20));
	return true;
}

static int compare_doubles(const void *a, const void *b)
{
	double left = *(const double *)a, right = *(const double *)b;
	return left < right ? -1 : left > right;
}

bool find_peak(const struct subject *s, double limit, struct finding *f)
{
	VECTOR(double) peaks = {0};
	const struct report_row *highest = NULL;
	for (size_t i = 0; s->cell == NULL && s->samples != NULL && i < s->samples->rows.count;
	     i++) {
		const struct report_row *row = &s->samples->rows.items[i];
		if (!isfinite(row->figures.memory_peak))
			continue;
		vec_push(s->profile->arena, &peaks, row->figures.memory_peak);
		if (highest == NULL || row->figures.memory_peak > highest->figures.memory_peak)
			highest = row;
	}
	if (peaks.count < 3 || !(highest->figures.gauges[METRIC_PROCESSES].max < 2))
		return false;
	qsort(peaks.items, peaks.count, sizeof *peaks.items, compare_doubles);
	double usual = peaks.items[peaks.count / 2], peak = highest->figures.memory_peak;
	double kept = highest->figures.memory_change;
	if (peak < 200.0 * (1 << 20) || peak < usual * limit || !(kept < (peak - usual) / 2))
		return false;
	f->cell = arena_printf(s->profile->arena, "cell %u", highest->number);
	f->seconds = NAN;
	f->gain = share(peak - usual, peak) * 0.5;
	f->evidence =
	        arena_printf(s->profile->arena,
	                     "this cell needs %.0f MB for a short time, the others at most %.0f MB",
	                     peak / (1 << 20), usual / (1 << 20));
	return true;
}
