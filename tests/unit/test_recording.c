/* Recordings that are written here byte by byte, as the recorder or a kill leaves them: what is read of them. */
#include "folder_helpers.h"
#include "trace/recording_convert.h"
#include "trace/recording_read.h"

/* What a recording of one process and one thread has. Regions 1 and 2 are "m:a" and "m:b". */
struct made {
	bool profiling, tracing, is_incomplete, is_off;
	double ticks_per_nanosecond; /* 0: nanoseconds are recorded */
	const uint64_t *events;      /* words after the base of the latest chunk */
	size_t event_count;
	const struct recording_node *nodes; /* after node 0 */
	uint32_t node_count;
	uint32_t open; /* region that is open, entered at 100; 0: none */
	int trace_error;
};

static uint64_t event(uint64_t ticks, uint32_t region, enum recording_event kind)
{
	return ticks << RECORDING_TIME_SHIFT | (uint64_t)region << RECORDING_REGION_SHIFT | kind;
}

static void put(const char *name, const void *content, size_t size)
{
	write_file(in_folder(arena_printf(&arena, "recording/7/%s", name).ptr),
	           slice_make(content, size), 0600);
}

static void make(const struct made *made)
{
	static const char names[2][6] = {"m\0a\0f", "m\0b\0f"};
	double rate = made->ticks_per_nanosecond > 0 ? made->ticks_per_nanosecond : 1;
	struct recording_process process = {
	        .magic = RECORDING_MAGIC,
	        .host = "elsewhere",
	        .clock = made->ticks_per_nanosecond > 0 ? RECORDING_CLOCK_COUNTER
	                                                : RECORDING_CLOCK_NANOSECONDS,
	        .profiling = made->profiling,
	        .tracing = made->tracing,
	        .ended = made->open == 0,
	        .trace_error = made->trace_error,
	        .first = {.ticks = 0, .monotonic = 1000},
	        .seen = {{.ticks = (uint64_t)(1e9 * rate), .monotonic = 1000 + 1000000000}},
	};
	struct {
		struct recording_location head;
		struct recording_frame frame;
	} location = {.head = {.name = "main",
	                       .depth = made->open != 0,
	                       .nodes = made->node_count + 1,
	                       .is_off = made->is_off,
	                       .ends = 400},
	              .frame = {.region = made->open, .enter = 100}};
	struct recording_node nodes[8] = {0};
	struct recording_latest *latest = arena_calloc(&arena, 1, sizeof *latest);
	char regions[2 * (sizeof(struct recording_region) + 6)];
	(void)mkdir(in_folder("recording"), 0700);
	(void)mkdir(in_folder("recording/7"), 0700);
	for (uint32_t i = 0; i < 2; i++) {
		char *at = regions + i * sizeof regions / 2;
		const struct recording_region region = {.size = sizeof regions / 2, .line = i + 1};
		memcpy(at, &region, sizeof region);
		memcpy(at + sizeof region, names[i], 6);
	}
	if (made->is_incomplete)
		process.magic[0] = '\0';
	latest->words[0][0] = RECORDING_BASE;
	if (made->event_count > 0)
		memcpy(latest->words[0] + 2, made->events,
		       made->event_count * sizeof *made->events);
	if (made->node_count > 0)
		memcpy(nodes + 1, made->nodes, made->node_count * sizeof *nodes);
	put("process", &process, sizeof process);
	put("regions", regions, sizeof regions);
	put("0.location", &location, sizeof location);
	if (made->profiling)
		put("0.nodes", nodes, (made->node_count + 1) * sizeof *nodes);
	if (made->tracing)
		put("0.latest", latest, sizeof *latest);
}

static int add_event(void *data, enum recording_event kind, uint32_t region, uint64_t time)
{
	strbuf_printf(data, "%c%u@%llu ", kind == RECORDING_ENTER ? '+' : '-', region,
	              (unsigned long long)time);
	return 0;
}

/* The events as "+0@110 ": an enter of the measurement's region 0. */
static void assert_events(const struct made *made, const char *expected)
{
	struct recording recording;
	make(made);
	struct strbuf text = {.arena = &arena};
	assert_int_equal(recording_read(&recording, &arena, slice_from(folder)), 0);
	assert_int_equal(recording.measurement.locations.count, 1);
	assert_int_equal(recording_events(&recording, 0, add_event, &text), 0);
	assert_string_equal(arena_cstr(&arena, strbuf_slice(&text)), expected);
}

