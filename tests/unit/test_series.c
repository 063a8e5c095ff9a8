/* monitor: files of samples, whole, cut off and damaged. */
#include <math.h>

#include "arena_fixture.h"
#include "report/report_csv.h"
#include "report/report_json.h"
#include "report/report_text.h"
#include "sample/series.h"
#include "sample/series_write.h"
#include "sample/varint.h"
#include "trace/series_read.h"
#include "unit.h"

enum { SECOND = 1000000000, STEPS_MAX = 64 };

static const int64_t start = 5000000000000;
static const int64_t wall = 1700000000123456789;

/* What a file has held after each of its records. */
struct step {
	size_t len, samples, cells, ended, notes, titles, groups;
	bool finished;
};

struct file {
	struct series_writer writer;
	struct step now, steps[STEPS_MAX];
	size_t count;
};

static void step(struct file *file)
{
	file->now.len = file->writer.out.len;
	assert_true(file->count < STEPS_MAX);
	file->steps[file->count++] = file->now;
}

static struct series_head example_head(void)
{
	struct series_head head = {
	        .host = SLICE("node1"),
	        .command = SLICE("python3 heat.py\nhost evil"),
	        .cpu_list = SLICE("0-3,8"),
	        .pid = 4711,
	        .interval = SECOND / 100,
	        .start_mono = start,
	        .start_wall = wall,
	        .cpus = 5,
	        .memory_limit = INT64_MAX,
	        .memory_total = 1 << 30,
	        .node = -1,
	};
	struct series_gpu gpu = {SLICE("NVIDIA H100 80GB HBM3"), 85520809984};
	vec_push(&arena, &head.gpus, gpu);
	return head;
}

static void write_samples(struct file *file)
{
	/* The last one: processor time, of which there is too much between the last two samples. */
	static const int64_t values[][4] = {{0, 1, -1, 0},
	                                    {INT64_MAX, INT64_MIN, 0, 5LL * SECOND},
	                                    {INT64_MIN, INT64_MAX, 300, 51LL * SECOND / 10},
	                                    {1, 2, 3, 102LL * SECOND / 10}};
	for (size_t i = 0; i < COUNT(values); i++) {
		int64_t begin = start + (int64_t)i * SECOND;
		struct series_time time = {begin, begin + 2000 + (int64_t)i,
		                           wall + (begin - start) + (i == 2 ? -SECOND : 7)};
		int64_t other = 50 + (int64_t)i;
		series_write_sample(&file->writer, 0, &time, values[i]);
		file->now.samples++;
		step(file);
		series_write_sample(&file->writer, 1, &time, &other);
		file->now.samples++;
		step(file);
	}
}

static void write_cells(struct file *file)
{
	struct series_title title = {3, SLICE("a title"), SLICE("x = 1\nprint(x)\n")};
	series_write_title(&file->writer, &title);
	file->now.titles++;
	step(file);
	const struct cell_mark marks[] = {
	        {.begins = true, .cell = 3, .moment = start + 10},
	        {.cell = 3, .moment = start + 500000, .state = SLICE("failed")},
	        {.cell = 9,
	         .moment = start + 550000,
	         .state = SLICE("done")}, /* which never began */
	        {.begins = true, .cell = 4, .moment = start + 600000}};
	series_write_mark(&file->writer, &marks[0]);
	file->now.cells++;
	step(file);
	series_write_mark(&file->writer, &marks[1]);
	file->now.ended++;
	step(file);
	series_write_mark(&file->writer, &marks[2]);
	step(file);
	series_write_mark(&file->writer, &marks[3]);
	file->now.cells++;
	step(file);
}

