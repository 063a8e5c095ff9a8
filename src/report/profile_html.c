/* Times of timelines are nanoseconds since the beginning of the measurement, which OFFSET nanoseconds of the page's clock come
 * before. Call paths have new numbers, in the same order, because some are left out. */
#include "report/profile_html.h"

#include "report/report_html.h"

enum { PATHS_MAX = 50000, TIMES_MAX = 400000, ROWS_MAX = 1000 };

struct profile_page {
	struct page_writer *writer;
	const struct profile *profile;
	const struct measurement *m;
	uint32_t *
	        numbers; /* by call path: its number in the page, or that of the nearest one above it that has one */
	uint32_t *kept; /* by number: the call path */
	uint32_t count; /* of those */
};

/* ---- call paths ---- */

/* Keeps the call paths with the most time: those above one that is kept have as much. */
static void choose_paths(struct profile_page *p)
{
	const struct measurement *m = p->m;
	size_t kept = m->paths.count;
	uint64_t least = 0;
	while (kept > PATHS_MAX) {
		least = least * 2 + 1000;
		kept = 0;
		for (size_t i = 0; i < m->paths.count; i++)
			kept += p->profile->sums[i].total >= least;
	}
	p->numbers = arena_calloc(p->profile->arena, m->paths.count, sizeof *p->numbers);
	p->kept = arena_calloc(p->profile->arena, m->paths.count, sizeof *p->kept);
	for (uint32_t path = 0; path < m->paths.count; path++) {
		bool is_kept = path < PATH_COUNT || p->profile->sums[path].total >= least;
		p->numbers[path] = is_kept ? p->count : p->numbers[m->paths.items[path].parent];
		if (is_kept)
			p->kept[p->count++] = path;
	}
}

/* "paths": names, each once, and by call path the numbers of what it is below, of its name and its kind. */
static void put_paths(struct profile_page *p)
{
	const struct measurement *m = p->m;
	struct json_writer *json = &p->writer->json;
	uint32_t *names = arena_calloc(p->profile->arena, m->regions.count + 1, sizeof *names);
	uint32_t count = PATH_COUNT;
	json_put(json, "'kinds': [");
	static const char *const titles[] = {
#define TIME_KIND(id, key, title, text) title,
#include "report/time_kind.def"
	};
	for (size_t i = 0; i < TIME_KIND_COUNT; i++)
		json_put(json, "?", J(titles[i]));
	json_put(json, "], 'names': [");
	for (uint32_t path = 0; path < PATH_COUNT; path++)
		json_put(json, "?", J(profile_path_name(p->profile, path)));
	for (uint32_t i = PATH_COUNT; i < p->count; i++) {
		uint32_t region = m->paths.items[p->kept[i]].region;
		if (names[region] != 0)
			continue;
		names[region] = count++;
		json_put(json, "?", J(profile_path_name(p->profile, p->kept[i])));
	}
	json_put(json, "], 'paths': {");
	for (uint32_t i = 0; i < p->count; i++)
		page_numbers_add(p->writer, p->numbers[m->paths.items[p->kept[i]].parent]);
	page_numbers_put(p->writer, "parents");
	for (uint32_t i = 0; i < p->count; i++)
		page_numbers_add(p->writer,
		                 i < PATH_COUNT ? i : names[m->paths.items[p->kept[i]].region]);
	page_numbers_put(p->writer, "names");
	for (uint32_t i = 0; i < p->count; i++)
		page_numbers_add(p->writer, p->profile->kinds[p->kept[i]]);
	page_numbers_put(p->writer, "kinds");
	json_put(json, "}, 'cell_paths': [");
	for (uint32_t i = PATH_COUNT; i < p->count; i++) {
		if (measurement_region_of(m, p->kept[i])->kind == REGION_CELL)
			json_put(json, "?", J(i));
	}
	json_put(json, "]");
}

/* ---- locations ---- */

/* Puts which call paths have TIMES, how long each took with what it calls, and how often it ran. Returns how many. */
static size_t put_times(struct profile_page *p, const struct measured_time *times, size_t count)
{
	struct page_writer *writer = p->writer;
	static const char *const keys[] = {"ran", "total", "visits"};
	size_t ran = 0;
	for (size_t k = 0; k < sizeof keys / sizeof *keys; k++) {
		ran = 0;
		for (uint32_t i = 0; i < p->count && p->kept[i] < count; i++) {
			const struct measured_time *time = &times[p->kept[i]];
			if (time->total == 0 && time->visits == 0)
				continue;
			const uint64_t values[] = {i, time->total, time->visits};
			page_numbers_add(writer, (int64_t)values[k]);
			ran++;
		}
		page_numbers_put(writer, keys[k]);
	}
	return ran;
}

