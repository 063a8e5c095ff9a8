/* trace: timelines, with all changes and with one for each stretch of time. */
#include "arena_fixture.h"
#include "trace/timeline.h"
#include "unit.h"

enum { MAIN = PATH_COUNT, STEP, PART, OTHER, END = 20000 };

static struct measurement m;
static struct measured_timeline timeline;
static struct timeline_maker maker;

/* program, MAIN, and below it STEP with PART, and OTHER. */
static void make_paths(void)
{
	maker = (struct timeline_maker){0};
	measurement_init(&m, &arena);
	assert_int_equal(measurement_add_path(&m, PATH_PROGRAM, 0), MAIN);
	assert_int_equal(measurement_add_path(&m, MAIN, 1), STEP);
	assert_int_equal(measurement_add_path(&m, STEP, 2), PART);
	assert_int_equal(measurement_add_path(&m, MAIN, 3), OTHER);
}

static void assert_change(size_t index, uint64_t time, uint32_t path)
{
	assert_true(index < timeline.changes.count);
	assert_int_equal(timeline.changes.items[index].time, time);
	assert_int_equal(timeline.changes.items[index].path, path);
}

static void test_all_changes(void **state)
{
	make_paths();
	timeline_begin(&maker, &m, &timeline, 0, 100, MAIN);
	timeline_change(&maker, 110, STEP);
	timeline_change(&maker, 110, PART); /* STEP had no time */
	timeline_change(&maker, 120, PART);
	timeline_change(&maker, 130, MAIN);
	timeline_end(&maker, 150);
	assert_int_equal(timeline.changes.count, 3);
	assert_change(0, 100, MAIN);
	assert_change(1, 110, PART);
	assert_change(2, 130, MAIN);
	assert_int_equal(timeline.end, 150);
}

/* What a stretch has most of counts with what it calls: no part of STEP has half of the first, STEP has. */
static void test_stretches(void **state)
{
	make_paths();
	timeline_begin(&maker, &m, &timeline, 10, 0, STEP);
	timeline_change(&maker, 3, PART);
	timeline_change(&maker, 6, OTHER);
	timeline_change(&maker, 10, PART);
	timeline_change(&maker, 57, OTHER); /* to the middle of a later stretch */
	timeline_end(&maker, 60);
	assert_change(0, 0, STEP);
	assert_change(1, 10, PART);
	assert_int_equal(timeline.changes.count, 2);
}

/* The innermost path with more than half of the units of time from BEGIN on, found in another way. */
static uint32_t main_path(const uint32_t *on, size_t begin, size_t end)
{
	uint32_t found = PATH_PROGRAM;
	for (uint32_t path = 0; path < m.paths.count; path++) {
		size_t units = 0;
		for (size_t i = begin; i < end; i++) {
			uint32_t at = on[i];
			while (at != path && at != PATH_PROGRAM)
				at = m.paths.items[at].parent;
			units += at == path;
		}
		if (2 * units > end - begin)
			found = path;
	}
	return found;
}

/* Any changes: each stretch has its main path, and coarser timelines are shorter and as long. */
static void test_any_changes(void **state)
{
	static uint32_t on[END];
	struct measured_location location = {0};
	uint32_t seed = 1, path = MAIN;
	make_paths();
	for (uint64_t width = 1; width < 40; width += 6) {
		timeline_begin(&maker, &m, &timeline, width, 0, path = MAIN);
		for (size_t i = 0; i < END; i++) {
			seed = seed * 1664525 + 1013904223;
			if (i > 0 && seed >> 29 == 0)
				timeline_change(&maker, i,
				                path = (seed >> 20) % (uint32_t)m.paths.count);
			on[i] = path;
		}
		timeline_end(&maker, END);
		size_t at = 0;
		for (size_t begin = 0; begin < END; begin += width) {
			size_t end = begin + width < END ? begin + width : END;
			while (at + 1 < timeline.changes.count &&
			       timeline.changes.items[at + 1].time <= begin)
				at++;
			assert_int_equal(timeline.changes.items[at].path,
			                 main_path(on, begin, end));
		}
		if (width == 1)
			vec_push(&arena, &location.timelines, timeline);
	}
	timeline_add_levels(&maker, &m, &location);
	assert_true(location.timelines.count > 1);
	for (size_t i = 1; i < location.timelines.count; i++) {
		const struct measured_timeline *finer = &location.timelines.items[i - 1];
		const struct measured_timeline *coarser = &location.timelines.items[i];
		assert_true(coarser->changes.count < finer->changes.count);
		assert_true(coarser->width > finer->width);
		assert_int_equal(coarser->end, END);
	}
	assert_true(location.timelines.items[location.timelines.count - 1].changes.count <= 2000);
}

RUN(TEST(test_all_changes), TEST(test_stretches), TEST(test_any_changes))