static void write_example(struct file *file)
{
	static const struct series_column_kind columns[] = {
	        {METRIC_READ_CHARS, 0}, {METRIC_GPU_MEM, 0}, {METRIC_RSS, 0}, {METRIC_CPU, 0}};
	static const struct series_column_kind other = {METRIC_PEAK_RSS, 0};
	static const struct series_end end = {
	        true, start + 9 * (int64_t)SECOND, 9, 8, 7, 6, 5, 4, 3, 2};
	struct series_head head = example_head();
	*file = (struct file){0};
	series_write_head(&file->writer, &arena, &head);
	step(file);
	assert_int_equal(
	        series_write_group(&file->writer, SLICE("process"), LEVEL_PROCESS, columns, 4), 0);
	file->now.groups++;
	step(file);
	assert_int_equal(series_write_group(&file->writer, SLICE("own"), LEVEL_COUNT, &other, 1),
	                 1);
	file->now.groups++;
	step(file);
	write_cells(file);
	write_samples(file);
	series_write_note(&file->writer, SLICE("a note"));
	file->now.notes++;
	step(file);
	series_write_missed(&file->writer, 4, 1);
	step(file);
	series_write_finish(&file->writer, &end);
	file->now.finished = true;
	step(file);
}

static struct series read_series(struct slice text)
{
	struct series series;
	struct slice problem;
	assert_int_equal(series_read(&arena, text, &series, &problem), 0);
	return series;
}

static void check_step(const struct series *series, const struct step *wanted)
{
	size_t samples = 0, ended = 0;
	for (size_t i = 0; i < series->groups.count; i++)
		samples += series->groups.items[i].times.count;
	for (size_t i = 0; i < series->cells.count; i++)
		ended += series->cells.items[i].end != 0;
	assert_int_equal(series->groups.count, wanted->groups);
	assert_int_equal(samples, wanted->samples);
	assert_int_equal(series->cells.count, wanted->cells);
	assert_int_equal(ended, wanted->ended);
	assert_int_equal(series->notes.count, wanted->notes);
	assert_int_equal(series->titles.count, wanted->titles);
	assert_int_equal(series->end.known, wanted->finished);
}

/* Whatever the end of a file misses, what stands before it is there. */
static void test_every_truncation(void **state)
{
	struct file file;
	write_example(&file);
	size_t at = 0;
	for (size_t len = 0; len <= file.now.len; len++) {
		struct series series;
		struct slice problem = SLICE("");
		struct slice text = slice_make(file.writer.out.ptr, len);
		int result = series_read(&arena, text, &series, &problem);
		if (len < file.steps[0].len) {
			assert_int_equal(result, -1);
			assert_true(problem.len > 0);
			continue;
		}
		if (at + 1 < file.count && len == file.steps[at + 1].len)
			at++;
		assert_int_equal(result, 0);
		assert_int_equal(series.truncated, len != file.steps[at].len);
		check_step(&series, &file.steps[at]);
	}
	assert_int_equal(at, file.count - 1);
	struct series series = read_series(strbuf_slice(&file.writer.out));
	assert_int_equal(series.groups.items[0].columns.items[0].values[1], INT64_MAX);
	assert_int_equal(series.groups.items[0].columns.items[0].values[2], INT64_MIN);
}

/* All that is made of a series. */
static void report_all(struct arena *own, const struct series *series)
{
	struct report_run run = {.name = SLICE("x")};
	struct report_node node = {.file = SLICE("x"), .series = *series};
	vec_push(own, &run.nodes, node);
	vec_push(own, &run.nodes, node);
	for (unsigned level = 0; level < LEVEL_COUNT; level++) {
		struct report report;
		struct strbuf out = {.arena = own};
		assert_int_equal(report_make(own, &run, level, REPORT_RANGE_ALL, &report), 0);
		report_text(&out, &report);
		report_csv(&out, &report);
		report_json(&out, &report);
		report_compare_text(&out, &report, &report);
		report_compare_json(&out, &report, &report);
	}
}

/* Reads TEXT with the byte AT changed by FLIP; REPORTS of it are made, too. */
static void read_damaged(struct slice text, size_t at, unsigned char flip, bool reports)
{
	struct arena own;
	struct series series;
	struct slice problem;
	arena_init(&own, NULL);
	/* Where reading beyond the end would be seen. */
	char *copy = test_malloc(text.len);
	memcpy(copy, text.ptr, text.len);
	copy[at] ^= (char)flip;
	struct slice damaged = slice_make(copy, text.len);
	if (series_read(&own, damaged, &series, &problem) == 0 && reports)
		report_all(&own, &series);
	test_free(copy);
	arena_release(&own);
}

