/* monitor: figures of stretches of time, and what is made of them. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "report/report.h"
#include "report/report_read.h"
#include "sample/series.h"
#include "sample/series_write.h"
#include "trace/series_read.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

static const int64_t second = 1000000000;
static const int64_t start = 1000000000000;
static const double megabyte = 1024.0 * 1024.0;

/* Seconds since the start. */
static int64_t at(double seconds)
{
	return start + (int64_t)(seconds * 1e9);
}

static struct stretch between(double from, double to)
{
	return (struct stretch){at(from), at(to)};
}

static void assert_near(double found, double wanted)
{
	double difference = found - wanted, allowed = wanted < 0 ? -wanted : wanted;
	if (!(difference <= 1e-9 * allowed && -difference <= 1e-9 * allowed))
		fail_msg("%.12g is not %.12g", found, wanted);
}

struct reading {
	double when;
	int64_t cpu, rss, peak, read; /* s and MB */
};

/* Two processors, one sample each second that the program uses both of them for; 500 MB come and go between
 * 3 s and 4 s. */
static struct series example(struct arena *arena, const struct reading *readings, size_t count)
{
	static const struct series_column_kind columns[] = {
	        {METRIC_CPU, 0}, {METRIC_RSS, 0}, {METRIC_PEAK_RSS, 0}, {METRIC_READ_CHARS, 0}};
	struct series_head head = {.interval = second, .start_mono = start, .cpus = 2};
	struct series_writer writer;
	struct series series;
	struct slice problem;
	series_write_head(&writer, arena, &head);
	series_write_group(&writer, SLICE("p"), LEVEL_PROCESS, columns, COUNT(columns));
	for (size_t i = 0; i < count; i++) {
		struct series_time time = {at(readings[i].when), at(readings[i].when), 0};
		int64_t values[] = {readings[i].cpu * second, readings[i].rss << 20,
		                    readings[i].peak << 20, readings[i].read << 20};
		series_write_sample(&writer, 0, &time, values);
	}
	assert_int_equal(series_read(arena, strbuf_slice(&writer.out), &series, &problem), 0);
	return series;
}

static const struct reading readings[] = {
        {0, 10, 100, 100, 1000}, {1, 12, 100, 100, 1010}, {2, 14, 200, 200, 1030},
        {3, 16, 200, 200, 1030}, {4, 18, 200, 700, 1030}, {5, 18, 100, 700, 1034},
};

static void test_counters(void **state)
{
	(void)state;
	struct arena arena;
	struct figures figures;
	arena_init(&arena, NULL);
	struct series series = example(&arena, readings, COUNT(readings));
	measure_figures(&series, LEVEL_PROCESS, between(0.5, 2.25), &figures);
	assert_near(figures.seconds, 1.75);
	assert_near(figures.core_seconds, 3.5);
	assert_near(figures.cpu.mean, 100);
	assert_near(figures.grown[METRIC_READ_CHARS], (5 + 20) * megabyte);
	/* What was there before is not this stretch's. */
	measure_figures(&series, LEVEL_PROCESS, between(2, 4), &figures);
	assert_near(figures.grown[METRIC_READ_CHARS] + 1, 1);
	measure_figures(&series, LEVEL_PROCESS, between(4, 5), &figures);
	assert_near(figures.cpu.mean + 1, 1);
	assert_true(isnan(figures.grown[METRIC_WRITE_CHARS]));
	assert_true(isnan(figures.grown[METRIC_RSS]));
	measure_figures(&series, LEVEL_USER, between(0, 5), &figures);
	assert_true(isnan(figures.core_seconds));
	assert_true(isnan(figures.cpu.mean));
	assert_true(isnan(figures.memory.mean));
	assert_near(figures.seconds, 5);
	arena_release(&arena);
}

static void test_memory(void **state)
{
	(void)state;
	struct arena arena;
	struct figures figures;
	arena_init(&arena, NULL);
	struct series series = example(&arena, readings, COUNT(readings));
	measure_figures(&series, LEVEL_PROCESS, between(0.5, 3.5), &figures);
	assert_int_equal(figures.memory.samples, 3);
	assert_near(figures.memory.mean, 500 / 3.0 * megabyte);
	assert_near(figures.memory.min, 100 * megabyte);
	assert_near(figures.memory.max, 200 * megabyte);
	/* It rose in the middle of two samples: neither stretch has most of the time. */
	assert_near(figures.memory_peak, 200 * megabyte);
	measure_figures(&series, LEVEL_PROCESS, between(0, 3.6), &figures);
	assert_near(figures.memory_peak, 700 * megabyte);
	measure_figures(&series, LEVEL_PROCESS, between(3.6, 5), &figures);
	assert_near(figures.memory_peak, 200 * megabyte);
	/* Sampling began when 900 MB had come and gone. */
	static const struct reading attached[] = {{0, 10, 100, 900, 0}, {1, 12, 200, 900, 0}};
	struct series late = example(&arena, attached, COUNT(attached));
	measure_figures(&late, LEVEL_PROCESS, between(-0.1, 1), &figures);
	assert_near(figures.memory_peak, 200 * megabyte);
	/* No sample: what the one before said. */
	measure_figures(&series, LEVEL_PROCESS, between(2.1, 2.2), &figures);
	assert_int_equal(figures.memory.samples, 0);
	assert_near(figures.memory.max, 200 * megabyte);
	arena_release(&arena);
}

