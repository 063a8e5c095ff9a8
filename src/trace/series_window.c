#include "trace/series_window.h"

#include "trace/series_late.h"
#include "trace/series_read.h"

int series_window_open(struct series_window *window, struct arena *arena,
                       const struct series_input *input, const struct series *whole)
{
	struct slice problem;
	*window = (struct series_window){.whole = whole, .is_whole = input == NULL};
	for (size_t i = 0; i < whole->groups.count; i++)
		vec_push(arena, &window->groups, (struct series_window_group){0});
	if (input == NULL) {
		window->series = *whole;
		return 0;
	}
	struct series_reader *reader = &window->reader;
	*reader = (struct series_reader){
	        .arena = arena, .input = *input, .is_again = true, .out = &window->series};
	if (series_reader_open(reader, &problem) != 0)
		return -1;
	for (size_t i = 0; i < whole->losses.count; i++)
		*number_map_at(&reader->lost, whole->losses.items[i].gpu) = i + 1;
	window->series = *whole;
	window->series.truncated = false;
	memset(&window->series.groups, 0, sizeof window->series.groups);
	return 0;
}

/* Reads one more record. */
static bool step(struct series_window *window)
{
	return !window->is_whole && series_reader_step(&window->reader);
}

/* The group, or NULL where its definition was not read yet. */
static struct series_group *group_at(struct series_window *window, size_t group)
{
	return group < window->series.groups.count ? &window->series.groups.items[group] : NULL;
}

size_t series_window_find(struct series_window *window, size_t group, size_t number)
{
	if (number >= window->whole->groups.items[group].taken)
		return SIZE_MAX;
	for (;;) {
		const struct series_group *held = group_at(window, group);
		size_t place = number - window->groups.items[group].dropped;
		if (held != NULL && place < held->times.count)
			return place;
		if (!step(window))
			return SIZE_MAX;
	}
}

/* The number of held samples that can be settled: all before the last ten seconds, if the held ones
 * span twice that. */
static size_t count_settled(const struct series_window *window, size_t group,
                            const struct series_group *held)
{
	static const double later = 1e10; /* nanoseconds */
	size_t count = held->times.count;
	if (held->taken >= window->whole->groups.items[group].taken || !series_is_late(held))
		return count;
	const struct series_window_group *state = &window->groups.items[group];
	const struct series_time *times = held->times.items;
	size_t from = state->settled - state->dropped;
	int64_t last = times[count - 1].end;
	if (from == count || series_between(times[from].end, last) < 2 * later)
		return from;
	return series_before(held, last - (int64_t)later);
}

static void settle(struct series_window *window, size_t group, struct series_group *held)
{
	struct series_window_group *state = &window->groups.items[group];
	size_t from = state->settled - state->dropped, to = count_settled(window, group, held);
	if (from == to)
		return;
	series_settle(window->whole, held, from, to);
	state->settled = state->dropped + to;
}

/* True if all samples that WHOLE has of the group are settled, or one that ended after MOMENT. Settles
 * more samples otherwise. */
static bool is_read(struct series_window *window, size_t group, int64_t moment)
{
	const struct series_window_group *state = &window->groups.items[group];
	struct series_group *held = group_at(window, group);
	size_t taken = window->whole->groups.items[group].taken;
	if (held == NULL || held->times.count == 0)
		return taken == 0;
	size_t settled = state->settled - state->dropped;
	if (settled > 0 && held->times.items[settled - 1].end > moment)
		return true;
	settle(window, group, held);
	settled = state->settled - state->dropped;
	return state->settled >= taken ||
	       (settled > 0 && held->times.items[settled - 1].end > moment);
}

void series_window_read(struct series_window *window, size_t group, int64_t moment)
{
	if (window->is_whole)
		return;
	while (!is_read(window, group, moment) && step(window))
		;
	struct series_group *held = group_at(window, group);
	if (held != NULL && window->whole->losses.count > 0)
		series_forget_lost(window->whole, &window->reader.lost, held);
}

/* Drops the first COUNT samples. */
static void drop(struct series_group *group, size_t count)
{
	size_t left = group->times.count - count;
	memmove(group->times.items, group->times.items + count, left * sizeof *group->times.items);
	group->times.count = left;
	for (size_t i = 0; i < group->columns.count; i++) {
		int64_t *values = group->columns.items[i].values;
		memmove(values, values + count, left * sizeof *values);
	}
}

void series_window_drop(struct series_window *window, int64_t moment)
{
	enum { FEW = 256 }; /* then at most as much is moved as is dropped */
	for (size_t i = 0;
	     !window->is_whole && i < window->series.groups.count && i < window->groups.count;
	     i++) {
		struct series_group *group = &window->series.groups.items[i];
		size_t before = series_before(group, moment);
		if (before < FEW || before < group->times.count / 2)
			continue;
		drop(group, before - 1);
		window->groups.items[i].dropped += before - 1;
	}
}
