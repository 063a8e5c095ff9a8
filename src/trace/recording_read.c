/* What a killed process leaves may end anywhere: all counts and numbers are checked against what is there. Times
 * become nanoseconds of CLOCK_MONOTONIC, which the processes of a machine share. */
#include "trace/recording_read.h"

#include <fcntl.h>
#include <unistd.h>

#include "base/paths.h"
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
	struct strbuf text = {.arena = arena};
	const char *path = arena_cstr(arena, path_join(arena, folder, name));
	if (os_is_file(path))
		(void)os_read_file(path, &text, FILE_LIMIT);
	return strbuf_slice(&text);
}

/* The text up to the first NUL, at most SIZE bytes. */
static struct slice text_field(struct arena *arena, const char *text, size_t size)
{
	return arena_dup(arena, slice_make(text, strnlen(text, size)));
}

/* ---- processes ---- */

static void read_process(struct recording *r, struct slice folder)
{
	struct arena *arena = r->measurement.arena;
	struct slice text = read_all(arena, folder, SLICE("process"));
	struct recorded_process process = {.folder = folder};
	struct recording_process *head = &process.head;
	if (text.len >= sizeof *head)
		memcpy(head, text.ptr, sizeof *head);
	if (strncmp(head->magic, RECORDING_MAGIC, sizeof head->magic) != 0 ||
	    head->first.monotonic > INT64_MAX) /* damaged: clocks give an int64_t */
		return;
	struct slice texts = slice_tail(text, sizeof *head), word;
	if (head->script_size <= texts.len)
		process.script = text_field(arena, texts.ptr, head->script_size);
	texts = slice_sub(slice_tail(texts, head->script_size), 0, head->words_size);
	while (slice_next_part(&texts, '\0', &word))
		vec_push(arena, &process.words, arena_dup(arena, word));
	/* Whether one on another machine has ended is not known. */
	char host[sizeof head->host] = "";
	struct procfs_stat stat;
	(void)gethostname(host, sizeof host - 1);
	bool may_run = head->ended == RECORDING_UNENDED && head->pid > 0 &&
	               strncmp(host, head->host, sizeof host) == 0;
	r->running += may_run && procfs_read_stat(head->pid, &stat) && stat.state != 'Z' &&
	              stat.state != 'X' && (uint64_t)stat.start == head->pid_start;
	r->profiling |= head->profiling != 0;
	r->tracing |= head->tracing != 0;
	vec_push(arena, &r->processes, process);
}

/* Adds the next process of the measurement, which are in the same order. */
static void add_process(struct recording *r, const struct recorded_process *recorded)
{
	struct arena *arena = r->measurement.arena;
	const struct recording_process *head = &recorded->head;
	struct measured_process process = {
	        .name = r->measurement.processes.count == 0
	                        ? SLICE("Process")
	                        : arena_printf(arena, "Process %d", head->pid),
	        .host = text_field(arena, head->host, sizeof head->host),
	        .program = text_field(arena, head->interpreter, sizeof head->interpreter),
	        .begin = head->first.monotonic,
	        .end = head->seen[head->latest & 1].monotonic,
	};
	struct strbuf command = {.arena = arena};
	for (size_t k = 0; k < recorded->words.count; k++) {
		strbuf_puts(&command, k > 0 ? " " : "");
		strbuf_add(&command, recorded->words.items[k]);
	}
	process.command = strbuf_slice(&command);
	vec_push(arena, &r->measurement.processes, process);
}

/* By the time of the start, then the number. */
static int compare_processes(const void *a, const void *b)
{
	const struct recorded_process *left = a, *right = b;
	uint64_t begin = left->head.first.monotonic, other = right->head.first.monotonic;
	if (begin != other)
		return begin < other ? -1 : 1;
	return left->head.pid < right->head.pid ? -1 : left->head.pid > right->head.pid;
}

/* ---- the clock ---- */