static void put_locations(struct profile_page *p)
{
	const struct profile *profile = p->profile;
	const struct measurement *m = p->m;
	struct json_writer *json = &p->writer->json;
	size_t put = 0;
	json_put(json, "'all': {");
	(void)put_times(p, profile->sums, m->paths.count);
	json_put(json, "}, 'locations': [");
	for (size_t i = 0; i < m->locations.count && put < TIMES_MAX; i++) {
		const struct measured_location *location = &m->locations.items[i];
		struct slice label = arena_printf(profile->arena, "%u", location->process);
		if (location->number > 0)
			label = arena_printf(profile->arena, "%.*s.%u", SLICE_ARG(label),
			                     location->number);
		json_put(json, "{'label': ?, 'name': ?", J(label),
		         J(profile_location_name(profile, i)));
		put += put_times(p, location->times.items, location->times.count);
		json_put(json, "'timelines': [");
		vec_each(const struct measured_timeline, timeline, &location->timelines) {
			size_t count = timeline->changes.count;
			json_put(json, "{'width': ?, 'end': ?", J(timeline->width),
			         J(timeline->end - m->begin));
			for (size_t k = 0; k < count; k++)
				page_numbers_add(
				        p->writer,
				        (int64_t)(timeline->changes.items[k].time - m->begin));
			page_numbers_put(p->writer, "times");
			for (size_t k = 0; k < count; k++)
				page_numbers_add(p->writer,
				                 p->numbers[timeline->changes.items[k].path]);
			page_numbers_put(p->writer, "paths");
			json_put(json, "}");
		}
		json_put(json, "]}");
	}
	json_put(json, "]");
}

/* ---- without samples ---- */

/* A node without samples, with the cells that the first location has visited. */
static void put_node(struct profile_page *p)
{
	const struct measurement *m = p->m;
	struct json_writer *json = &p->writer->json;
	const struct measured_process *first = &m->processes.items[0];
	uint64_t number;
	report_html_metrics(json);
	json_put(json,
	         "'level': '', 'node': 0, 'signatures': [], 'nodes': [{'head': {"
	         "'host': ?, 'command': ?, 'start': ?, 'gpus': []}, 'groups': [], 'notes': [], "
	         "'truncated': false, 'due': 0, 'missed': 0, 'cells': [",
	         J(first->host), J(first->command), J(m->begins_at / 1000));
	vec_each(const struct measured_visit, visit, &first->visits) {
		if (!measurement_cell_number(measurement_region_of(m, visit->path)->name, &number))
			continue;
		json_put(json, "{'number': ?, 'begin': ?, 'end': ?, 'state': 'done'}", J(number),
		         J((int64_t)(visit->begin - m->begin) / 1000),
		         J((int64_t)(visit->end - m->begin) / 1000));
	}
	json_put(json, "], 'titles': [], 'last': ?}]", J((int64_t)(p->profile->seconds * 1e6)));
}

/* By how many nanoseconds the measurement begins later than the samples: a cell that both know begins at the same
 * time; else by their wall clocks. */
static int64_t find_offset(const struct measurement *m, const struct report *samples)
{
	const struct series *series = &samples->lead->series;
	const struct measured_process *first = &m->processes.items[0];
	uint64_t number;
	vec_each(const struct measured_visit, visit, &first->visits) {
		if (!measurement_cell_number(measurement_region_of(m, visit->path)->name, &number))
			continue;
		vec_each(const struct series_cell, cell, &series->cells) {
			if (cell->number == number)
				return (int64_t)((uint64_t)cell->begin -
				                 (uint64_t)series->head.start_mono -
				                 (visit->begin - m->begin));
		}
	}
	return m->begins_at == 0 ? 0 : m->begins_at - series->head.start_wall;
}

/* ---- all ---- */

void profile_html_data(struct page_writer *page, const struct profile_report *report)
{
	const struct profile *profile = report->profile;
	const struct report *samples = profile->samples;
	struct profile_page p = {.writer = page, .profile = profile, .m = profile->measurement};
	struct profile_report unsorted = *report;
	struct figure_table tables[PROFILE_TABLES];
	struct json_writer *json = &page->json;
	if (samples != NULL)
		report_html_data(page, samples);
	else
		put_node(&p);
	json_put(json,
	         "'measurement': {'directory': ?, 'processes': ?, 'threads': ?, 'call_paths': ?",
	         J(profile->directory), J(p.m->processes.count), J(p.m->locations.count),
	         J(p.m->paths.count - PATH_COUNT));
	json_put(json, "'events': ?, 'seconds': ?*, 'offset': ?", J(measurement_events(p.m)),
	         json_decimal(profile->seconds, 9),
	         J(samples == NULL ? 0 : find_offset(p.m, samples)));
	unsorted.sort = SLICE("");
	report_profile_tables(&unsorted, tables);
	figure_table_json(json, &tables[PROFILE_FINDINGS]);
	json_put(json, "'tables': {");
	for (size_t i = PROFILE_CELLS; i < PROFILE_TABLES; i++) {
		if (tables[i].row_count > 0 && i != PROFILE_CALLS)
			figure_table_page(json, &tables[i], ROWS_MAX);
	}
	json_put(json, "}");
	choose_paths(&p);
	put_paths(&p);
	put_locations(&p);
	json_put(json, "}");
}