static void test_events(void **state)
{
	const uint64_t nested[] = {event(110, 1, RECORDING_ENTER), event(120, 2, RECORDING_ENTER),
	                           event(130, 2, RECORDING_LEAVE), event(140, 1, RECORDING_LEAVE)};
	const uint64_t lone[] = {event(110, 2, RECORDING_LEAVE), event(120, 1, RECORDING_ENTER),
	                         event(125, 3, RECORDING_ENTER), event(130, 1, RECORDING_LEAVE)};
	const uint64_t moved[] = {event(110, 1, RECORDING_ENTER), RECORDING_BASE, 200,
	                          event(30, 1, RECORDING_LEAVE)};
	assert_events(&(struct made){.tracing = true, .events = nested, .event_count = 4},
	              "+0@1110 +1@1120 -1@1130 -0@1140 ");
	assert_events(&(struct made){.tracing = true, .events = lone, .event_count = 4},
	              "+0@1120 -0@1130 ");
	assert_events(&(struct made){.tracing = true, .events = moved, .event_count = 4},
	              "+0@1110 -0@1230 ");
	/* 4 ticks a nanosecond */
	assert_events(&(struct made){.tracing = true,
	                             .events = nested,
	                             .event_count = 4,
	                             .ticks_per_nanosecond = 4},
	              "+0@1027 +1@1030 -1@1032 -0@1035 ");
}

static void test_killed(void **state)
{
	const uint64_t open[] = {event(110, 1, RECORDING_ENTER), event(120, 2, RECORDING_ENTER)};
	struct made made = {.tracing = true, .events = open, .event_count = 2, .open = 1};
	assert_events(&made, "+0@1110 +1@1120 -1@1000001000 -0@1000001000 ");
	made.is_off = true;
	assert_events(&made, "+0@1110 +1@1120 -1@1400 -0@1400 ");
	made.trace_error = RECORDING_LIMIT;
	assert_events(&made, "+0@1110 +1@1120 -1@1120 -0@1120 ");
}

static void test_profile(void **state)
{
	const struct recording_node nodes[] = {
	        {.region = 1, .visits = 2, .time = 50, .min = 20, .max = 30},
	        {.region = 2, .parent = 1, .visits = 1, .time = 5, .min = 5, .max = 5}};
	const struct made made = {.profiling = true, .nodes = nodes, .node_count = 2};
	struct recording recording;
	make(&made);
	assert_int_equal(recording_read(&recording, &arena, slice_from(folder)), 0);
	uint32_t outer = PATH_COUNT, inner = PATH_COUNT + 1;
	assert_int_equal(recording.measurement.paths.items[inner].parent, outer);
	struct measured_time time =
	        measurement_time(&recording.measurement.locations.items[0], inner);
	assert_int_equal(recording.measurement.paths.count, PATH_COUNT + 2);
	assert_int_equal(time.visits, 1);
	assert_int_equal(time.total, 5);
	time = measurement_time(&recording.measurement.locations.items[0], outer);
	assert_int_equal(time.visits, 2);
	assert_int_equal(time.total, 50);
	assert_int_equal(time.min, 20);
	assert_int_equal(time.max, 30);
}

static void test_conversion(void **state)
{
	const struct recording_node nodes[] = {
	        {.region = 1, .visits = 1, .time = 50, .min = 50, .max = 50}};
	struct made made = {
	        .profiling = true, .nodes = nodes, .node_count = 1, .is_incomplete = true};
	struct conversion conversion;
	const char *problem;
	make(&made); /* killed before its file was complete */
	assert_int_equal(recording_convert(&conversion, &arena, folder, &problem), CONVERSION_NONE);
	assert_true(recording_exists(&arena, slice_from(folder)));
	made.is_incomplete = false;
	make(&made);
	assert_int_equal(recording_convert(&conversion, &arena, folder, &problem), CONVERSION_DONE);
	assert_true(conversion.recording.profiling);
	assert_false(conversion.recording.tracing);
	assert_false(recording_exists(&arena, slice_from(folder)));
	assert_int_equal(recording_convert(&conversion, &arena, folder, &problem), CONVERSION_NONE);
}

RUN(TEST(test_events), TEST(test_killed), TEST(test_profile), TEST(test_conversion))
