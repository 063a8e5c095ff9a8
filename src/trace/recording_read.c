/* What a killed process leaves may end anywhere: all counts and numbers are checked against what is there. Times
 * become nanoseconds of CLOCK_MONOTONIC, which the processes of a machine share. */
#include "trace/recording_read.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "base/digest.h"
#include "base/os.h"
#include "base/paths.h"
#include "record/clock.h"
#include "sample/procfs.h"

/* What the recorder writes is smaller, but for the open regions of a recursion of some millions of calls. */
#define FILE_LIMIT ((size_t)1 << 26)

struct reader {
	struct arena *arena;
	struct recording *recording;
	struct measurement *measurement;
	struct number_map
	        region_index; /* from a digest of the region to the index of a region + 1 */
};

bool recording_exists(struct arena *arena, struct slice directory)
{
	struct slice path = path_join(arena, directory, SLICE(RECORDING_FOLDER));
	return os_is_real_directory(arena_cstr(arena, path));
}

/* The content of a file, up to the limit; empty if it cannot be read or is not a file but, for example, a FIFO. */
static struct slice read_all(struct reader *reader, struct slice folder, struct slice name)
{
	struct strbuf text;
	strbuf_init(&text, reader->arena);
	const char *path = arena_cstr(reader->arena, path_join(reader->arena, folder, name));
	if (os_is_file(path))
		(void)os_read_file(path, &text, FILE_LIMIT);
	return strbuf_slice(&text);
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
	char buffer[4096];
	(void)gethostname(host, sizeof host - 1);
	if (head->ended != 0 || strncmp(host, head->host, sizeof host) != 0 || head->pid <= 0)
		return false;
	int fd = procfs_open(head->pid, "stat");
	if (fd < 0)
		return false;
	bool found = procfs_parse_stat(procfs_read(fd, buffer, sizeof buffer), &stat);
	close(fd);
	return found && stat.state != 'Z' && stat.state != 'X' &&
	       (uint64_t)stat.start == head->pid_start;
}

/* The number of a region with this text in the measurement. */
static uint32_t region_number(struct reader *reader, const struct measured_region *region)
{
	struct slice line = slice_make((const char *)&region->line, sizeof region->line);
	uint64_t hash = digest_add(DIGEST_START, region->module);
	hash = digest_add(digest_add(digest_add(hash, region->name), region->file), line);
	struct measurement *m = reader->measurement;
	for (;; hash++) {
		size_t *index = number_map_at(&reader->region_index, hash);
		if (*index == 0) {
			vec_push(reader->arena, &m->regions, *region);
			*index = m->regions.count;
		}
		const struct measured_region *found = &m->regions.items[*index - 1];
		if (slice_eq(found->module, region->module) &&
		    slice_eq(found->name, region->name) && slice_eq(found->file, region->file) &&
		    found->line == region->line)
			return (uint32_t)(*index - 1);
	}
}

static void read_regions(struct reader *reader, struct recorded_process *process)
{
	struct slice text = read_all(reader, process->folder, SLICE("regions"));
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
		vec_push(reader->arena, &process->regions, region_number(reader, &region));
		text = slice_sub(text, record.size, text.len);
	}
}

static int compare_numbers(const void *a, const void *b)
{
	uint32_t left = *(const uint32_t *)a, right = *(const uint32_t *)b;
	return left < right ? -1 : left > right;
}

static uint64_t time_of(const struct recorded_process *process, uint64_t ticks)
{
	const struct recording_instant *first = &process->head.first;
	if (ticks <= first->ticks)
		return (uint64_t)first->monotonic;
	return (uint64_t)first->monotonic +
	       (uint64_t)((double)(ticks - first->ticks) * process->ns_per_tick);
}

/* The open regions of a location, from the outermost on. */
static void read_frames(struct reader *reader, struct recorded_location *location,
                        struct slice text)
{
	struct recording_frame frame;
	for (uint32_t i = 0; i < location->head.depth; i++) {
		size_t at = sizeof location->head + (size_t)i * sizeof frame;
		if (at + sizeof frame > text.len)
			return;
		memcpy(&frame, text.ptr + at, sizeof frame);
		vec_push(reader->arena, &location->open, frame);
	}
}

