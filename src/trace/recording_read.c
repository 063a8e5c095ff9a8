/* What a killed process leaves may end anywhere: all counts and numbers are checked against what is there. Times
 * become nanoseconds of CLOCK_MONOTONIC, which the processes of a machine share. */
#include "trace/recording_read.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "base/digest.h"
#include "base/paths.h"
#include "record/clock.h"
#include "sample/procfs.h"

/* What the recorder writes is smaller, but for the open regions of a recursion of some millions of calls. */
#define FILE_LIMIT ((size_t)1 << 26)

bool recording_exists(struct arena *arena, struct slice directory)
{
	struct slice path = path_join(arena, directory, SLICE(RECORDING_FOLDER));
	return os_is_real_directory(arena_cstr(arena, path));
}

/* The content of a file, up to the limit; empty if it cannot be read or is not a file but, for example, a FIFO. */
static struct slice read_all(struct arena *arena, struct slice folder, struct slice name)
{
	struct strbuf text;
	strbuf_init(&text, arena);
	const char *path = arena_cstr(arena, path_join(arena, folder, name));
	if (os_is_file(path))
		(void)os_read_file(path, &text, FILE_LIMIT);
	return strbuf_slice(&text);
}

/* The file NUMBER.KIND of a location. */
static struct slice read_numbered(struct arena *arena, struct slice folder, uint32_t number,
                                  const char *kind)
{
	return read_all(arena, folder, arena_printf(arena, "%u.%s", number, kind));
}

/* The text up to the first NUL, at most SIZE bytes. */
static struct slice text_field(struct arena *arena, const char *text, size_t size)
{
	return arena_dup(arena, slice_make(text, strnlen(text, size)));
}

/* Cuts the text up to the first NUL off REST. */
static struct slice next_text(struct slice *rest)
{
	size_t end = slice_find(*rest, '\0', 0);
	struct slice text = slice_sub(*rest, 0, end);
	*rest = slice_sub(*rest, end + 1, rest->len);
	return text;
}

/* ---- processes ---- */

/* True if the process has not ended. On another machine that is not known. */
static bool is_running(const struct recording_process *head)
{
	char host[sizeof head->host] = "";
	struct procfs_stat stat;
	(void)gethostname(host, sizeof host - 1);
	if (head->ended != 0 || strncmp(host, head->host, sizeof host) != 0 || head->pid <= 0)
		return false;
	return procfs_read_stat(head->pid, &stat) && stat.state != 'Z' && stat.state != 'X' &&
	       (uint64_t)stat.start == head->pid_start;
}

static void read_lines(struct arena *arena, struct measured_process *process)
{
	struct slice text = read_all(arena, process->folder, SLICE("lines"));
	struct recording_line line;
	for (size_t at = 0; at + sizeof line <= text.len && at < RECORDING_LINES * sizeof line;
	     at += sizeof line) {
		memcpy(&line, text.ptr + at, sizeof line);
		if (line.nanoseconds > 0)
			vec_push(arena, &process->lines, line);
	}
}

static void read_process(struct measurement *m, struct slice folder)
{
	struct arena *arena = m->arena;
	struct slice text = read_all(arena, folder, SLICE("process"));
	struct measured_process process = {.folder = folder};
	struct recording_process *head = &process.head;
	if (text.len >= sizeof *head)
		memcpy(head, text.ptr, sizeof *head);
	if (strncmp(head->magic, RECORDING_MAGIC, sizeof head->magic) != 0 ||
	    head->first.monotonic > INT64_MAX) /* damaged: clocks give an int64_t */
		return;
	process.host = text_field(arena, head->host, sizeof head->host);
	process.interpreter = text_field(arena, head->interpreter, sizeof head->interpreter);
	process.begin = head->first.monotonic;
	process.end = head->seen[head->latest & 1].monotonic;
	struct slice texts = slice_sub(text, sizeof *head, text.len);
	if (head->script_size <= texts.len)
		process.script = text_field(arena, texts.ptr, head->script_size);
	texts = slice_sub(texts, head->script_size, texts.len);
	texts = slice_sub(texts, 0, head->words_size);
	while (texts.len > 0)
		vec_push(arena, &process.words, arena_dup(arena, next_text(&texts)));
	m->running += is_running(head);
	m->profiling |= head->profiling != 0;
	m->tracing |= head->tracing != 0;
	read_lines(arena, &process);
	vec_push(arena, &m->processes, process);
}

