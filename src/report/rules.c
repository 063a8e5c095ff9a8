#include "report/rules.h"

#include <sys/mman.h>

#include "base/os.h"

/* Measured, in seconds: a small read or write call, and what Python and mpi4py do around a call of MPI. */
#define CALL_COST 1.5e-6
#define MESSAGE_COST 1e-6

/* ---- what rules have in common ---- */

/* How much the counter METRIC grew. */
static double counted(const struct subject *s, enum metric metric)
{
	double grown = s->figures == NULL ? NAN : s->figures->grown[metric];
	return isfinite(grown) ? grown : 0;
}

/* Makes the evidence of F. Returns true. */
__attribute__((format(printf, 3, 4))) static bool applies(const struct subject *s,
                                                          struct finding *f, const char *format,
                                                          ...)
{
	va_list arguments;
	va_start(arguments, format);
	f->evidence = arena_vprintf(s->profile->arena, format, arguments);
	va_end(arguments);
	return true;
}

static double line_value(const struct line_time *time, enum line_kind kind)
{
	return (double)(kind == LINE_IDLE     ? script_cells_idle(time)
	                : kind == LINE_PYTHON ? time->cpu - time->native
	                                      : time->total);
}

void name_line(const struct subject *s, enum line_kind kind, struct finding *finding)
{
	const struct cell_line *worst = NULL;
	double most = 0;
	if (s->lines == NULL || kind == LINE_NONE)
		return;
	for (size_t i = 0; i < s->lines->lines.count; i++) {
		double value = line_value(&s->lines->lines.items[i].time, kind);
		if (kind == LINE_IMPORT &&
		    !script_cells_is_import(&s->profile->lines, s->lines->lines.items[i].number))
			continue;
		if (value > most) {
			most = value;
			worst = &s->lines->lines.items[i];
		}
	}
	if (worst == NULL)
		return;
	if (kind == LINE_IDLE || kind == LINE_PYTHON)
		finding->line_share = share(most, line_value(&s->lines->time, kind));
	if (finding->line_share == 0 || finding->line_share >= 0.1)
		finding->place = script_cells_place(&s->profile->lines, s->lines, worst->number);
}

/* ---- MPI ---- */

/* Seconds that could be saved if all ranks had the same work. */
static double imbalance_of(const struct subject *s)
{
	if (!isfinite(s->cell->efficiency.parallel))
		return 0;
	const struct profile_efficiency *e = &s->cell->efficiency;
	return e->communication * s->cell->seconds_max * (1 - e->load_balance);
}

bool find_serial_rank(const struct subject *s, double limit, struct finding *f)
{
	double count = (double)s->profile->ranks;
	f->seconds = imbalance_of(s);
	if (f->seconds == 0 || s->cell->efficiency.load_balance > limit / count)
		return false;
	return applies(s, f, "one of %.0f ranks works for %.1f s, and the others wait in MPI",
	               count, s->cell->efficiency.communication * s->cell->seconds_max);
}

bool find_imbalance(const struct subject *s, double limit, struct finding *f)
{
	f->seconds = imbalance_of(s);
	if (f->seconds == 0 || s->cell->efficiency.load_balance > limit)
		return false;
	double most = s->cell->efficiency.communication * s->cell->seconds_max;
	return applies(
	        s, f,
	        "the rank with most work computes for %.1f s, the mean is %.1f s (load balance "
	        "%.2f); the others wait in MPI",
	        most, most * s->cell->efficiency.load_balance, s->cell->efficiency.load_balance);
}

/* What the rank takes that waits the least is the cost of the messages; the rest is waiting for others. */
bool find_messages(const struct subject *s, double limit, struct finding *f)
{
	double calls = s->message_calls / (double)s->profile->ranks;
	f->seconds = fmin(s->rank_messages + calls * MESSAGE_COST, s->seconds);
	if (calls < 2000 || share(f->seconds, calls) > limit ||
	    share(f->seconds, s->seconds) < 0.15)
		return false;
	return applies(
	        s, f,
	        "each rank calls MPI %.0f times for small messages, which takes at least %.1f s, "
	        "%.0f us each",
	        calls, f->seconds, share(f->seconds, calls) * 1e6);
}

/* ---- the measurement ---- */

