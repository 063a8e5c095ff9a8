/* A thread's events and call paths. Each change is one store of a word after which the files are consistent:
 * an event is complete before the next one begins, a call path's file has its number of nodes after the node. */
#include "record/record_location.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "record/hooks.h"
#include "record/recorder.h"
#include "record/regions.h"

enum {
	HEAD_SIZE = 1 << 16, /* of a new file of a location, with its open regions */
	NODES_SIZE = 1 << 16,
	NODES_MAX = 1 << 20,
};
#define NO_NODE UINT32_MAX

__thread struct location *location_here __attribute__((tls_model("initial-exec")));

/* No store moves over this: what is stored before is in the file before. */
static inline void keep_order(void)
{
	atomic_signal_fence(memory_order_seq_cst);
}

/* For processors whose counter has no constant rate. */
RARE static uint64_t nanoseconds_now(void)
{
	return clock_ticks(RECORDING_CLOCK_NANOSECONDS);
}

static inline uint64_t now_of(struct location *location)
{
	uint64_t now = recorder.clock == RECORDING_CLOCK_COUNTER
	                       ? clock_ticks(RECORDING_CLOCK_COUNTER)
	                       : nanoseconds_now();
	if (now < location->last) /* another processor's counter */
		now = location->last;
	location->last = now;
	return now;
}

/* ---- events ---- */

/* The word after an event is zero before the event is there: the chunk was used before. */
static void add_base(struct location *location, uint64_t now)
{
	location->next[2] = RECORDING_NONE;
	location->next[1] = now;
	keep_order();
	location->next[0] = RECORDING_BASE;
	location->next += 2;
	location->base = now;
}

/* Writes the chunk that is full, and goes on in the other one. Returns 0, or errno. */
static int write_chunk(struct location *location)
{
	struct recording_latest *latest = location->latest;
	uint64_t number = latest->chunks;
	size_t size = sizeof latest->words[0];
	char name[32];
	recorder.event_size += size;
	if (recorder.order.limit > 0 && recorder.event_size > recorder.order.limit)
		return RECORDING_LIMIT;
	snprintf(name, sizeof name, "%u.events", location->number);
	if (store_write(recorder.folder, name, latest->words[number % 2], size,
	                (off_t)(number * size)) != 0)
		return errno;
	location->next = latest->words[(number + 1) % 2];
	location->end = location->next + RECORDING_CHUNK - 1; /* there is room for a zero */
	location->next[0] = RECORDING_NONE;
	keep_order();
	latest->chunks = number + 1;
	return 0;
}

/* Makes room for an event and its base. Returns false if the trace has ended. */
RARE static bool make_room(struct location *location, uint64_t now)
{
	enum { WORDS = 3 };
	if (location->end - location->next < WORDS) {
		int error = write_chunk(location);
		if (error != 0) {
			location->latest = NULL;
			recorder_end_trace(error);
			return false;
		}
		recorder_see();
	}
	add_base(location, now);
	return true;
}

static inline void add_event(struct location *location, enum recording_event kind, uint32_t region,
                             uint64_t now)
{
	if ((location->next == location->end || now - location->base > RECORDING_TIME_MAX) &&
	    !make_room(location, now))
		return;
	uint64_t *word = location->next++;
	word[1] = RECORDING_NONE;
	keep_order();
	word[0] = (now - location->base) << RECORDING_TIME_SHIFT |
	          (uint64_t)region << RECORDING_REGION_SHIFT | kind;
}

/* ---- call paths ---- */

static bool nodes_grow(struct location *location)
{
	size_t size = location->node_store->size * 2;
	if (location->node_capacity >= NODES_MAX || store_map(location->node_store, size) != 0)
		return false;
	location->nodes = (struct recording_node *)(void *)location->node_store->at;
	location->node_capacity = (uint32_t)(size / sizeof *location->nodes);
	return true;
}

/* The call path of REGION below PARENT, which is made if it is new. */
RARE static uint32_t find_child(struct location *location, uint32_t parent, uint32_t region)
{
	uint64_t key = (uint64_t)parent << 32 | region;
	if (!number_table_reserve(&location->children))
		return NO_NODE;
	struct number_entry *entry = number_table_find(&location->children, key);
	uint32_t node = entry->number;
	if (entry->key == 0) {
		node = location->head->nodes;
		if (node == location->node_capacity && !nodes_grow(location))
			return NO_NODE;
		location->nodes[node] = (struct recording_node){.region = region, .parent = parent};
		keep_order();
		location->head->nodes = node + 1;
		number_table_put(&location->children, entry, key, node);
	}
	location->nodes[parent].latest = node;
	return node;
}

static inline uint32_t enter_node(struct location *location, uint32_t depth, uint32_t region)
{
	uint32_t parent = depth == 0 ? 0 : location->frames[depth - 1].node;
	if (parent == NO_NODE || depth >= recorder.order.depth)
		return NO_NODE;
	uint32_t latest = location->nodes[parent].latest;
	if (latest != 0 && location->nodes[latest].region == region)
		return latest;
	return find_child(location, parent, region);
}

