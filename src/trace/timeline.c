#include "trace/timeline.h"

void timeline_begin(struct timeline_maker *k, const struct measurement *measurement,
                    struct measured_timeline *out, uint64_t width, uint64_t begin, uint32_t path)
{
	k->measurement = measurement;
	k->out = out;
	k->since = k->stretch = begin;
	k->path = path;
	*out = (struct measured_timeline){.width = width};
	if (width == 0)
		vec_push(measurement->arena, &out->changes,
		         (struct measured_change){.time = begin, .path = path});
}

/* Adds time on PATH, or with ALL time on what it calls. */
static void add_spent(struct timeline_maker *k, uint32_t path, uint64_t own, uint64_t all)
{
	while (k->spent.count < k->measurement->paths.count)
		vec_push(k->measurement->arena, &k->spent, (struct stretch_time){0});
	struct stretch_time *spent = &k->spent.items[path];
	if (own + all == 0)
		return;
	if (spent->own + spent->all == 0)
		vec_push(k->measurement->arena, &k->touched, path);
	spent->own += own;
	spent->all += all;
}

/* The innermost call path with more than half of the stretch. Those with that much lie below each other, and what
 * lies below has the higher number. */
static uint32_t find_main_path(struct timeline_maker *k)
{
	uint64_t all = 0;
	uint32_t main_path = PATH_PROGRAM;
	size_t count = k->touched.count;
	if (count == 1)
		return k->touched.items[0];
	for (size_t i = 0; i < count; i++) {
		uint32_t path = k->touched.items[i];
		uint64_t own = k->spent.items[path].own;
		all += own;
		add_spent(k, path, 0, own);
		while (path != PATH_PROGRAM) {
			path = k->measurement->paths.items[path].parent;
			add_spent(k, path, 0, own);
		}
	}
	for (size_t i = 0; i < k->touched.count; i++) {
		uint32_t path = k->touched.items[i];
		if (k->spent.items[path].all > all / 2 && path > main_path)
			main_path = path;
	}
	return main_path;
}

static void end_stretch(struct timeline_maker *k)
{
	struct measured_timeline *out = k->out;
	if (k->touched.count > 0) {
		uint32_t path = find_main_path(k);
		if (out->changes.count == 0 ||
		    out->changes.items[out->changes.count - 1].path != path)
			vec_push(k->measurement->arena, &out->changes,
			         (struct measured_change){.time = k->stretch, .path = path});
	}
	for (size_t i = 0; i < k->touched.count; i++)
		k->spent.items[k->touched.items[i]] = (struct stretch_time){0};
	k->touched.count = 0;
}

/* Adds the time from the last change to TIME to the stretches that it is in. */
static void spend_until(struct timeline_maker *k, uint64_t time)
{
	uint64_t width = k->out->width;
	while (time - k->stretch >= width) {
		uint64_t end = k->stretch + width;
		add_spent(k, k->path, end - k->since, 0);
		end_stretch(k);
		k->since = k->stretch = end;
		/* All of the stretches that follow are on one call path. */
		if (time - end >= width) {
			add_spent(k, k->path, 1, 0);
			end_stretch(k);
			k->since = k->stretch = end + (time - end) / width * width;
		}
	}
	add_spent(k, k->path, time - k->since, 0);
	k->since = time;
}

void timeline_change(struct timeline_maker *k, uint64_t time, uint32_t path)
{
	struct measured_timeline *out = k->out;
	if (out->width > 0) {
		spend_until(k, time);
	} else {
		struct measured_change *last = &out->changes.items[out->changes.count - 1];
		if (last->time == time)
			last->path = path;
		else if (last->path != path)
			vec_push(k->measurement->arena, &out->changes,
			         (struct measured_change){.time = time, .path = path});
	}
	k->path = path;
}

void timeline_end(struct timeline_maker *k, uint64_t time)
{
	if (k->out->width > 0) {
		spend_until(k, time);
		end_stretch(k);
	}
	k->out->end = time;
}

void timeline_add_levels(struct timeline_maker *k, const struct measurement *measurement,
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
		timeline_begin(k, measurement, &coarser,
		               width > finer.width ? width : finer.width * FACTOR, begin,
		               finer.changes.items[0].path);
		for (size_t i = 1; i < count; i++)
			timeline_change(k, finer.changes.items[i].time,
			                finer.changes.items[i].path);
		timeline_end(k, finer.end);
		if (coarser.changes.count >= count)
			return;
		vec_push(measurement->arena, &location->timelines, coarser);
	}
}