/* Of the thread that was kept longest. */
bool find_flush(const struct subject *s, double limit, struct finding *f)
{
	const struct measurement *m = s->profile->measurement;
	f->seconds = 0;
	for (size_t i = 0; i < m->locations.count; i++) {
		double seconds = 0;
		if (!profile_selects(s->profile, &m->locations.items[i]))
			continue;
		for (uint32_t path = PATH_COUNT; path < m->locations.items[i].times.count; path++) {
			if (measurement_region_of(m, path)->kind == REGION_FLUSH)
				seconds +=
				        (double)m->locations.items[i].times.items[path].total / 1e9;
		}
		f->seconds = fmax(f->seconds, seconds);
	}
	if (share(f->seconds, s->profile->seconds) < limit)
		return false;
	return applies(s, f,
	               "the trace buffer was full, and writing it took %.1f s; with "
	               "SCOREP_TOTAL_MEMORY=%.0fM it would not be",
	               f->seconds, profile_buffer_need(s->profile));
}

bool find_overhead(const struct subject *s, double limit, struct finding *f)
{
	f->seconds = fmin(s->events * PROFILE_EVENT_COST / (double)s->profile->ranks, s->seconds);
	if (s->hottest == NULL || share(f->seconds, s->seconds) < limit ||
	    s->hottest_visits * 2 < s->events * 0.3)
		return false;
	f->place = measurement_region_text(s->profile->arena, s->hottest);
	return applies(
	        s, f,
	        "recording %.1f million calls takes about %.1f of %.1f s; %.0f %% of them are of "
	        "this function",
	        s->events / 2e6, f->seconds, s->seconds, s->hottest_visits * 200 / s->events);
}

bool find_import(const struct subject *s, double limit, struct finding *f)
{
	const struct measurement *m = s->profile->measurement;
	struct slice package = {0}, most = {0};
	double longest = 0;
	f->seconds = s->kinds[TIME_IMPORT];
	if (share(f->seconds, s->run_seconds) < limit)
		return false;
	for (uint32_t i = PATH_COUNT; i < m->paths.count; i++) {
		const struct measured_region *region = measurement_region_of(m, i);
		double time = (double)s->profile->sums[i].total / 1e9;
		if (slice_eq(region->name, SLICE("<module>")) && time > longest &&
		    !slice_eq(region->module, SLICE("__main__"))) {
			longest = time;
			package = slice_sub(region->module, 0, slice_find(region->module, '.', 0));
		}
	}
	if (package.len > 0)
		most = arena_printf(s->profile->arena, "; most of it is for '%.*s'",
		                    SLICE_ARG(package));
	return applies(s, f, "imports take %.1f of %.1f s%.*s", f->seconds, s->run_seconds,
	               SLICE_ARG(most));
}

bool find_python(const struct subject *s, double limit, struct finding *f)
{
	if (s->lines == NULL)
		return false;
	/* Of the first process: MPI waits on a processor, which the lines know for C code. */
	const struct line_time *time = &s->lines->time;
	double part =
	        share((double)(time->cpu - time->native), (double)(time->total - time->delay));
	double python = part * s->seconds - s->kinds[TIME_IMPORT];
	if (share(python, s->seconds) < limit)
		return false;
	f->seconds = python * 0.9;
	return applies(s, f, "%.1f of %.1f s are spent in Python's interpreter, not in C code",
	               python, s->seconds);
}

/* ---- threads and processes ---- */

/* False where other programs use what the cell leaves free: then it cannot be said why it uses no more. */
static bool has_idle_core(const struct subject *s)
{
	const struct report_node *lead = s->samples->lead;
	double busy = measure_cpu(&lead->series, LEVEL_SYSTEM,
	                          report_row_on(s->samples, lead, s->cell->samples));
	return !(measure_cpus(&lead->series, LEVEL_SYSTEM) * (1 - busy / 100) < 0.5);
}

bool find_gil(const struct subject *s, double limit, struct finding *f)
{
	double waits = s->kinds[TIME_WAIT] + s->kinds[TIME_IDLE] + s->kinds[TIME_LOCK];
	/* Processes that it has started need no lock of this one. */
	double own = s->cores - share(s->useful, s->seconds);
	if (s->figures == NULL || s->cpus < 2 || s->threads < waits * 1.5 ||
	    waits < s->seconds * 0.5 || !(own > 0.6 && own < limit) || !has_idle_core(s))
		return false;
	f->seconds = waits / 2;
	return applies(
	        s, f,
	        "several threads run Python code for %.1f s together, but use %.1f processors at a "
	        "time: only one at a time has the interpreter's lock",
	        s->threads, own);
}