/* Samples are not evenly spread: each cell's begin and end has one. */
static void test_mean_over_time(void **state)
{
	(void)state;
	static const struct reading uneven[] = {{0, 0, 100, 1, 0},
	                                        {.1, 0, 100, 1, 0},
	                                        {.2, 0, 100, 1, 0},
	                                        {1, 0, 500, 1, 0},
	                                        {5, 0, 500, 1, 0}};
	struct arena arena;
	struct figures figures;
	arena_init(&arena, NULL);
	struct series series = example(&arena, uneven, COUNT(uneven));
	measure_figures(&series, LEVEL_PROCESS, between(0, 5), &figures);
	assert_near(figures.memory.mean, (.6 * 100 + 4.4 * 500) / 5 * megabyte);
	/* The first and the last sample tell of the rest of the stretch, too. */
	measure_figures(&series, LEVEL_PROCESS, between(0.15, 4), &figures);
	assert_near(figures.memory.mean, (.45 * 100 + 3.4 * 500) / 3.85 * megabyte);
	arena_release(&arena);
}

/* Readings at WHEN, of a program that began at 0 and has two processors. */
struct late {
	double begin, end, cpu;
};

static struct figures figures_of_late(struct arena *arena, const struct late *late, size_t count)
{
	static const struct series_column_kind columns[] = {{METRIC_CPU, 0}};
	struct series_head head = {.interval = second / 100, .start_mono = start, .cpus = 2};
	struct series_writer writer;
	struct series series;
	struct slice problem;
	struct figures figures;
	series_write_head(&writer, arena, &head);
	series_write_group(&writer, SLICE("p"), LEVEL_PROCESS, columns, COUNT(columns));
	for (size_t i = 0; i < count; i++) {
		struct series_time time = {at(late[i].begin), at(late[i].end), 0};
		int64_t cpu = (int64_t)(late[i].cpu * (double)second + 0.5);
		series_write_sample(&writer, 0, &time, &cpu);
	}
	assert_int_equal(series_read(arena, strbuf_slice(&writer.out), &series, &problem), 0);
	measure_figures(&series, LEVEL_PROCESS, measure_run(&series), &figures);
	return figures;
}

/* A sample right behind another one, as at the begin of a cell, is no share of its own. */
static void test_use_of_processors(void **state)
{
	(void)state;
	static const struct late late[] = {
	        {0, 0, 0}, {1, 1, 1}, {1.000001, 1.000001, 1.02}, {2, 2, 3.02}};
	struct arena arena;
	arena_init(&arena, NULL);
	struct figures figures = figures_of_late(&arena, late, COUNT(late));
	assert_near(figures.cpu.mean, 75.5);
	assert_true(fabs(figures.cpu.min - 51) < 0.001);
	assert_near(figures.cpu.max, 100);
	arena_release(&arena);
}

static void test_reading_that_was_interrupted(void **state)
{
	(void)state;
	static const struct late late[] = {{0, 0, 0}, {1, 1.5, 2}, {2, 2, 4}, {3, 3.5, 6.9}};
	struct arena arena;
	arena_init(&arena, NULL);
	struct figures figures = figures_of_late(&arena, late, COUNT(late));
	assert_near(figures.core_seconds, 6.9);
	assert_near(figures.cpu.max, 100);
	assert_near(figures.cpu.min, 100 * 2.9 / 3);
	arena_release(&arena);
}

/* The time of children comes in ticks when they end, and all at once at the end of the run. */
static void test_children_that_end(void **state)
{
	(void)state;
	static const struct late late[] = {{0, 0, 0},       {.05, .05, .08},    {.06, .06, .1},
	                                   {.11, .11, .18}, {.16, .16, .28},    {.17, .17, .32},
	                                   {.2, .2, .34},   {.2001, .2001, .36}};
	struct arena arena;
	arena_init(&arena, NULL);
	struct figures figures = figures_of_late(&arena, late, COUNT(late));
	assert_near(figures.core_seconds, .36);
	assert_near(figures.cpu.max, 100);
	assert_true(figures.cpu.min >= 75);
	arena_release(&arena);
}