static void read_location(struct reader *reader, uint32_t process, uint32_t number)
{
	struct recorded_location location = {.process = process};
	struct strbuf name;
	struct recording *recording = reader->recording;
	strbuf_init(&name, reader->arena);
	strbuf_printf(&name, "%u.location", number);
	struct slice text =
	        read_all(reader, recording->processes.items[process].folder, strbuf_slice(&name));
	if (text.len < sizeof location.head)
		return;
	memcpy(&location.head, text.ptr, sizeof location.head);
	read_frames(reader, &location, text);
	struct measured_location measured = {
	        .name = text_field(reader->arena, location.head.name, sizeof location.head.name),
	        .process = process,
	        .number = number,
	        .thread = (uint32_t)location.head.thread,
	        .was_open = location.head.depth > 0,
	        .end = time_of(&recording->processes.items[process], location.head.ends)};
	vec_push(reader->arena, &recording->locations, location);
	vec_push(reader->arena, &reader->measurement->locations, measured);
	reader->measurement->processes.items[process].location_count++;
}

/* The numbers of the locations with files in FOLDER, in order. */
static void read_locations(struct reader *reader, uint32_t process)
{
	struct os_names names = {0};
	VECTOR(uint32_t) numbers = {0};
	struct slice folder = reader->recording->processes.items[process].folder;
	struct slice ending = SLICE(".location");
	if (os_list_folder(reader->arena, arena_cstr(reader->arena, folder), &names) != 0)
		return;
	for (size_t i = 0; i < names.list.count; i++) {
		struct slice name = names.list.items[i];
		if (slice_ends_with(name, ending) && ascii_is_digit(name.ptr[0]))
			vec_push(reader->arena, &numbers,
			         (uint32_t)strtoul(arena_cstr(reader->arena, name), NULL, 10));
	}
	if (numbers.count > 0)
		qsort(numbers.items, numbers.count, sizeof *numbers.items, compare_numbers);
	for (size_t i = 0; i < numbers.count; i++)
		read_location(reader, process, numbers.items[i]);
}

static void read_lines(struct reader *reader, struct measured_process *process, struct slice folder)
{
	struct slice text = read_all(reader, folder, SLICE("lines"));
	struct recording_line line;
	for (size_t at = 0; at + sizeof line <= text.len && at < RECORDING_LINES * sizeof line;
	     at += sizeof line) {
		memcpy(&line, text.ptr + at, sizeof line);
		if (line.nanoseconds > 0)
			vec_push(reader->arena, &process->lines,
			         (struct measured_line){line.outer, line.inner, line.nanoseconds});
	}
}

static void read_process(struct reader *reader, struct slice folder)
{
	struct slice text = read_all(reader, folder, SLICE("process"));
	struct recorded_process process = {.folder = folder};
	struct recording_process *head = &process.head;
	if (text.len >= sizeof *head)
		memcpy(head, text.ptr, sizeof *head);
	if (strncmp(head->magic, RECORDING_MAGIC, sizeof head->magic) != 0) {
		reader->recording->broken++;
		return;
	}
	struct measured_process measured = {
	        .host = text_field(reader->arena, head->host, sizeof head->host),
	        .interpreter =
	                text_field(reader->arena, head->interpreter, sizeof head->interpreter),
	        .pid = head->pid,
	        .begin = (uint64_t)head->first.monotonic,
	        .end = (uint64_t)head->seen[head->latest & 1].monotonic};
	struct slice texts = slice_sub(text, sizeof *head, text.len);
	if (head->script_size <= texts.len)
		measured.script = text_field(reader->arena, texts.ptr, head->script_size);
	texts = slice_sub(texts, head->script_size, texts.len);
	texts = slice_sub(texts, 0, head->words_size);
	while (texts.len > 0)
		vec_push(reader->arena, &measured.words,
		         arena_dup(reader->arena, next_text(&texts)));
	reader->recording->running += is_running(head);
	reader->recording->profiling |= head->profiling != 0;
	reader->recording->tracing |= head->tracing != 0;
	vec_push(reader->arena, &reader->recording->processes, process);
	read_lines(reader, &measured, folder);
	vec_push(reader->arena, &reader->measurement->processes, measured);
}

/* ---- the clock ---- */

/* The rate is known better the longer a process ran. One that was killed in its first milliseconds has the rate of
 * another, or of this machine now. */