/* By the time of the start, then the number. */
static int compare_processes(const void *a, const void *b)
{
	const struct measured_process *left = a, *right = b;
	if (left->begin != right->begin)
		return left->begin < right->begin ? -1 : 1;
	return left->head.pid < right->head.pid ? -1 : left->head.pid > right->head.pid;
}

/* ---- the clock ---- */

/* The rate is known better the longer a process ran. One that was killed in its first milliseconds has the rate of
 * another, or of this machine now. */
static void find_rates(struct measurement *m)
{
	enum { SHORTEST = 5000000 }; /* nanoseconds */
	uint64_t longest = 0;
	double best = 0;
	for (size_t i = 0; i < m->processes.count; i++) {
		const struct recording_process *head = &m->processes.items[i].head;
		const struct recording_instant *first = &head->first;
		const struct recording_instant *last = &head->seen[head->latest & 1];
		if (last->monotonic <= first->monotonic || last->ticks <= first->ticks)
			continue; /* killed at its start, or the file is damaged */
		uint64_t time = last->monotonic - first->monotonic;
		if (time > longest) {
			longest = time;
			best = (double)time / (double)(last->ticks - first->ticks);
		}
	}
	if (longest < SHORTEST) {
		struct recording_instant before = clock_instant(RECORDING_CLOCK_COUNTER), after;
		const struct timespec pause = {.tv_nsec = SHORTEST};
		nanosleep(&pause, NULL);
		after = clock_instant(RECORDING_CLOCK_COUNTER);
		best = (double)(after.monotonic - before.monotonic) /
		       (double)(after.ticks - before.ticks);
	}
	for (size_t i = 0; i < m->processes.count; i++) {
		struct measured_process *process = &m->processes.items[i];
		process->ns_per_tick =
		        process->head.clock == RECORDING_CLOCK_NANOSECONDS ? 1.0 : best;
	}
}

/* At most 2^63, which only a damaged file reaches; the sum with a start, which is less, fits. */
static uint64_t nanoseconds_of(const struct measured_process *process, uint64_t ticks)
{
	double nanoseconds = (double)ticks * process->ns_per_tick;
	return nanoseconds < 0x1p63 ? (uint64_t)nanoseconds : (uint64_t)1 << 63;
}

static uint64_t time_of(const struct measured_process *process, uint64_t ticks)
{
	uint64_t first = process->head.first.ticks;
	return process->begin + (ticks > first ? nanoseconds_of(process, ticks - first) : 0);
}

/* ---- regions and locations ---- */

/* The number of a region with this text in the measurement. */
static uint32_t region_number(struct measurement *m, const struct measured_region *region)
{
	struct slice line = slice_make((const char *)&region->line, sizeof region->line);
	uint64_t hash = digest_add(DIGEST_START, region->module);
	hash = digest_add(digest_add(digest_add(hash, region->name), region->file), line);
	for (;; hash++) {
		size_t *index = number_map_at(&m->region_index, hash);
		if (*index == 0) {
			vec_push(m->arena, &m->regions, *region);
			*index = m->regions.count;
		}
		const struct measured_region *found = &m->regions.items[*index - 1];
		if (slice_eq(found->module, region->module) &&
		    slice_eq(found->name, region->name) && slice_eq(found->file, region->file) &&
		    found->line == region->line)
			return (uint32_t)(*index - 1);
	}
}

static void read_regions(struct measurement *m, struct measured_process *process)
{
	struct slice text = read_all(m->arena, process->folder, SLICE("regions"));
	struct recording_region record;
	while (text.len >= sizeof record) {
		memcpy(&record, text.ptr, sizeof record);
		if (record.size < sizeof record || record.size > text.len)
			return; /* the process was killed while it wrote */
		struct slice rest = slice_sub(text, sizeof record, record.size);
		struct measured_region region = {.line = record.line};
		region.module = next_text(&rest);
		region.name = next_text(&rest);
		region.file = next_text(&rest);
		vec_push(m->arena, &process->regions, region_number(m, &region));
		text = slice_sub(text, record.size, text.len);
	}
}