/* Nanoseconds a tick. The rate is known better the longer a process ran: all have that of the one that ran longest. */
static double find_rate(const struct recording *r)
{
	uint64_t longest = 0;
	double best = 0;
	for (size_t i = 0; i < r->processes.count; i++) {
		const struct recording_process *head = &r->processes.items[i].head;
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
	return best;
}

/* At most 2^63, which only a damaged file reaches; the sum with a start, which is less, fits. */
static uint64_t nanoseconds_of(const struct recorded_process *process, uint64_t ticks)
{
	double nanoseconds = (double)ticks * process->ns_per_tick;
	return nanoseconds < 0x1p63 ? (uint64_t)nanoseconds : (uint64_t)1 << 63;
}

static uint64_t time_of(const struct recorded_process *process, uint64_t ticks)
{
	const struct recording_instant *first = &process->head.first;
	return first->monotonic +
	       (ticks > first->ticks ? nanoseconds_of(process, ticks - first->ticks) : 0);
}

/* ---- regions ---- */

static void read_regions(struct recording *r, struct recorded_process *process)
{
	struct arena *arena = r->measurement.arena;
	struct slice text = read_all(arena, process->folder, SLICE("regions"));
	struct recording_region record;
	while (text.len >= sizeof record) {
		memcpy(&record, text.ptr, sizeof record);
		if (record.size < sizeof record || record.size > text.len)
			return; /* the process was killed while it wrote */
		struct slice rest = slice_sub(text, sizeof record, record.size);
		struct measured_region region = {.line = record.line};
		(void)slice_next_part(&rest, '\0', &region.module);
		(void)slice_next_part(&rest, '\0', &region.name);
		(void)slice_next_part(&rest, '\0', &region.file);
		vec_push(arena, &process->regions,
		         measurement_add_region(&r->measurement, &region));
		text = slice_tail(text, record.size);
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

static int read_words_of(struct event_reader *r, const uint64_t *words, size_t count)
{
	int result = 0;
	for (size_t i = 0; result == 0 && i < count && words[i] != RECORDING_NONE; i++) {
		enum recording_event kind = (enum recording_event)(words[i] & 3);
		uint64_t number = words[i] >> RECORDING_REGION_SHIFT & RECORDING_REGION_MAX;
		uint64_t ticks = r->base + (words[i] >> RECORDING_TIME_SHIFT);
		if (kind == RECORDING_BASE) {
			if (i + 1 < count)
				r->base = words[++i];
			continue;
		}
		if (number == 0 || number > r->process->regions.count)
			continue;
		uint32_t region = r->process->regions.items[number - 1];
		uint64_t time = time_of(r->process, ticks);
		if (time > r->last)
			r->last = time;
		if (kind == RECORDING_ENTER)
			vec_push(r->arena, &r->open, region);
		else if (r->open.count > 0)
			r->open.count--;
		else
			continue;
		result = r->each(r->data, kind, region, r->last);
	}
	return result;
}

/* Reads up to COUNT words from OFFSET of the file on. Returns how many there are. */
static size_t read_words(int fd, size_t offset, uint64_t *words, size_t count)
{
	ssize_t got = pread(fd, words, count * sizeof *words, (off_t)offset);
	return got < 0 ? 0 : (size_t)got / sizeof *words;
}

/* Of the file with this ending of location number INDEX, or -1. */
static int open_numbered(const struct recording *recording, size_t index, const char *ending)
{
	struct arena *arena = recording->measurement.arena;
	const struct measured_location *location = &recording->measurement.locations.items[index];
	struct slice name = arena_printf(arena, "%u.%s", location->number, ending);
	struct slice path =
	        path_join(arena, recording->processes.items[location->process].folder, name);
	return os_open_retrying(arena_cstr(arena, path), O_RDONLY | O_NONBLOCK, 0);
}

int recording_events(const struct recording *recording, size_t index, recording_event_fn each,
                     void *data)
{
	static _Thread_local uint64_t words[RECORDING_CHUNK];
	const struct measurement *m = &recording->measurement;
	const struct measured_location *location = &m->locations.items[index];
	struct event_reader r = {.process = &recording->processes.items[location->process],
	                         .each = each,
	                         .data = data,
	                         .arena = m->arena};
	uint64_t chunks = 0;
	int latest = open_numbered(recording, index, "latest"), result = 0;
	if (latest < 0)
		return 0; /* without a trace */
	(void)read_words(latest, 0, &chunks, 1);
	int events = chunks == 0 ? -1 : open_numbered(recording, index, "events");
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
	if (location->end > r.last && r.process->head.trace_error == 0)
		r.last = location->end;
	while (result == 0 && r.open.count > 0)
		result = each(data, RECORDING_LEAVE, r.open.items[--r.open.count], r.last);
	os_close_quietly(latest);
	os_close_quietly(events);
	return result;
}

/* ---- call paths ---- */

/* Takes the call paths of a location from its profile. HEAD has their number, OPEN the regions that are still open. */
static void read_nodes(struct recording *r, struct measured_location *location,
                       const struct recording_location *head, struct slice open)
{
	struct measurement *m = &r->measurement;
	const struct recorded_process *process = &r->processes.items[location->process];
	struct slice text = read_all(m->arena, process->folder,
	                             arena_printf(m->arena, "%u.nodes", location->number));
	size_t count = text.len / sizeof(struct recording_node);
	struct recording_frame frame;
	if (count > head->nodes)
		count = head->nodes;
	uint32_t *paths = arena_calloc(m->arena, count + 1, sizeof *paths);
	paths[0] = measurement_root(location);
	for (size_t i = 1; i < count; i++) {
		struct recording_node node;
		memcpy(&node, text.ptr + i * sizeof node, sizeof node);
		if (node.parent >= i || node.region == 0 || node.region > process->regions.count) {
			paths[i] = paths[0];
			continue;
		}
		paths[i] = measurement_add_path(m, paths[node.parent],
		                                process->regions.items[node.region - 1]);
		struct measured_time time = {node.visits, nanoseconds_of(process, node.time),
		                             nanoseconds_of(process, node.min),
		                             nanoseconds_of(process, node.max)};
		measurement_add_time(m, location, paths[i], &time);
	}
	for (size_t i = 0; i < head->depth && open.len >= sizeof frame; i++) {
		memcpy(&frame, open.ptr, sizeof frame);
		open = slice_tail(open, sizeof frame);
		uint64_t enter = time_of(process, frame.enter);
		if (frame.node > 0 && frame.node < count)
			measurement_add_visit(m, location, paths[frame.node],
			                      location->end > enter ? location->end - enter : 0);
	}
}

struct replay {
	struct recording *recording;
	struct measured_location *location;
	uint32_t path; /* of the innermost open region, or where the location's regions begin */
	VECTOR(uint64_t) enters; /* of the open regions */
};

/* Counts an event, and takes the call paths from events if there is no profile. */
static int replay_event(void *data, enum recording_event kind, uint32_t region, uint64_t time)
{
	struct replay *r = data;
	struct measurement *m = &r->recording->measurement;
	r->location->event_count++;
	if (time > r->location->end)
		r->location->end = time;
	if (r->recording->profiling)
		return 0;
	if (kind == RECORDING_ENTER) {
		r->path = measurement_add_path(m, r->path, region);
		vec_push(m->arena, &r->enters, time);
		return 0;
	}
	measurement_add_visit(m, r->location, r->path, time - r->enters.items[--r->enters.count]);
	r->path = m->paths.items[r->path].parent;
	return 0;
}

/* ---- locations ---- */

static int compare_numbers(const void *a, const void *b)
{
	uint32_t left = *(const uint32_t *)a, right = *(const uint32_t *)b;
	return left < right ? -1 : left > right;
}

/* In the order of their numbers. Returns 0, or -1 and sets errno. */
static int read_locations(struct recording *r, uint32_t process)
{
	struct measurement *m = &r->measurement;
	struct os_names names = {0};
	VECTOR(uint32_t) numbers = {0};
	const struct recorded_process *owner = &r->processes.items[process];
	m->processes.items[process].first_location = (uint32_t)m->locations.count;
	if (os_list_folder(m->arena, arena_cstr(m->arena, owner->folder), &names) != 0)
		return 0;
	for (size_t i = 0; i < names.list.count; i++) {
		struct slice name = names.list.items[i];
		if (slice_ends_with(name, SLICE(".location")) && ascii_is_digit(name.ptr[0]))
			vec_push(m->arena, &numbers,
			         (uint32_t)strtoul(arena_cstr(m->arena, name), NULL, 10));
	}
	vec_sort(&numbers, compare_numbers);
	for (size_t i = 0; i < numbers.count; i++) {
		struct recording_location head;
		struct slice name = arena_printf(m->arena, "%u.location", numbers.items[i]);
		struct slice text = read_all(m->arena, owner->folder, name);
		if (text.len < sizeof head)
			continue;
		memcpy(&head, text.ptr, sizeof head);
		struct measured_location location = {
		        .name = text_field(m->arena, head.name, sizeof head.name),
		        .process = process,
		        .number = numbers.items[i],
		        .end = time_of(owner, head.ends)};
		uint64_t seen = m->processes.items[process].end;
		if (head.depth > 0 && head.is_off == 0 &&
		    owner->head.ended != RECORDING_ENDED_OFF && seen > location.end)
			location.end = seen;
		size_t index = m->locations.count;
		vec_push(m->arena, &m->locations, location);
		m->processes.items[process].location_count++;
		struct replay replay = {.recording = r,
		                        .location = &m->locations.items[index],
		                        .path = measurement_root(&location)};
		if ((r->tracing || !r->profiling) &&
		    recording_events(r, index, replay_event, &replay) != 0)
			return -1;
		if (r->profiling)
			read_nodes(r, replay.location, &head, slice_tail(text, sizeof head));
	}
	return 0;
}

int recording_read(struct recording *r, struct arena *arena, struct slice directory)
{
	struct measurement *m = &r->measurement;
	*r = (struct recording){.folder = path_join(arena, directory, SLICE(RECORDING_FOLDER))};
	measurement_init(m, arena);
	if (os_list_folder(arena, arena_cstr(arena, r->folder), &r->names) != 0)
		return -1;
	for (size_t i = 0; i < r->names.list.count; i++)
		read_process(r, path_join(arena, r->folder, r->names.list.items[i]));
	vec_sort(&r->processes, compare_processes);
	const double rate = find_rate(r);
	for (uint32_t i = 0; i < r->processes.count; i++) {
		struct recorded_process *recorded = &r->processes.items[i];
		recorded->ns_per_tick =
		        recorded->head.clock == RECORDING_CLOCK_NANOSECONDS ? 1.0 : rate;
		add_process(r, recorded);
		read_regions(r, recorded);
		if (read_locations(r, i) != 0)
			return -1;
		struct measured_process *process = &m->processes.items[i];
		size_t first = process->first_location, count = process->location_count;
		for (size_t k = first; k < first + count; k++) {
			if (m->locations.items[k].end > process->end)
				process->end = m->locations.items[k].end;
		}
		if (count > 0 && m->locations.items[first].number == 0)
			measurement_add_visit(m, &m->locations.items[first], PATH_PROGRAM,
			                      process->end - process->begin);
		if (m->begin == 0 || process->begin < m->begin) {
			m->begin = process->begin;
			m->begins_at = recorded->head.first.since_1970;
		}
		if (process->end > m->end)
			m->end = process->end;
	}
	if (r->processes.count > 0) {
		struct recording_line line;
		struct slice text = read_all(arena, r->processes.items[0].folder, SLICE("lines"));
		m->script = r->processes.items[0].script;
		for (size_t at = 0;
		     at + sizeof line <= text.len && at < RECORDING_LINES * sizeof line;
		     at += sizeof line) {
			memcpy(&line, text.ptr + at, sizeof line);
			if (line.time.total > 0)
				vec_push(arena, &m->lines, line);
		}
	}
	measurement_add_threads(m, 0);
	return 0;
}