static void find_rates(struct recording *recording)
{
	enum { SHORTEST = 5000000 }; /* nanoseconds */
	int64_t longest = 0;
	double best = 0;
	for (size_t i = 0; i < recording->processes.count; i++) {
		struct recorded_process *process = &recording->processes.items[i];
		const struct recording_instant *first = &process->head.first;
		const struct recording_instant *last =
		        &process->head.seen[process->head.latest & 1];
		int64_t time = last->monotonic - first->monotonic;
		if (time > longest && last->ticks > first->ticks) {
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
	for (size_t i = 0; i < recording->processes.count; i++) {
		struct recorded_process *process = &recording->processes.items[i];
		process->ns_per_tick =
		        process->head.clock == RECORDING_CLOCK_NANOSECONDS ? 1.0 : best;
	}
}

/* ---- events ---- */

struct event_reader {
	const struct recorded_process *process;
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

/* Reads CHUNKS chunks of the file. */
static int read_chunks(struct event_reader *r, struct slice path, uint64_t chunks)
{
	static _Thread_local uint64_t words[RECORDING_CHUNK];
	int fd = os_open_retrying(arena_cstr(r->arena, path), O_RDONLY, 0), result = 0;
	if (fd < 0)
		return chunks == 0 ? 0 : -1;
	for (uint64_t i = 0; result == 0 && i < chunks; i++) {
		size_t size = 0;
		long count;
		while (size < sizeof words &&
		       (count = os_read(fd, (char *)words + size, sizeof words - size)) > 0)
			size += (size_t)count;
		result = read_words_of(r, words, size / sizeof *words);
		if (size < sizeof words)
			break;
	}
	os_close_quietly(fd);
	return result;
}

int recording_events(const struct recording *recording, const struct measurement *measurement,
                     size_t index, recording_event_fn each, void *data)
{
	const struct recorded_location *location = &recording->locations.items[index];
	const struct recorded_process *process = &recording->processes.items[location->process];
	struct arena *arena = recording->arena;
	uint32_t number = measurement->locations.items[index].number;
	struct event_reader r = {.process = process, .each = each, .data = data, .arena = arena};
	struct reader files = {.arena = arena};
	struct slice name = arena_printf(arena, "%u.latest", number);
	struct slice text = read_all(&files, process->folder, name);
	struct recording_latest *latest = arena_alloc(arena, sizeof *latest);
	if (text.len < sizeof *latest)
		return 0; /* without a trace */
	memcpy(latest, text.ptr, sizeof *latest);
	struct slice path =
	        path_join(arena, process->folder, arena_printf(arena, "%u.events", number));
	int result = read_chunks(&r, path, latest->chunks);
	if (result == 0)
		result = read_words_of(&r, latest->words[latest->chunks % 2], RECORDING_CHUNK);
	while (result == 0 && r.open.count > 0)
		result = each(data, RECORDING_LEAVE, r.open.items[--r.open.count], r.last, true);
	return result;
}

/* ---- call paths ---- */

static uint32_t root_of(const struct measured_location *location)
{
	return location->number == 0 ? PATH_PROGRAM : PATH_THREADS;
}

/* Takes the call paths of a location from its profile. */
static void read_nodes(struct reader *reader, size_t index)
{
	struct measured_location *location = &reader->measurement->locations.items[index];
	const struct recorded_location *recorded = &reader->recording->locations.items[index];
	const struct recorded_process *process =
	        &reader->recording->processes.items[recorded->process];
	struct slice text = read_all(reader, process->folder,
	                             arena_printf(reader->arena, "%u.nodes", location->number));
	size_t count = text.len / sizeof(struct recording_node);
	if (count > recorded->head.nodes)
		count = recorded->head.nodes;
	uint32_t *paths = arena_calloc(reader->arena, count + 1, sizeof *paths);
	double rate = process->ns_per_tick;
	paths[0] = root_of(location);
	for (size_t i = 1; i < count; i++) {
		struct recording_node node;
		memcpy(&node, text.ptr + i * sizeof node, sizeof node);
		if (node.parent >= i || node.region == 0 || node.region > process->regions.count) {
			paths[i] = paths[0];
			continue;
		}
		paths[i] = measurement_path(reader->measurement, paths[node.parent],
		                            process->regions.items[node.region - 1]);
		struct measured_time time = {node.visits, (uint64_t)((double)node.time * rate),
		                             (uint64_t)((double)node.min * rate),
		                             (uint64_t)((double)node.max * rate)};
		measurement_add_time(reader->measurement, location, paths[i], &time);
	}
	for (size_t i = 0; i < recorded->open.count; i++) {
		const struct recording_frame *frame = &recorded->open.items[i];
		uint64_t enter = time_of(process, frame->enter);
		uint64_t spent = location->end > enter ? location->end - enter : 0;
		struct measured_time time = {1, spent, spent, spent};
		if (frame->node > 0 && frame->node < count)
			measurement_add_time(reader->measurement, location, paths[frame->node],
			                     &time);
	}
}

/* ---- the same from events ---- */

struct replay_frame {
	uint32_t path;
	uint64_t enter;
};

typedef VECTOR(struct replay_frame) replay_stack;

struct replayer {
	struct measurement *measurement;
	struct measured_location *location;
	replay_stack stack;
};

static int replay_event(void *data, enum recording_event kind, uint32_t region, uint64_t time,
                        bool is_open)
{
	struct replayer *r = data;
	(void)is_open;
	if (kind == RECORDING_ENTER) {
		uint32_t parent = r->stack.count == 0 ? root_of(r->location)
		                                      : r->stack.items[r->stack.count - 1].path;
		uint32_t path = measurement_path(r->measurement, parent, region);
		vec_push(r->measurement->arena, &r->stack, (struct replay_frame){path, time});
		return 0;
	}
	const struct replay_frame *frame = &r->stack.items[--r->stack.count];
	uint64_t spent = time - frame->enter;
	struct measured_time sum = {1, spent, spent, spent};
	measurement_add_time(r->measurement, r->location, frame->path, &sum);
	return 0;
}

static int count_event(void *data, enum recording_event kind, uint32_t region, uint64_t time,
                       bool is_open)
{
	struct measured_location *location = data;
	(void)kind;
	(void)region;
	(void)is_open;
	location->event_count++;
	if (time > location->end)
		location->end = time;
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
			uint64_t spent = process->end - process->begin;
			time = (struct measured_time){1, spent, spent, spent};
		} else {
			for (uint32_t path = m->paths.items[PATH_THREADS].child; path != 0;
			     path = m->paths.items[path].next)
				time.total += measurement_time(location, path).total;
			measurement_add_time(m, location, PATH_THREADS, &time);
		}
		measurement_add_time(m, location, PATH_PROGRAM, &time);
	}
}

/* The first and the last moment, and where the wall clock was at the first. */
static void find_span(struct recording *recording, struct measurement *m)
{
	for (size_t i = 0; i < m->locations.count; i++) {
		struct measured_process *process =
		        &m->processes.items[m->locations.items[i].process];
		if (m->locations.items[i].end > process->end)
			process->end = m->locations.items[i].end;
	}
	for (size_t i = 0; i < m->processes.count; i++) {
		const struct measured_process *process = &m->processes.items[i];
		const struct recording_instant *first = &recording->processes.items[i].head.first;
		if (m->begin == 0 || process->begin < m->begin) {
			m->begin = process->begin;
			m->begins_at = first->since_1970;
		}
		if (process->end > m->end)
			m->end = process->end;
	}
}

/* Both lists are sorted by the same: the time of the start, then the number of the process. */
static int compare_starts(uint64_t left, int32_t left_pid, uint64_t right, int32_t right_pid)
{
	if (left != right)
		return left < right ? -1 : 1;
	return left_pid < right_pid ? -1 : left_pid > right_pid;
}

static int compare_processes(const void *a, const void *b)
{
	const struct recording_process *left = &((const struct recorded_process *)a)->head;
	const struct recording_process *right = &((const struct recorded_process *)b)->head;
	return compare_starts((uint64_t)left->first.monotonic, left->pid,
	                      (uint64_t)right->first.monotonic, right->pid);
}

static int compare_measured(const void *a, const void *b)
{
	const struct measured_process *left = a, *right = b;
	return compare_starts(left->begin, left->pid, right->begin, right->pid);
}

int recording_read(struct recording *out, struct measurement *measurement, struct arena *arena,
                   struct slice directory)
{
	struct reader reader = {.arena = arena, .recording = out, .measurement = measurement};
	*out = (struct recording){.arena = arena,
	                          .folder = path_join(arena, directory, SLICE(RECORDING_FOLDER))};
	measurement_init(measurement, arena);
	number_map_init(&reader.region_index, arena);
	if (os_list_folder(arena, arena_cstr(arena, out->folder), &out->names) != 0)
		return -1;
	for (size_t i = 0; i < out->names.list.count; i++)
		read_process(&reader, path_join(arena, out->folder, out->names.list.items[i]));
	if (out->processes.count > 0) {
		qsort(out->processes.items, out->processes.count, sizeof *out->processes.items,
		      compare_processes);
		qsort(measurement->processes.items, measurement->processes.count,
		      sizeof *measurement->processes.items, compare_measured);
	}
	find_rates(out);
	for (uint32_t i = 0; i < out->processes.count; i++) {
		read_regions(&reader, &out->processes.items[i]);
		measurement->processes.items[i].first_location =
		        (uint32_t)measurement->locations.count;
		read_locations(&reader, i);
	}
	for (size_t i = 0; out->tracing && i < measurement->locations.count; i++) {
		if (recording_events(out, measurement, i, count_event,
		                     &measurement->locations.items[i]) != 0)
			return -1;
	}
	find_span(out, measurement);
	for (size_t i = 0; i < measurement->locations.count; i++) {
		struct replayer replay = {measurement, &measurement->locations.items[i], {0}};
		if (out->profiling)
			read_nodes(&reader, i);
		else if (recording_events(out, measurement, i, replay_event, &replay) != 0)
			return -1;
	}
	add_roots(measurement);
	return 0;
}