/* Any byte may be any other one: nothing reads beyond the file, and nothing goes on forever. */
static void test_damage(void **state)
{
	enum { REPORTS_EVERY = 61 }; /* they take most of the time */
	static const unsigned char flips[] = {0x01, 0x04, 0x40, 0x80, 0xFF};
	struct file file;
	write_example(&file);
	for (size_t i = 0; i < file.now.len * sizeof flips; i++)
		read_damaged(strbuf_slice(&file.writer.out), i / sizeof flips,
		             flips[i % sizeof flips], i % REPORTS_EVERY == 0);
}

static void put_record(struct strbuf *out, char kind, struct slice body)
{
	strbuf_addc(out, kind);
	varint_put(out, body.len);
	strbuf_add(out, body);
}

#define HEAD "nbscorep samples 1\nlater version\nstart_mono 100\nstart_wall 0\n\n"

/* Group "g" of LEVEL with the metric "future" in front of "rss"; both have the value 5 and then 7. */
static struct slice later_file(const char *level)
{
	struct strbuf out = {.arena = &arena};
	struct strbuf group = {.arena = &arena};
	strbuf_puts(&out, HEAD);
	put_record(&out, 'Q', SLICE("what is this?"));
	strbuf_printf(&group, "\001g%c%s\002\006future", (char)strlen(level), level);
	strbuf_add(&group, SLICE("\0\003rss\0and more"));
	put_record(&out, 'G', strbuf_slice(&group));
	put_record(&out, 'S', SLICE("\0\002\003\0\012\012and more"));
	put_record(&out, 'S', SLICE("\0\002\003\0\004\004"));
	return strbuf_slice(&out);
}

static void test_later_versions(void **state)
{
	struct series series = read_series(later_file("user"));
	assert_false(series.truncated);
	struct series_view view = series_find(&series, LEVEL_USER, METRIC_RSS, 0);
	assert_non_null(view.column);
	assert_int_equal(view.group->times.count, 2);
	assert_int_equal(view.group->times.items[0].begin, 101);
	assert_int_equal(view.column->values[1], 7);
	/* A level that is not known is not "no level". */
	series = read_series(later_file("room"));
	assert_false(series.truncated);
	assert_null(series_find(&series, LEVEL_COUNT, METRIC_RSS, 0).column);
	series = read_series(later_file(""));
	assert_non_null(series_find(&series, LEVEL_COUNT, METRIC_RSS, 0).column);
}

/* What cannot be is damage: the rest is left out. */
static void test_what_cannot_be(void **state)
{
	static const struct slice records[] = {
	        SLICE_INIT("M\002\x02\x04"),          /* 1 due, 2 missed */
	        SLICE_INIT("M\002\x02\x01"),          /* -1 missed */
	        SLICE_INIT("S\004\000\000\000\000"),  /* no such group */
	        SLICE_INIT("G\005\001g\000\001\011"), /* a metric's name beyond its record */
	        SLICE_INIT("E\001\001"),              /* a cell's end without a moment */
	        SLICE_INIT("?\000"),                  /* no letter */
	        SLICE_INIT("B\013\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\x7F\0"), /* 70 bits */
	};
	for (size_t i = 0; i < COUNT(records); i++) {
		struct strbuf text = {.arena = &arena};
		strbuf_puts(&text, HEAD);
		strbuf_add(&text, records[i]);
		put_record(&text, 'N', SLICE("\001x"));
		struct series series = read_series(strbuf_slice(&text));
		assert_true(series.truncated);
		assert_int_equal(series.notes.count, 0);
		assert_int_equal(series.due, 0);
	}
}

RUN(TEST(test_every_truncation), TEST(test_damage), TEST(test_later_versions),
    TEST(test_what_cannot_be))