/* Children may be allowed more processors than the program that started them. */
static void test_more_processors_than_are_known(void **state)
{
	(void)state;
	static const struct late late[] = {{0, 0, 0}, {1, 1, 3}, {2, 2, 6}, {3, 3, 9}};
	struct arena arena;
	arena_init(&arena, NULL);
	struct figures figures = figures_of_late(&arena, late, COUNT(late));
	assert_near(figures.cpu.mean, 150);
	assert_true(figures.cpu.min > 147 && figures.cpu.max < 153);
	arena_release(&arena);
}

/* Both processors are busy, and each millisecond is read; their time is told in ticks. */
static struct series ticking(struct arena *arena, int64_t tick_ms, int64_t count)
{
	static const struct series_column_kind columns[] = {{METRIC_CPU, 0}};
	static const int64_t millisecond = 1000000;
	struct series_head head = {.interval = millisecond, .start_mono = start, .cpus = 2};
	struct series_writer writer;
	struct series series;
	struct slice problem;
	series_write_head(&writer, arena, &head);
	series_write_group(&writer, SLICE("p"), LEVEL_PROCESS, columns, COUNT(columns));
	for (int64_t i = 0; i < count; i++) {
		int64_t moment = start + i * millisecond;
		int64_t cpu = 2 * (i / tick_ms) * tick_ms * millisecond;
		struct series_time time = {moment, moment, 0};
		series_write_sample(&writer, 0, &time, &cpu);
	}
	assert_int_equal(series_read(arena, strbuf_slice(&writer.out), &series, &problem), 0);
	return series;
}

static void test_ticks(void **state)
{
	(void)state;
	struct arena arena;
	arena_init(&arena, NULL);
	for (int64_t tick = 1; tick <= 10; tick++) {
		struct figures figures;
		struct series series = ticking(&arena, tick, 1000);
		measure_figures(&series, LEVEL_PROCESS, measure_run(&series), &figures);
		assert_near(figures.cpu.max, 100);
		assert_in_range((unsigned long)figures.cpu.min, 80, 100);
		/* The moment of the last but one tick. */
		int64_t last = (999 / tick - 1) * tick;
		struct stretch part = between((double)(last - 1) / 1000, (double)last / 1000);
		assert_near(measure_cpu(&series, LEVEL_PROCESS, part), 100);
		assert_near(measure_grown(&series, LEVEL_PROCESS, METRIC_CPU, part), 2e6);
	}
	/* Page faults of who is alone are read each 100 ms. */
	struct series series = ticking(&arena, 4, 100);
	assert_near(measure_rate_span(&series, METRIC_MINOR_FAULTS), 2e8);
	assert_near(measure_rate_span(&series, METRIC_READ_CALLS), 5e5);
	arena_release(&arena);
}

/* Before the first sample nothing is known, behind the last one only what does not grow. */
static void test_unsampled(void **state)
{
	(void)state;
	struct arena arena;
	struct figures figures;
	arena_init(&arena, NULL);
	struct series series = example(&arena, readings + 2, COUNT(readings) - 2);
	measure_figures(&series, LEVEL_PROCESS, between(0.1, 1.9), &figures);
	assert_true(isnan(figures.core_seconds) && isnan(figures.cpu.mean));
	assert_true(isnan(figures.cpu.max) && isnan(figures.memory.mean));
	assert_true(isnan(figures.memory_peak) && isnan(figures.grown[METRIC_READ_CHARS]));
	measure_figures(&series, LEVEL_PROCESS, between(5.5, 6), &figures);
	assert_true(isnan(figures.core_seconds) && isnan(figures.cpu.mean));
	assert_near(figures.memory.mean, 100 * megabyte);
	/* The use of the processors is that of the part which is sampled. */
	measure_figures(&series, LEVEL_PROCESS, between(1, 4), &figures);
	assert_near(figures.core_seconds, 4);
	assert_near(figures.cpu.mean, 100);
	measure_figures(&series, LEVEL_PROCESS, between(4.5, 8), &figures);
	assert_near(figures.core_seconds + 1, 1);
	assert_near(figures.cpu.mean + 1, 1);
	arena_release(&arena);
}

static void test_end(void **state)
{
	(void)state;
	struct arena arena;
	struct figures figures;
	arena_init(&arena, NULL);
	struct series series = example(&arena, readings, COUNT(readings));
	series.end = (struct series_end){.known = true,
	                                 .moment = at(5),
	                                 .user = 9 * second,
	                                 .system = second / 2,
	                                 .peak_rss = 800 << 20,
	                                 .major_faults = 3};
	measure_figures(&series, LEVEL_PROCESS, measure_run(&series), &figures);
	assert_near(figures.core_seconds, 9.5);
	assert_near(figures.cpu.mean, 95);
	assert_near(figures.memory_peak, 800 * megabyte);
	assert_near(figures.grown[METRIC_MAJOR_FAULTS], 3);
	measure_figures(&series, LEVEL_PROCESS, between(0, 4.9), &figures);
	assert_near(figures.core_seconds, 8);
	/* Behind the last sample it did nothing. */
	struct series busy = example(&arena, readings, 2);
	busy.end = (struct series_end){.known = true, .moment = at(2), .user = 2 * second};
	measure_figures(&busy, LEVEL_PROCESS, measure_run(&busy), &figures);
	assert_near(figures.cpu.min, 50);
	arena_release(&arena);
}