static inline void leave_node(struct location *location, const struct recording_frame *frame,
                              uint64_t now)
{
	if (frame->node == NO_NODE)
		return;
	struct recording_node *node = &location->nodes[frame->node];
	uint64_t time = now - frame->enter;
	node->time += time;
	if (time < node->min || node->visits == 0)
		node->min = time;
	if (time > node->max)
		node->max = time;
	node->visits++;
}

/* ---- files ---- */

/* The name that Python gives this thread, or one with its number. */
static void name_thread(struct recording_location *head, uint32_t number)
{
	PyObject *threading = NULL, *active = NULL, *ident = NULL, *name = NULL;
	const char *text = NULL;
	if ((uintptr_t)pthread_self() == recorder.main_thread) {
		snprintf(head->name, sizeof head->name, "Master thread");
		return;
	}
	if ((threading = PyImport_ImportModule("threading")) != NULL &&
	    (active = PyObject_GetAttrString(threading, "_active")) != NULL &&
	    (ident = PyLong_FromUnsignedLong(PyThread_get_thread_ident())) != NULL) {
		PyObject *thread = PyDict_GetItem(active, ident);
		name = thread == NULL ? NULL : PyObject_GetAttrString(thread, "_name");
		text = name == NULL ? NULL : PyUnicode_AsUTF8AndSize(name, NULL);
	}
	if (text != NULL)
		text_cut(head->name, snprintf(head->name, sizeof head->name, "%s", text) >=
		                             (int)sizeof head->name);
	else
		snprintf(head->name, sizeof head->name, "Thread %u", number);
	PyErr_Clear();
	Py_DecRef(name);
	Py_DecRef(ident);
	Py_DecRef(active);
	Py_DecRef(threading);
}

/* Maps the file of LOCATION with this ending, which is new. */
static struct store *open_store(const struct location *location, const char *ending, size_t size)
{
	char name[32];
	snprintf(name, sizeof name, "%u.%s", location->number, ending);
	struct store *store = store_new(recorder.folder, name);
	if (store != NULL && store_map(store, size) == 0)
		return store;
	int error = errno;
	store_close(store, SIZE_MAX);
	errno = error;
	return NULL;
}

static void close_files(struct location *location)
{
	size_t used = SIZE_MAX;
	if (location->latest != NULL) /* a zero ends the chunk */
		used = (size_t)((char *)(location->next + 1) - (char *)location->latest);
	store_close(location->head_store, SIZE_MAX);
	store_close(location->node_store, SIZE_MAX);
	store_close(location->latest_store, used);
	free(location->codes);
	location->head_store = location->node_store = location->latest_store = NULL;
	location->head = NULL;
	location->nodes = NULL;
	location->latest = NULL;
	location->codes = NULL;
}

/* Opens the files of LOCATION. Returns false and sets errno if that fails. */
static bool open_files(struct location *location)
{
	location->head_store = open_store(location, "location", HEAD_SIZE);
	if (location->head_store == NULL)
		return false;
	location->head = (struct recording_location *)(void *)location->head_store->at;
	location->frames = (struct recording_frame *)(void *)(location->head + 1);
	location->capacity =
	        (uint32_t)((HEAD_SIZE - sizeof *location->head) / sizeof *location->frames);
	location->codes =
	        calloc(location->capacity, sizeof *location->codes); /* NOLINT: pointers */
	if (location->codes == NULL)
		return false;
	if (recorder.order.profiling) {
		location->node_store = open_store(location, "nodes", NODES_SIZE);
		if (location->node_store == NULL)
			return false;
		location->nodes = (struct recording_node *)(void *)location->node_store->at;
		location->node_capacity = (uint32_t)(NODES_SIZE / sizeof *location->nodes);
		location->head->nodes = 1;
	}
	if (recorder.order.tracing && recorder.process->trace_error == 0) {
		location->latest_store = open_store(location, "latest", sizeof *location->latest);
		if (location->latest_store == NULL)
			return false;
		location->latest = (struct recording_latest *)(void *)location->latest_store->at;
		location->next = location->latest->words[0];
		location->end = location->next + RECORDING_CHUNK - 1;
		add_base(location, now_of(location));
	}
	return true;
}

/* Makes the files of a thread that is about to record for the first time. If that fails, the next call tries
 * again. */
RARE static bool location_open(struct location *location)
{
	location->number = recorder.location_count;
	if (!open_files(location)) {
		recorder_note_gap(errno);
		close_files(location);
		return false;
	}
	recorder.location_count++;
	location->is_busy = true;
	location->head->thread = (int32_t)syscall(SYS_gettid);
	name_thread(location->head, location->number);
	location->is_busy = false;
	return true;
}

/* ---- regions ---- */