bool find_pool(const struct subject *s, double limit, struct finding *f)
{
	double cpus = s->samples == NULL ? 2 : s->cpus;
	double workers = fmin((double)s->children, cpus);
	/* A pool may live through other cells: idle is none of its business. */
	double waits = s->kinds[TIME_WAIT] + s->kinds[TIME_CHILDREN];
	if (s->cell->cell.len == 0 || s->children < 2 || waits < s->seconds * 0.25 ||
	    share(s->useful, s->seconds * workers) > limit)
		return false;
	f->seconds = fmax(0, s->seconds - s->useful / workers);
	return applies(
	        s, f,
	        "%zu processes compute for %.1f s in all, while this one takes %.1f s to start "
	        "them, to send them data, and to wait for them",
	        s->children, s->useful, s->seconds);
}

/* Threads that can run: besides the main one, a process has one of the recorder, and a rank some of MPI. */
bool find_oversubscribed(const struct subject *s, double limit, struct finding *f)
{
	double threads = s->figures == NULL ? NAN : s->figures->gauges[METRIC_THREADS].max;
	double processes = s->figures == NULL ? NAN : s->figures->gauges[METRIC_PROCESSES].max;
	bool has_ranks = s->profile->ranks > 1;
	double busy = fmax(processes - 1, threads - (has_ranks ? 4 : 2) * processes);
	if (!(busy > limit * s->cpus + 2 * has_ranks) || !(s->cores > s->cpus * 0.7))
		return false;
	f->seconds = s->seconds * 0.3;
	struct slice among =
	        processes < 2 ? slice_make("", 0)
	                      : arena_printf(s->profile->arena, " in %.0f processes", processes);
	return applies(s, f, "%.0f threads%.*s share %.0f processors, which are busy", threads,
	               SLICE_ARG(among), s->cpus);
}

bool find_waiting(const struct subject *s, double limit, struct finding *f)
{
	double children = s->kinds[TIME_CHILDREN];
	double waits = s->kinds[TIME_WAIT] + children + s->kinds[TIME_IDLE];
	bool is_for_others = children > s->seconds / 2;
	if (share(waits, s->seconds) < limit ||
	    (s->cores > 0.5 && (!is_for_others || s->cores > 1.2)))
		return false;
	f->seconds = waits;
	return applies(s, f,
	               is_for_others
	                       ? "%.1f of %.1f s are spent waiting for other processes"
	                       : "%.1f of %.1f s are spent waiting, without work for a processor",
	               waits, s->seconds);
}

bool find_busy(const struct subject *s, double limit, struct finding *f)
{
	f->seconds = s->kinds[TIME_DELAY];
	/* What the program does to itself is oversubscription. */
	if (share(f->seconds, s->profile->seconds) < limit || s->cores > s->cpus * 0.8)
		return false;
	return applies(s, f,
	               "for %.1f of %.1f s it waited for a processor that other programs used",
	               f->seconds, s->profile->seconds);
}

bool find_idle_cores(const struct subject *s, double limit, struct finding *f)
{
	if (s->lines == NULL || s->lines->lines.count == 0 || s->cpus < 2 ||
	    !(s->cores > 0.7 && s->cores < 1.3) || !has_idle_core(s))
		return false;
	/* One line, whose C code could run in several threads or processes. */
	const struct line_time *line = &s->lines->lines.items[0].time;
	double native = share((double)line->native, (double)line->total) *
	                share((double)line->total, (double)s->lines->time.total) * s->seconds;
	if (share(native, s->run_seconds) < limit)
		return false;
	f->seconds = native * (1 - 1 / s->cpus);
	return applies(s, f,
	               "%.1f of the run's %.1f s are spent in C code of one line, on one of %.0f "
	               "processors",
	               native, s->run_seconds, s->cpus);
}

/* ---- files ---- */

bool find_sync(const struct subject *s, double limit, struct finding *f)
{
	double calls = counted(s, METRIC_WRITE_CALLS), idle = s->kinds[TIME_IDLE];
	double bytes = share(counted(s, METRIC_WRITE_CHARS), calls);
	/* After a file was synchronised, a write makes a page of memory dirty again, which counts; what is printed does not. */
	double pages = counted(s, METRIC_WRITE_BYTES) / 4096;
	if (share(idle, s->seconds) < limit || calls < 20 * s->seconds || calls < 50 ||
	    pages < calls / 2 || bytes > 65536)
		return false;
	f->seconds = idle;
	return applies(s, f,
	               "%.0f writes of %.0f bytes each, and %.1f of %.1f s without work for a "
	               "processor: they wait for the disk",
	               calls, bytes, idle, s->seconds);
}