static void test_request(void **state)
{
	(void)state;
	static const struct {
		double peak; /* MB */
		const char *mem;
	} examples[] = {
	        {1, "512M"},     {256, "512M"},    {257, "768M"},     {1280, "1536M"},
	        {1281, "1792M"}, {5000, "6G"},     {6826, "8G"},      {6827, "9G"},
	        {10240, "12G"},  {100000, "118G"}, {853.33, "1280M"},
	};
	struct arena arena;
	arena_init(&arena, NULL);
	for (size_t i = 0; i < COUNT(examples); i++) {
		struct slice mem =
		        measure_request_text(&arena, measure_request(examples[i].peak * megabyte));
		if (!slice_eq(mem, slice_from(examples[i].mem)))
			fail_msg("%g MB: %.*s, not %s", examples[i].peak, SLICE_ARG(mem),
			         examples[i].mem);
	}
	assert_int_equal(measure_request(NAN), 0);
	assert_int_equal(measure_request(0), 0);
	assert_int_equal(measure_request(INFINITY), 0);
	arena_release(&arena);
}

static void test_ranges(void **state)
{
	(void)state;
	static const struct {
		const char *text;
		unsigned first, last;
	} good[] = {{"5", 5, 5},          {"2:8", 2, 8}, {":5", 0, 5}, {"3:", 3, UINT32_MAX},
	            {":", 0, UINT32_MAX}, {"7:7", 7, 7}, {"0", 0, 0}};
	static const struct {
		const char *text;
		size_t at;
	} bad[] = {{"", 0},      {"x", 0},   {"-1", 0},
	           {" 5", 0},    {"5 ", 1},  {"2:x", 2},
	           {"2:3:4", 3}, {"8:2", 2}, {"9999999999999", 9},
	           {"2-8", 1}};
	for (size_t i = 0; i < COUNT(good); i++) {
		struct report_range range;
		size_t where;
		assert_int_equal(report_range_parse(slice_from(good[i].text), &range, &where), 0);
		assert_int_equal(range.first, good[i].first);
		assert_int_equal(range.last, good[i].last);
	}
	for (size_t i = 0; i < COUNT(bad); i++) {
		struct report_range range;
		size_t where;
		assert_int_equal(report_range_parse(slice_from(bad[i].text), &range, &where), -1);
		if (where != bad[i].at)
			fail_msg("'%s': %zu, not %zu", bad[i].text, where, bad[i].at);
	}
}

static void test_signatures(void **state)
{
	(void)state;
	struct report report = {.memory = 100, .gpu_memory = 100};
	struct figures *figures = &report.figures;
	figures->cpu.mean = 70;
	figures->memory.mean = 79;
	figures->gauges[METRIC_GPU_UTIL].mean = 80;
	figures->gauges[METRIC_GPU_MEM].mean = NAN;
	unsigned cpu = 1u << SIGNATURE_CPU, memory = 1u << SIGNATURE_MEMORY;
	unsigned util = 1u << SIGNATURE_GPU_UTIL, gpu_memory = 1u << SIGNATURE_GPU_MEMORY;
	assert_int_equal(report_signatures(&report), cpu | util);
	figures->cpu.mean = 69.9;
	figures->memory.mean = 80;
	figures->gauges[METRIC_GPU_UTIL].mean = 79.9;
	figures->gauges[METRIC_GPU_MEM].mean = 80;
	assert_int_equal(report_signatures(&report), memory | gpu_memory);
	report.memory = report.gpu_memory = 0;
	assert_int_equal(report_signatures(&report), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(test_counters),
	        cmocka_unit_test(test_memory),
	        cmocka_unit_test(test_mean_over_time),
	        cmocka_unit_test(test_use_of_processors),
	        cmocka_unit_test(test_reading_that_was_interrupted),
	        cmocka_unit_test(test_children_that_end),
	        cmocka_unit_test(test_more_processors_than_are_known),
	        cmocka_unit_test(test_ticks),
	        cmocka_unit_test(test_unsampled),
	        cmocka_unit_test(test_end),
	        cmocka_unit_test(test_request),
	        cmocka_unit_test(test_ranges),
	        cmocka_unit_test(test_signatures),
	};
	return cmocka_run_group_tests_name("measure", tests, NULL, NULL);
}