RARE static bool frames_grow(struct location *location)
{
	size_t capacity = location->head_store->size * 2 / sizeof *location->frames;
	/* NOLINTNEXTLINE(bugprone-sizeof-expression): a list of pointers */
	PyObject **codes = realloc(location->codes, capacity * sizeof *codes);
	if (codes == NULL)
		return false;
	location->codes = codes;
	if (store_map(location->head_store, location->head_store->size * 2) != 0)
		return false;
	location->head = (struct recording_location *)(void *)location->head_store->at;
	location->frames = (struct recording_frame *)(void *)(location->head + 1);
	location->capacity = (uint32_t)((location->head_store->size - sizeof *location->head) /
	                                sizeof *location->frames);
	return true;
}

/* Counts a call that does not fit any more, and whose leave is skipped, too. */
RARE static void location_skip(struct location *location)
{
	if (location->skipped++ == 0)
		recorder_note_gap(errno);
}

void location_enter(struct location *location, uint32_t region, PyObject *code)
{
	if (!recorder.is_on || (location->head == NULL && !location_open(location)))
		return;
	uint32_t depth = location->head->depth;
	if (location->skipped > 0 || (depth == location->capacity && !frames_grow(location))) {
		location_skip(location);
		return;
	}
	uint64_t now = now_of(location);
	if (location->latest != NULL)
		add_event(location, RECORDING_ENTER, region, now);
	struct recording_frame *frame = &location->frames[depth];
	location->codes[depth] = code;
	frame->region = region;
	frame->enter = now;
	frame->node = location->nodes == NULL ? NO_NODE : enter_node(location, depth, region);
	keep_order();
	location->head->depth = depth + 1;
}

static inline void leave_top(struct location *location, uint64_t now)
{
	struct recording_location *head = location->head;
	const struct recording_frame *frame = &location->frames[head->depth - 1];
	if (location->latest != NULL)
		add_event(location, RECORDING_LEAVE, frame->region, now);
	if (location->nodes != NULL)
		leave_node(location, frame, now);
	head->ends = now;
	keep_order();
	head->depth--;
	if (head->depth == 0 && location->number == 0 && recorder.order.starts_with_main)
		hook_end_main(location);
}

void location_leave(struct location *location, uint32_t region)
{
	uint32_t at = location->head == NULL ? 0 : location->head->depth;
	if (location->skipped > 0 && at > 0) {
		location->skipped--;
		return;
	}
	while (at > 0 && location->frames[at - 1].region != region)
		at--;
	if (at == 0 || !recorder.is_on)
		return;
	uint64_t now = now_of(location);
	while (location->head->depth >= at)
		leave_top(location, now);
}

void location_leave_ended(struct location *location, PyObject *const *codes, size_t count)
{
	struct recording_location *head = location->head;
	uint32_t at = 0;
	for (size_t i = 0; head != NULL && at < head->depth; at++) {
		if (location->codes[at] == NULL) /* a user's region */
			continue;
		while (i < count && codes[i] != location->codes[at])
			i++;
		if (i == count)
			break;
		i++;
	}
	if (head == NULL || at == head->depth)
		return;
	uint64_t now = now_of(location);
	while (location->head->depth > at)
		leave_top(location, now);
}

/* The same as location_leave_code(), where CODE is not that of the region that was entered last. */
RARE static bool leave_below(struct location *location, PyObject *code)
{
	uint32_t region = region_known(code);
	if (region == REGION_UNRECORDED)
		return false;
	location_leave(location, region);
	return true;
}

bool location_leave_code(struct location *location, PyObject *code)
{
	if (location->head == NULL || location->head->depth == 0 || location->skipped > 0 ||
	    location->codes[location->head->depth - 1] != code)
		return leave_below(location, code);
	if (recorder.is_on)
		leave_top(location, now_of(location));
	return true;
}

/* ---- threads ---- */

static pthread_key_t ends;

void location_set_recording(struct location *location, bool records)
{
	if (records && !location->is_recording)
		recorder.recording_count++;
	else if (!records && location->is_recording)
		recorder.recording_count--;
	location->is_recording = records;
	if (location->head == NULL || !recorder.is_on)
		return;
	if (!records && location->head->depth > 0)
		location->head->ends = now_of(location);
	location->head->is_off = !records;
}

static void end_thread(void *data)
{
	struct location *location = data;
	if (location != location_here) /* of the process from which this one was forked */
		return;
	location_here = NULL;
	location_set_recording(location, false);
	close_files(location);
	free(location->children.entries);
	free(location);
}

static void make_key(void)
{
	pthread_key_create(&ends, end_thread);
}

struct location *location_get(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	if (location_here != NULL)
		return location_here;
	if (recorder.is_forked) {
		recorder.is_forked = false;
		recorder.main_thread = (uintptr_t)pthread_self();
		recorder.new_threads_record = recorder.fork_records;
		if (recorder_begin() != 0)
			recorder.is_on = false;
	}
	pthread_once(&once, make_key);
	struct location *location = recorder.process == NULL ? NULL : calloc(1, sizeof *location);
	if (location == NULL)
		return NULL;
	location_set_recording(location, recorder.new_threads_record);
	location_here = location;
	pthread_setspecific(ends, location);
	return location;
}

void location_flush(void)
{
	if (location_here == NULL)
		return;
	store_flush(location_here->head_store);
	store_flush(location_here->node_store);
	store_flush(location_here->latest_store);
}