bool find_small_io(const struct subject *s, double limit, struct finding *f)
{
	double calls = counted(s, METRIC_READ_CALLS) + counted(s, METRIC_WRITE_CALLS);
	double bytes = counted(s, METRIC_READ_CHARS) + counted(s, METRIC_WRITE_CHARS);
	if (calls < 5000 || share(calls, s->seconds) < limit || share(bytes, calls) > 4096)
		return false;
	/* Most of what is not Python is the calls, and opening and closing files, which is not counted. */
	f->seconds = fmax(calls * CALL_COST, 0.8 * (s->kinds[TIME_NATIVE] + s->kinds[TIME_IDLE]));
	return applies(s, f, "%.0f calls read or write %.0f bytes each", calls,
	               share(bytes, calls));
}

/* ---- memory, and what a job may have ---- */

/* The control group counts processes that were killed (memory.events); without it, SIGKILL near the limit is one. */
bool find_out_of_memory(const struct subject *s, double limit, struct finding *f)
{
	const struct report *samples = s->samples;
	if (samples == NULL)
		return false;
	if (!(samples->oom_kills > 0) &&
	    !(report_is_killed(samples->run) && samples->peak >= limit * samples->memory &&
	      samples->memory > 0))
		return false;
	vec_each(const struct report_row, row, &samples->rows) {
		if (slice_eq(row->state, SLICE("unfinished")))
			f->cell = arena_printf(s->profile->arena, "cell %u", row->number);
	}
	f->gain = 1;
	return applies(s, f, "%s for lack of memory: it had %.0f MB of %.0f MB",
	               samples->oom_kills > 0
	                       ? "the kernel killed the program, or one that it had started,"
	                       : "the program was killed by SIGKILL, probably",
	               samples->peak / MEGABYTE, samples->memory / MEGABYTE);
}

/* No kill, but little more would have been one. */
bool find_near_limit(const struct subject *s, double limit, struct finding *f)
{
	const struct report *samples = s->samples;
	if (samples == NULL || samples->oom_kills > 0 ||
	    !(samples->memory > 0 && samples->peak >= limit * samples->memory))
		return false;
	f->gain = 0.05;
	return applies(s, f, "at its peak it has %.0f MB of %.0f MB", samples->peak / MEGABYTE,
	               samples->memory / MEGABYTE);
}

/* The thread waits for storage whenever a page is not in memory: of the program, if it is swapped out, or of a mapped
 * file. */
bool find_swapping(const struct subject *s, double limit, struct finding *f)
{
	enum { LEAST_RATE = 100 }; /* a second */
	double faults = counted(s, METRIC_MAJOR_FAULTS);
	f->seconds = s->kinds[TIME_IDLE];
	if (share(faults, s->seconds) < LEAST_RATE || share(f->seconds, s->seconds) < limit)
		return false;
	return applies(
	        s, f,
	        "%.0f times it waits until storage has read a page of memory that was swapped out, "
	        "or of a file that is mapped: %.1f of %.1f s",
	        faults, f->seconds, s->seconds);
}

/* Of a job: what it requested and does not use, others cannot have. */
bool find_request(const struct subject *s, double limit, struct finding *f)
{
	const struct report *samples = s->samples;
	if (samples == NULL || samples->lead->series.head.job.len == 0 ||
	    samples->lead->series.head.memory_limit <= 0 || samples->request == 0 ||
	    samples->memory < limit * (double)samples->request)
		return false;
	f->gain = 0.05;
	return applies(
	        s, f,
	        "the job may have %.0f MB of memory and uses at most %.0f MB; --mem=%.*s is enough",
	        samples->memory / MEGABYTE, samples->peak / MEGABYTE,
	        SLICE_ARG(measure_request_text(s->profile->arena, samples->request)));
}

/* The same of its processors: never, for as long as an interval of samples, does it use a LIMITth of them. */
bool find_core_request(const struct subject *s, double limit, struct finding *f)
{
	const struct report *samples = s->samples;
	if (samples == NULL || samples->lead->series.head.job.len == 0)
		return false;
	double most = samples->figures.cpu.max / 100 * s->cpus;
	if (!(s->cpus >= limit && most * limit <= s->cpus))
		return false;
	f->gain = 0.05;
	return applies(s, f, "the job may use %.0f processors and uses at most %.1f at a time",
	               s->cpus, most);
}

/* What the processors compute takes longer by the part of their frequency that is missing. */
bool find_frequency(const struct subject *s, double limit, struct finding *f)
{
	enum { KHZ = 1000000 };
	const struct series_head *head = s->samples == NULL ? NULL : &s->samples->lead->series.head;
	if (head == NULL || head->frequency <= 0 || head->frequency_limit <= 0 ||
	    !(s->cores >= 0.5))
		return false;
	double part = (double)head->frequency_limit / (double)head->frequency;
	if (part > limit)
		return false;
	f->seconds = s->seconds * fmin(s->cores, 1) * (1 - part);
	return applies(s, f,
	               "the processors may have %.1f GHz at most; without turbo they have %.1f GHz",
	               (double)head->frequency_limit / KHZ, (double)head->frequency / KHZ);
}

