/* monitor: figures of stretches of time, and what is made of them. */
#include <math.h>

#include "arena_fixture.h"
#include "report/report.h"
#include "report/report_read.h"
#include "sample/series.h"
#include "sample/series_write.h"
#include "trace/series_read.h"
#include "unit.h"

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
static struct series example(const struct reading *readings, size_t count)
{
	static const struct series_column_kind columns[] = {
	        {METRIC_CPU, 0}, {METRIC_RSS, 0}, {METRIC_PEAK_RSS, 0}, {METRIC_READ_CHARS, 0}};
	struct series_head head = {.interval = second, .start_mono = start, .cpus = 2};
	struct series_writer writer;
	struct series series;
	struct slice problem;
	series_write_head(&writer, &arena, &head);
	series_write_group(&writer, SLICE("p"), LEVEL_PROCESS, columns, COUNT(columns));
	for (size_t i = 0; i < count; i++) {
		struct series_time time = {at(readings[i].when), at(readings[i].when), 0};
		int64_t values[] = {readings[i].cpu * second, readings[i].rss << 20,
		                    readings[i].peak << 20, readings[i].read << 20};
		series_write_sample(&writer, 0, &time, values);
	}
	assert_int_equal(series_read(&arena, strbuf_slice(&writer.out), &series, &problem), 0);
	return series;
}

static const struct reading readings[] = {
        {0, 10, 100, 100, 1000}, {1, 12, 100, 100, 1010}, {2, 14, 200, 200, 1030},
        {3, 16, 200, 200, 1030}, {4, 18, 200, 700, 1030}, {5, 18, 100, 700, 1034},
};

static void test_memory(void **state)
{
	struct figures figures;
	struct series series = example(readings, COUNT(readings));
	measure_figures(&series, LEVEL_PROCESS, between(0.5, 3.5), &figures);
	assert_int_equal(figures.memory.samples, 3);
	assert_near(figures.memory.mean, 500 / 3.0 * megabyte);
	assert_near(figures.memory.min, 100 * megabyte);
	assert_near(figures.memory.max, 200 * megabyte);
	assert_near(figures.memory_peak, 200 * megabyte);
	/* The stretch in which the higher peak was read. */
	measure_figures(&series, LEVEL_PROCESS, between(3.6, 5), &figures);
	assert_near(figures.memory_peak, 700 * megabyte);
	measure_figures(&series, LEVEL_PROCESS, between(4.5, 5), &figures);
	assert_near(figures.memory_peak, 100 * megabyte);
	/* Sampling began when 900 MB had come and gone. */
	static const struct reading attached[] = {{0, 10, 100, 900, 0}, {1, 12, 200, 900, 0}};
	struct series late = example(attached, COUNT(attached));
	measure_figures(&late, LEVEL_PROCESS, between(-0.1, 1), &figures);
	assert_near(figures.memory_peak, 200 * megabyte);
	/* No sample: what the one before said. */
	measure_figures(&series, LEVEL_PROCESS, between(2.1, 2.2), &figures);
	assert_int_equal(figures.memory.samples, 0);
	assert_near(figures.memory.max, 200 * megabyte);
}

/* Readings at WHEN, of a program that began at 0 and has two processors. */
struct late {
	double begin, end, cpu;
};

static struct figures figures_of_late(const struct late *late, size_t count)
{
	static const struct series_column_kind columns[] = {{METRIC_CPU, 0}};
	struct series_head head = {.interval = second / 100, .start_mono = start, .cpus = 2};
	struct series_writer writer;
	struct series series;
	struct slice problem;
	struct figures figures;
	series_write_head(&writer, &arena, &head);
	series_write_group(&writer, SLICE("p"), LEVEL_PROCESS, columns, COUNT(columns));
	for (size_t i = 0; i < count; i++) {
		struct series_time time = {at(late[i].begin), at(late[i].end), 0};
		int64_t cpu = (int64_t)(late[i].cpu * (double)second + 0.5);
		series_write_sample(&writer, 0, &time, &cpu);
	}
	assert_int_equal(series_read(&arena, strbuf_slice(&writer.out), &series, &problem), 0);
	measure_figures(&series, LEVEL_PROCESS, measure_run(&series), &figures);
	return figures;
}