static void read_location(struct measurement *m, uint32_t process, uint32_t number)
{
	struct measured_process *owner = &m->processes.items[process];
	struct slice text = read_numbered(m->arena, owner->folder, number, "location");
	struct recording_location head;
	struct recording_frame frame;
	if (text.len < sizeof head)
		return;
	memcpy(&head, text.ptr, sizeof head);
	struct measured_location location = {
	        .name = text_field(m->arena, head.name, sizeof head.name),
	        .process = process,
	        .number = number,
	        .nodes = head.nodes,
	        .end = time_of(owner, head.ends)};
	for (size_t at = sizeof head;
	     location.open.count < head.depth && at + sizeof frame <= text.len;
	     at += sizeof frame) {
		memcpy(&frame, text.ptr + at, sizeof frame);
		vec_push(m->arena, &location.open, frame);
	}
	vec_push(m->arena, &m->locations, location);
	owner->location_count++;
}

static int compare_numbers(const void *a, const void *b)
{
	uint32_t left = *(const uint32_t *)a, right = *(const uint32_t *)b;
	return left < right ? -1 : left > right;
}

/* In the order of their numbers. */
static void read_locations(struct measurement *m, uint32_t process)
{
	struct os_names names = {0};
	VECTOR(uint32_t) numbers = {0};
	struct slice ending = SLICE(".location");
	const char *folder = arena_cstr(m->arena, m->processes.items[process].folder);
	m->processes.items[process].first_location = (uint32_t)m->locations.count;
	if (os_list_folder(m->arena, folder, &names) != 0)
		return;
	for (size_t i = 0; i < names.list.count; i++) {
		struct slice name = names.list.items[i];
		if (slice_ends_with(name, ending) && ascii_is_digit(name.ptr[0]))
			vec_push(m->arena, &numbers,
			         (uint32_t)strtoul(arena_cstr(m->arena, name), NULL, 10));
	}
	if (numbers.count > 0)
		qsort(numbers.items, numbers.count, sizeof *numbers.items, compare_numbers);
	for (size_t i = 0; i < numbers.count; i++)
		read_location(m, process, numbers.items[i]);
}

/* ---- events ---- */

struct event_reader {
	const struct measured_process *process;
	recording_event_fn each;
	void *data;
	uint64_t base, last;   /* ticks; nanoseconds of the last event */
	VECTOR(uint32_t) open; /* regions of the measurement */
	struct arena *arena;
};

static int read_event(struct event_reader *r, uint64_t word)
{
	enum recording_event kind = (enum recording_event)(word & 3);
	uint32_t number = (uint32_t)(word >> RECORDING_REGION_SHIFT) & RECORDING_REGION_MAX;
	if (number == 0 || number > r->process->regions.count)
		return 0;
	uint32_t region = r->process->regions.items[number - 1];
	uint64_t time = time_of(r->process, r->base + (word >> RECORDING_TIME_SHIFT));
	if (time < r->last)
		time = r->last;
	r->last = time;
	if (kind == RECORDING_ENTER)
		vec_push(r->arena, &r->open, region);
	else if (r->open.count > 0)
		r->open.count--;
	else
		return 0;
	return r->each(r->data, kind, region, time, false);
}

static int read_words_of(struct event_reader *r, const uint64_t *words, size_t count)
{
	int result = 0;
	for (size_t i = 0; result == 0 && i < count && words[i] != RECORDING_NONE; i++) {
		if ((words[i] & 3) != RECORDING_BASE)
			result = read_event(r, words[i]);
		else if (i + 1 < count)
			r->base = words[++i];
	}
	return result;
}

/* Reads up to COUNT words from OFFSET of the file on. Returns how many there are. */
static size_t read_words(int fd, size_t offset, uint64_t *words, size_t count)
{
	size_t size = 0, wanted = count * sizeof *words;
	while (size < wanted) {
		ssize_t got =
		        pread(fd, (char *)words + size, wanted - size, (off_t)(offset + size));
		if (got == 0 || (got < 0 && errno != EINTR))
			break;
		size += got > 0 ? (size_t)got : 0;
	}
	return size / sizeof *words;
}

/* Of the file with this ending of LOCATION, or -1. */
static int open_numbered(const struct measurement *m, const struct measured_location *location,
                         const char *ending)
{
	struct slice name = arena_printf(m->arena, "%u.%s", location->number, ending);
	struct slice path = path_join(m->arena, m->processes.items[location->process].folder, name);
	return os_open_retrying(arena_cstr(m->arena, path), O_RDONLY | O_NONBLOCK, 0);
}