/* The time that the first touch of a page takes on this machine, in seconds: half a microsecond on most, many times
 * that in some virtual machines. NaN: not known. */
static double fault_cost(void)
{
	enum { PAGES = 1024, PAGE = 4096, TIMES = 3 };
	double least = NAN;
	for (int i = 0; i < TIMES; i++) {
		char *pages = mmap(NULL, (size_t)PAGES * PAGE, PROT_READ | PROT_WRITE,
		                   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		if (pages == MAP_FAILED)
			return NAN;
		(void)madvise(pages, (size_t)PAGES * PAGE, MADV_NOHUGEPAGE);
		double begin = os_seconds();
		for (size_t k = 0; k < PAGES; k++)
			((volatile char *)pages)[k * PAGE] = 1;
		double time = os_seconds() - begin;
		munmap(pages, (size_t)PAGES * PAGE);
		least = fmin(least, time / PAGES);
	}
	return least;
}

bool find_faults(const struct subject *s, double limit, struct finding *f)
{
	enum { LEAST_RATE = 20000 }; /* a second */
	if (s->figures == NULL)
		return false;
	/* Each page by which memory grows must be touched once; what comes on top could be saved. */
	double growth = fmax(0, s->figures->memory_peak - s->figures->memory.min);
	double faults = counted(s, METRIC_MINOR_FAULTS) - growth / 4096;
	if (share(faults, s->seconds) < LEAST_RATE)
		return false;
	double cost = fault_cost();
	/* Those of several processes happen side by side. */
	f->seconds = fmin(share(faults * cost, fmax(s->cores, 1)), s->seconds);
	if (!(share(f->seconds, s->seconds) >= limit))
		return false;
	return applies(s, f,
	               "memory grows by %.1f GB, but the kernel gives %.1f GB more: "
	               "%.2f million new pages, at "
	               "about %.1f us each on this machine, take %.1f of %.1f s",
	               growth / GIGABYTE, faults * 4096 / GIGABYTE, faults / 1e6, cost * 1e6,
	               f->seconds, s->seconds);
}

bool find_leak(const struct subject *s, double limit, struct finding *f)
{
	enum { LEAST_CELLS = 4 };
	double grown = 0, first = NAN, peak = s->figures == NULL ? NAN : s->figures->memory_peak;
	size_t cells = 0;
	for (size_t i = 0; s->samples != NULL && i < s->samples->rows.count; i++) {
		const struct report_row *row = &s->samples->rows.items[i];
		double change = row->figures.memory_change;
		if (change > 16 * MEGABYTE) {
			grown += change;
			cells++;
			first = first != first ? row->number : first;
		} else if (change < -16 * MEGABYTE) {
			grown += change;
		}
	}
	if (cells < LEAST_CELLS || share(grown, peak) < limit)
		return false;
	f->gain = share(grown, peak) * 0.8;
	return applies(s, f,
	               "memory grows in %zu cells, from cell %.0f on, by %.0f MB, and is not "
	               "freed; the peak "
	               "is %.0f MB",
	               cells, first, grown / MEGABYTE, peak / MEGABYTE);
}

bool find_peak(const struct subject *s, double limit, struct finding *f)
{
	VECTOR(double) peaks = {0};
	const struct report_row *highest = NULL;
	for (size_t i = 0; s->samples != NULL && i < s->samples->rows.count; i++) {
		const struct report_row *row = &s->samples->rows.items[i];
		if (!isfinite(row->figures.memory_peak))
			continue;
		vec_push(s->profile->arena, &peaks, row->figures.memory_peak);
		if (highest == NULL || row->figures.memory_peak > highest->figures.memory_peak)
			highest = row;
	}
	if (peaks.count < 3 || !(highest->figures.gauges[METRIC_PROCESSES].max < 2))
		return false;
	vec_sort(&peaks, measure_compare);
	double usual = peaks.items[peaks.count / 2], peak = highest->figures.memory_peak;
	double kept = highest->figures.memory_change;
	if (peak < 200 * MEGABYTE || peak < usual * limit || !(kept < (peak - usual) / 2))
		return false;
	f->cell = arena_printf(s->profile->arena, "cell %u", highest->number);
	f->gain = share(peak - usual, peak) * 0.5;
	return applies(s, f, "this cell needs %.0f MB for a short time, the others at most %.0f MB",
	               peak / MEGABYTE, usual / MEGABYTE);
}