/* A sample right behind another one, as at the begin of a cell, is no share of its own. */
static void test_use_of_processors(void **state)
{
	static const struct late late[] = {
	        {0, 0, 0}, {1, 1, 1}, {1.000001, 1.000001, 1.02}, {2, 2, 3.02}};
	struct figures figures = figures_of_late(late, COUNT(late));
	assert_near(figures.cpu.mean, 75.5);
	assert_true(fabs(figures.cpu.min - 51) < 0.001);
	assert_near(figures.cpu.max, 100);
}

static void test_reading_that_was_interrupted(void **state)
{
	static const struct late late[] = {{0, 0, 0}, {1, 1.5, 2}, {2, 2, 4}, {3, 3.5, 6.9}};
	struct figures figures = figures_of_late(late, COUNT(late));
	assert_near(figures.core_seconds, 6.9);
	assert_near(figures.cpu.max, 100);
	assert_near(figures.cpu.min, 100 * 2.9 / 3);
}

/* The time of children comes in ticks when they end, and all at once at the end of the run. */
static void test_children_that_end(void **state)
{
	static const struct late late[] = {{0, 0, 0},       {.05, .05, .08},    {.06, .06, .1},
	                                   {.11, .11, .18}, {.16, .16, .28},    {.17, .17, .32},
	                                   {.2, .2, .34},   {.2001, .2001, .36}};
	struct figures figures = figures_of_late(late, COUNT(late));
	assert_near(figures.core_seconds, .36);
	assert_near(figures.cpu.max, 100);
	assert_true(figures.cpu.min >= 75);
}

/* Children may be allowed more processors than the program that started them. */
static void test_more_processors_than_are_known(void **state)
{
	static const struct late late[] = {{0, 0, 0}, {1, 1, 3}, {2, 2, 6}, {3, 3, 9}};
	struct figures figures = figures_of_late(late, COUNT(late));
	assert_near(figures.cpu.mean, 150);
	assert_true(figures.cpu.min > 147 && figures.cpu.max < 153);
}

/* A head that no monitor has written. */
static void test_processors_that_cannot_be(void **state)
{
	static const int64_t cpus[] = {0, -1, (1 << 16) + 1, INT64_MAX};
	struct series series = example(readings, COUNT(readings));
	assert_int_equal(measure_cpus(&series, LEVEL_PROCESS), 2);
	for (size_t i = 0; i < COUNT(cpus); i++) {
		series.head.cpus = cpus[i];
		assert_int_equal(measure_cpus(&series, LEVEL_PROCESS), 1);
	}
}

/* Before the first sample nothing is known, behind the last one only what does not grow. */
static void test_unsampled(void **state)
{
	struct figures figures;
	struct series series = example(readings + 2, COUNT(readings) - 2);
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
}

static void test_request(void **state)
{
	static const struct {
		double peak; /* MB */
		const char *mem;
	} examples[] = {
	        {1, "512M"},     {256, "512M"},    {257, "768M"},     {1280, "1536M"},
	        {1281, "1792M"}, {5000, "6G"},     {6826, "8G"},      {6827, "9G"},
	        {10240, "12G"},  {100000, "118G"}, {853.33, "1280M"},
	};
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
}

/* measure_rate_span(), as its header has it. */
static void test_rate_span(void **state)
{
	struct series often = {.head.interval = second / 1000},
	              rarely = {.head.interval = 3 * second};
	assert_near(measure_rate_span(&often, METRIC_RSS), 5e5);
	assert_near(measure_rate_span(&often, METRIC_CPU), 5e7);
	assert_near(measure_rate_span(&often, METRIC_CORE_CPU), 5e7);
	assert_near(measure_rate_span(&often, METRIC_MINOR_FAULTS), 2e8);
	assert_near(measure_rate_span(&often, METRIC_MAJOR_FAULTS), 2e8);
	assert_near(measure_rate_span(&rarely, METRIC_CPU), 1.5e9);
	assert_near(measure_rate_span(&rarely, METRIC_MINOR_FAULTS), 1.5e9);
}

RUN(TEST(test_rate_span), TEST(test_memory), TEST(test_use_of_processors),
    TEST(test_reading_that_was_interrupted), TEST(test_children_that_end),
    TEST(test_more_processors_than_are_known), TEST(test_processors_that_cannot_be),
    TEST(test_unsampled), TEST(test_request))