int recording_events(const struct measurement *m, size_t index, recording_event_fn each, void *data)
{
	static _Thread_local uint64_t words[RECORDING_CHUNK];
	const struct measured_location *location = &m->locations.items[index];
	struct event_reader r = {.process = &m->processes.items[location->process],
	                         .each = each,
	                         .data = data,
	                         .arena = m->arena};
	uint64_t chunks = 0;
	int latest = open_numbered(m, location, "latest"), result = 0;
	if (latest < 0)
		return 0; /* without a trace */
	(void)read_words(latest, 0, &chunks, 1);
	int events = chunks == 0 ? -1 : open_numbered(m, location, "events");
	if (chunks > 0 && events < 0)
		result = -1;
	for (uint64_t i = 0, count = RECORDING_CHUNK;
	     result == 0 && i < chunks && count == RECORDING_CHUNK; i++) {
		count = read_words(events, i * sizeof words, words, RECORDING_CHUNK);
		result = read_words_of(&r, words, count);
	}
	if (result == 0) {
		size_t at = offsetof(struct recording_latest, words) + chunks % 2 * sizeof words;
		result = read_words_of(&r, words, read_words(latest, at, words, RECORDING_CHUNK));
	}
	while (result == 0 && r.open.count > 0)
		result = each(data, RECORDING_LEAVE, r.open.items[--r.open.count], r.last, true);
	os_close_quietly(latest);
	if (events >= 0)
		os_close_quietly(events);
	return result;
}

/* ---- call paths ---- */

/* The call path of REGION below PARENT, which is added if it is new. */
static uint32_t add_path(struct measurement *m, uint32_t parent, uint32_t region)
{
	uint64_t key = (uint64_t)parent << 32 | (region + 1);
	size_t *index = number_map_at(&m->path_index, key);
	if (*index != 0)
		return (uint32_t)*index;
	uint32_t path = (uint32_t)m->paths.count;
	*index = path;
	vec_push(m->arena, &m->paths, (struct measured_path){.region = region, .parent = parent});
	struct measured_path *above = &m->paths.items[parent];
	if (above->last_child != 0)
		m->paths.items[above->last_child].next = path;
	else
		above->child = path;
	above->last_child = path;
	return path;
}

/* Adds TIME to that of PATH in LOCATION. */
static void add_time(struct measurement *m, struct measured_location *location, uint32_t path,
                     const struct measured_time *time)
{
	while (location->times.count <= path)
		vec_push(m->arena, &location->times, (struct measured_time){0});
	struct measured_time *sum = &location->times.items[path];
	if (time->visits > 0 && (sum->visits == 0 || time->min < sum->min))
		sum->min = time->min;
	if (time->max > sum->max)
		sum->max = time->max;
	sum->visits += time->visits;
	sum->total += time->total;
}

/* Adds a visit to PATH of so many nanoseconds. */
static void add_visit(struct measurement *m, struct measured_location *location, uint32_t path,
                      uint64_t spent)
{
	struct measured_time time = {1, spent, spent, spent};
	add_time(m, location, path, &time);
}

struct measured_time measurement_time(const struct measured_location *location, uint32_t path)
{
	return path < location->times.count ? location->times.items[path]
	                                    : (struct measured_time){0};
}

uint32_t measurement_next_path(const struct measurement *m, uint32_t top, uint32_t path)
{
	const struct measured_path *paths = m->paths.items;
	if (paths[path].child != 0)
		return paths[path].child;
	while (path != top && paths[path].next == 0)
		path = paths[path].parent;
	return path == top ? 0 : paths[path].next;
}

static uint32_t root_of(const struct measured_location *location)
{
	return location->number == 0 ? PATH_PROGRAM : PATH_THREADS;
}

/* Takes the call paths of a location from its profile. */
static void read_nodes(struct measurement *m, struct measured_location *location)
{
	const struct measured_process *process = &m->processes.items[location->process];
	struct slice text = read_numbered(m->arena, process->folder, location->number, "nodes");
	size_t count = text.len / sizeof(struct recording_node);
	if (count > location->nodes)
		count = location->nodes;
	uint32_t *paths = arena_calloc(m->arena, count + 1, sizeof *paths);
	paths[0] = root_of(location);
	for (size_t i = 1; i < count; i++) {
		struct recording_node node;
		memcpy(&node, text.ptr + i * sizeof node, sizeof node);
		if (node.parent >= i || node.region == 0 || node.region > process->regions.count) {
			paths[i] = paths[0];
			continue;
		}
		paths[i] = add_path(m, paths[node.parent], process->regions.items[node.region - 1]);
		struct measured_time time = {node.visits, nanoseconds_of(process, node.time),
		                             nanoseconds_of(process, node.min),
		                             nanoseconds_of(process, node.max)};
		add_time(m, location, paths[i], &time);
	}
	for (size_t i = 0; i < location->open.count; i++) {
		const struct recording_frame *frame = &location->open.items[i];
		uint64_t enter = time_of(process, frame->enter);
		if (frame->node > 0 && frame->node < count)
			add_visit(m, location, paths[frame->node],
			          location->end > enter ? location->end - enter : 0);
	}
}

