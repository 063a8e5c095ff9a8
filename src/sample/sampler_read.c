/* Reading what is due: the program, and what else there is at its own pace. */
#include "sample/sampler_read.h"

#include <time.h>

#include "base/os.h"
#include "sample/sampler_inside.h"
#include "sample/sampler_sources.h"
#include "sample/series_write.h"

enum { NS = SAMPLER_NS };

static bool read_once(struct sampler *s, const struct source *source, struct series_time *time)
{
	time->begin = os_clock(CLOCK_MONOTONIC);
	time->wall = os_clock(CLOCK_REALTIME);
	bool any = source->read(s, s->values);
	time->end = os_clock(CLOCK_MONOTONIC);
	return any;
}

/* Levels have the program as it was read last. */
static bool has_program(const struct sampler *s, const struct source *source)
{
	const struct source *first = &s->sources[SOURCE_USERS], *last = &s->sources[SOURCE_JOB_IO];
	return source >= first && source <= last;
}

static void read_source(struct sampler *s, struct source *source)
{
	struct series_time time;
	int64_t cpu = os_clock(CLOCK_THREAD_CPUTIME_ID);
	bool any = read_once(s, source, &time);
	source->read_at = time.begin;
	if (has_program(s, source)) {
		time.wall -= time.begin - s->program_read;
		time.begin = s->program_read;
	}
	if (any)
		series_write_sample(&s->writer, source->group, &time, s->values);
	source->cost = os_clock(CLOCK_THREAD_CPUTIME_ID) - cpu;
}

/* Reads the program, again where it takes much longer than the last time: it was interrupted then,
 * and it is not known when within TIME the values were so. */
static void read_undisturbed(struct sampler *s, struct series_time *time)
{
	enum { TRIES = 3, USUAL = 4, MOMENT = NS / 10000 };
	struct source *tree = &s->sources[SOURCE_TREE];
	int64_t most = USUAL * tree->cost + MOMENT, took = INT64_MAX;
	for (int i = 0; i < TRIES && took > most; i++) {
		read_once(s, tree, time);
		took = time->end - time->begin;
	}
	tree->cost = took < most ? took : most;
}

/* The program's resident memory does not show what came and went between two samples; its peak does.
 * The peak and the I/O take twice as long to read as everything else. */
void sampler_read_program(struct sampler *s, int64_t now, bool deep)
{
	struct series_time time = {0};
	s->is_deep = deep || s->order.interval >= SAMPLER_DEEP_NS || now >= s->next_deep;
	if (s->is_deep)
		s->next_deep = now + SAMPLER_DEEP_NS;
	processes_scan(&s->processes, now >= s->next_scan);
	if (now >= s->next_scan)
		s->next_scan = now + NS;
	read_undisturbed(s, &time);
	s->program_read = time.begin;
	struct source *io = &s->sources[SOURCE_TREE_IO];
	series_write_sample(&s->writer, s->sources[SOURCE_TREE].group, &time, s->values);
	if (s->is_deep && io->read(s, s->values))
		series_write_sample(&s->writer, io->group, &time, s->values);
}

void sampler_read_start(struct sampler *s, int64_t start_mono, int64_t start_wall)
{
	const enum source_id ids[] = {SOURCE_TREE, SOURCE_TREE_IO};
	for (size_t i = 0; i < sizeof ids / sizeof *ids; i++) {
		struct series_time time;
		read_once(s, &s->sources[ids[i]], &time);
		sampler_clear_counters(s, ids[i]);
		time = (struct series_time){start_mono, start_mono, start_wall};
		series_write_sample(&s->writer, s->sources[ids[i]].group, &time, s->values);
	}
}

/* True if its memory has changed by more than a quarter since its shares were read. */
static bool has_other_memory(const struct sampler *s)
{
	enum { PART = 4 };
	int64_t now = s->processes.tree.of[METRIC_RSS], change = now - s->shared_of;
	return (change < 0 ? -change : change) > s->shared_of / PART;
}

static bool is_due(const struct sampler *s, enum source_id id, int64_t now)
{
	enum { SHARE = 100, ALONE = 10 };
	const struct source *source = &s->sources[id];
	int64_t pause = source->cost * SHARE; /* the part of the time that reading may take */
	/* Looks come at each interval, and a source is read a little after the beginning of one. */
	int64_t least = source->least - s->order.interval / 2;
	if (pause < least)
		pause = least;
	/* One process shares little, and its pages take as long to count as all else. */
	if (id == SOURCE_SHARES && s->processes.tree.of[METRIC_PROCESSES] <= 1 &&
	    !has_other_memory(s))
		pause *= ALONE;
	return source->read != NULL && now >= source->read_at + pause;
}

void sampler_read_others(struct sampler *s, int64_t now)
{
	for (enum source_id id = SOURCE_TREE_IO + 1; id < SOURCE_COUNT; id++) {
		if (is_due(s, id, now))
			read_source(s, &s->sources[id]);
	}
}

void sampler_read_up_to_now(struct sampler *s)
{
	s->processes.everybody = true;
	for (int i = SOURCE_TREE_IO + 1; i < SOURCE_COUNT; i++) {
		bool sums_up = i != SOURCE_SHARES && i != SOURCE_SWITCHES;
		if (s->sources[i].read != NULL && sums_up)
			read_source(s, &s->sources[i]);
	}
	s->processes.everybody = false;
}
