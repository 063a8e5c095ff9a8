#include "trace/timeline.h"

void timeline_begin(struct timeline_maker *maker, const struct measurement *measurement,
                    struct measured_timeline *out, uint64_t width, uint64_t begin, uint32_t path)
{
	maker->measurement = measurement;
	maker->out = out;
	maker->since = maker->stretch = begin;
	maker->path = path;
	*out = (struct measured_timeline){.width = width};
	if (width == 0)
		vec_push(measurement->arena, &out->changes,
		         (struct measured_change){.time = begin, .path = path});
}

/* Adds time on PATH, or with ALL time on what it calls. */
static void add_spent(struct timeline_maker *maker, uint32_t path, uint64_t own, uint64_t all)
{
	while (maker->spent.count < maker->measurement->paths.count)
		vec_push(maker->measurement->arena, &maker->spent, (struct stretch_time){0});
	struct stretch_time *spent = &maker->spent.items[path];
	if (own + all == 0)
		return;
	if (spent->own + spent->all == 0)
		vec_push(maker->measurement->arena, &maker->touched, path);
	spent->own += own;
	spent->all += all;
}

/* The innermost call path with more than half of the stretch. Those with that much lie below each other, and what
 * lies below has the higher number. */
static uint32_t find_main_path(struct timeline_maker *maker)
{
	uint64_t all = 0;
	uint32_t main_path = PATH_PROGRAM;
	size_t count = maker->touched.count;
	if (count == 1)
		return maker->touched.items[0];
	for (size_t i = 0; i < count; i++) {
		uint32_t path = maker->touched.items[i];
		uint64_t own = maker->spent.items[path].own;
		all += own;
		add_spent(maker, path, 0, own);
		while (path != PATH_PROGRAM) {
			path = maker->measurement->paths.items[path].parent;
			add_spent(maker, path, 0, own);
		}
	}
	for (size_t i = 0; i < maker->touched.count; i++) {
		uint32_t path = maker->touched.items[i];
		if (maker->spent.items[path].all > all / 2 && path > main_path)
			main_path = path;
	}
	return main_path;
}

static void end_stretch(struct timeline_maker *maker)
{
	struct measured_timeline *out = maker->out;
	if (maker->touched.count > 0) {
		uint32_t path = find_main_path(maker);
		if (out->changes.count == 0 ||
		    out->changes.items[out->changes.count - 1].path != path)
			vec_push(maker->measurement->arena, &out->changes,
			         (struct measured_change){.time = maker->stretch, .path = path});
	}
	for (size_t i = 0; i < maker->touched.count; i++)
		maker->spent.items[maker->touched.items[i]] = (struct stretch_time){0};
	maker->touched.count = 0;
}

/* Adds the time from the last change to TIME to the stretches that it is in. */
static void spend_until(struct timeline_maker *maker, uint64_t time)
{
	uint64_t width = maker->out->width;
	while (time - maker->stretch >= width) {
		uint64_t end = maker->stretch + width;
		add_spent(maker, maker->path, end - maker->since, 0);
		end_stretch(maker);
		maker->since = maker->stretch = end;
		/* All of the stretches that follow are on one call path. */
		if (time - end >= width) {
			add_spent(maker, maker->path, 1, 0);
			end_stretch(maker);
			maker->since = maker->stretch = end + (time - end) / width * width;
		}
	}
	add_spent(maker, maker->path, time - maker->since, 0);
	maker->since = time;
}

void timeline_change(struct timeline_maker *maker, uint64_t time, uint32_t path)
{
	struct measured_timeline *out = maker->out;
	if (out->width > 0) {
		spend_until(maker, time);
	} else {
		struct measured_change *last = &out->changes.items[out->changes.count - 1];
		if (last->time == time)
			last->path = path;
		else if (last->path != path)
			vec_push(maker->measurement->arena, &out->changes,
			         (struct measured_change){.time = time, .path = path});
	}
	maker->path = path;
}

void timeline_end(struct timeline_maker *maker, uint64_t time)
{
	if (maker->out->width > 0) {
		spend_until(maker, time);
		end_stretch(maker);
	}
	maker->out->end = time;
}

void timeline_add_levels(struct timeline_maker *maker, const struct measurement *measurement,
                         struct measured_location *location)
{
	enum { FACTOR = 8, FEW = 2000 };
	for (;;) {
		/* A copy, because adding to the vector moves it. */
		const struct measured_timeline finer =
		        location->timelines.items[location->timelines.count - 1];
		size_t count = finer.changes.count;
		if (count <= FEW)
			return;
		uint64_t begin = finer.changes.items[0].time;
		uint64_t width = (finer.end - begin) / (count / FACTOR) + 1;
		struct measured_timeline coarser;
		timeline_begin(maker, measurement, &coarser,
		               width > finer.width ? width : finer.width * FACTOR, begin,
		               finer.changes.items[0].path);
		for (size_t i = 1; i < count; i++)
			timeline_change(maker, finer.changes.items[i].time,
			                finer.changes.items[i].path);
		timeline_end(maker, finer.end);
		if (coarser.changes.count >= count)
			return;
		vec_push(measurement->arena, &location->timelines, coarser);
	}
}