struct replay_frame {
	uint32_t path;
	uint64_t enter;
};

struct replay {
	struct measurement *measurement;
	struct measured_location *location;
	VECTOR(struct replay_frame) stack;
};

/* Counts an event, and takes the call paths from events if there is no profile. */
static int replay_event(void *data, enum recording_event kind, uint32_t region, uint64_t time,
                        bool is_open)
{
	struct replay *r = data;
	struct measurement *m = r->measurement;
	(void)is_open;
	r->location->event_count++;
	if (time > r->location->end)
		r->location->end = time;
	if (m->profiling)
		return 0;
	if (kind == RECORDING_ENTER) {
		uint32_t parent = r->stack.count == 0 ? root_of(r->location)
		                                      : r->stack.items[r->stack.count - 1].path;
		struct replay_frame frame = {add_path(m, parent, region), time};
		vec_push(m->arena, &r->stack, frame);
		return 0;
	}
	const struct replay_frame *frame = &r->stack.items[--r->stack.count];
	add_visit(m, r->location, frame->path, time - frame->enter);
	return 0;
}

/* The program's own times: of a process, and of its threads. */
static void add_roots(struct measurement *m)
{
	for (size_t i = 0; i < m->locations.count; i++) {
		struct measured_location *location = &m->locations.items[i];
		struct measured_process *process = &m->processes.items[location->process];
		struct measured_time time = {0};
		if (location->number == 0) {
			add_visit(m, location, PATH_PROGRAM, process->end - process->begin);
			continue;
		}
		for (uint32_t path = m->paths.items[PATH_THREADS].child; path != 0;
		     path = m->paths.items[path].next)
			time.total += measurement_time(location, path).total;
		add_time(m, location, PATH_THREADS, &time);
		add_time(m, location, PATH_PROGRAM, &time);
	}
}

/* The first and the last moment, and where the wall clock was at the first. */
static void find_span(struct measurement *m)
{
	for (size_t i = 0; i < m->locations.count; i++) {
		struct measured_process *process =
		        &m->processes.items[m->locations.items[i].process];
		if (m->locations.items[i].end > process->end)
			process->end = m->locations.items[i].end;
	}
	for (size_t i = 0; i < m->processes.count; i++) {
		const struct measured_process *process = &m->processes.items[i];
		if (m->begin == 0 || process->begin < m->begin) {
			m->begin = process->begin;
			m->begins_at = process->head.first.since_1970;
		}
		if (process->end > m->end)
			m->end = process->end;
	}
}

int recording_read(struct measurement *m, struct arena *arena, struct slice directory)
{
	*m = (struct measurement){.arena = arena,
	                          .folder = path_join(arena, directory, SLICE(RECORDING_FOLDER))};
	number_map_init(&m->path_index, arena);
	number_map_init(&m->region_index, arena);
	vec_push(arena, &m->paths,
	         (struct measured_path){.child = PATH_THREADS, .last_child = PATH_THREADS});
	vec_push(arena, &m->paths, (struct measured_path){.parent = PATH_PROGRAM});
	if (os_list_folder(arena, arena_cstr(arena, m->folder), &m->names) != 0)
		return -1;
	for (size_t i = 0; i < m->names.list.count; i++)
		read_process(m, path_join(arena, m->folder, m->names.list.items[i]));
	if (m->processes.count > 0)
		qsort(m->processes.items, m->processes.count, sizeof *m->processes.items,
		      compare_processes);
	find_rates(m);
	for (uint32_t i = 0; i < m->processes.count; i++) {
		read_regions(m, &m->processes.items[i]);
		read_locations(m, i);
	}
	for (size_t i = 0; i < m->locations.count; i++) {
		struct replay replay = {m, &m->locations.items[i], {0}};
		if ((m->tracing || !m->profiling) &&
		    recording_events(m, i, replay_event, &replay) != 0)
			return -1;
		if (m->profiling)
			read_nodes(m, &m->locations.items[i]);
	}
	find_span(m);
	add_roots(m);
	return 0;
}
