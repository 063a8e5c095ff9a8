/* report: each rule of the diagnosis, at its threshold and beyond. A run of 10 s with one cell of 10 s, on four processors. */
#include <math.h>
#include <signal.h>

#include "report/rules.h"
#include "sample/series_write.h"
#include "trace/series_read.h"
#include "unit.h"

static const double megabyte = 1024.0 * 1024.0;
static const uint64_t second = 1000000000;

enum { PATHS_MAX = 64 };

static struct arena arena;
static struct measurement m;
static struct profile profile;
static struct report samples;
static struct report_run run;
static struct script_cell *lines;
static struct figures *figures; /* of the cell */

/* Functions of the one location; a child has another one. */
enum { CELL = PATH_COUNT, STEP };

static struct profile_cell *cell(void)
{
	return &profile.cells.items[0];
}

static void add_process(bool is_child)
{
	const struct measured_process process = {.is_child = is_child,
	                                         .first_location = (uint32_t)m.locations.count,
	                                         .location_count = 1};
	const struct measured_location location = {.process = (uint32_t)m.processes.count};
	vec_push(&arena, &m.processes, process);
	vec_push(&arena, &m.locations, location);
}

static uint32_t add_path(uint32_t parent, const char *module, const char *name,
                         enum region_kind kind)
{
	const struct measured_region region = {
	        .module = slice_from(module), .name = slice_from(name), .kind = kind};
	return measurement_add_path(&m, parent, measurement_add_region(&m, &region));
}

static void add_time(size_t location, uint32_t path, uint64_t visits, double seconds)
{
	const struct measured_time time = {visits, (uint64_t)(seconds * 1e9), 1, 1};
	measurement_add_time(&m, &m.locations.items[location], path, &time);
}

/* A row of samples: cell NUMBER with its peak, and by how much its memory changed, in MB. */
static void add_row(unsigned number, double peak, double change, const char *state)
{
	struct report_row row = {.number = number, .state = slice_from(state)};
	row.figures.memory_peak = peak * megabyte;
	row.figures.memory_change = change * megabyte;
	row.figures.gauges[METRIC_PROCESSES].max = 1;
	vec_push(&arena, &samples.rows, row);
}

static int set_up(void **state)
{
	static struct report_node node;
	arena_init(&arena, NULL);
	measurement_init(&m, &arena);
	profile = (struct profile){
	        .arena = &arena, .measurement = &m, .samples = &samples, .seconds = 10, .ranks = 1};
	profile.selection.rank = profile.selection.thread = -1;
	profile.sums = arena_calloc(&arena, PATHS_MAX, sizeof *profile.sums);
	add_process(false);
	add_path(PATH_PROGRAM, "user", "cell 1", REGION_CELL);
	add_path(CELL, "__main__", "step", REGION_FUNCTION);
	add_time(0, CELL, 1, 10);
	struct profile_cell only = {.cell = SLICE("1"),
	                            .title = SLICE("cell 1"),
	                            .seconds = 10,
	                            .seconds_max = 10,
	                            .threads = NAN};
	for (size_t i = 0; i < TIME_KIND_COUNT; i++)
		only.share[i] = NAN;
	only.efficiency = (struct profile_efficiency){NAN, NAN, NAN};
	vec_push(&arena, &profile.cells, only);
	struct report_row *row = arena_calloc(&arena, 1, sizeof *row);
	row->stretch.to = 10 * (int64_t)second;
	cell()->samples = row;
	figures = &row->figures;
	samples = (struct report){.arena = &arena, .run = &run, .lead = &node, .cpus = 4};
	run = (struct report_run){0};
	node = (struct report_node){0};
	for (size_t i = 0; i < METRIC_COUNT; i++) {
		figures->grown[i] = samples.figures.grown[i] = NAN;
		figures->gauges[i] = samples.figures.gauges[i] = (struct spread){NAN, NAN, NAN, 0};
	}
	figures->seconds = samples.figures.seconds = 10;
	figures->core_seconds = samples.figures.core_seconds = 10;
	samples.oom_kills = samples.peak = NAN;
	vec_push(&arena, &run.nodes, node);
	samples.lead = &run.nodes.items[0];
	struct script_cell before = {0}, own = {.name = SLICE("cell 1")};
	const struct cell_line line = {.number = 2};
	vec_push(&arena, &own.lines, line);
	profile.lines = (struct script_cells){.arena = &arena};
	vec_push(&arena, &profile.lines.list, before);
	vec_push(&arena, &profile.lines.list, own);
	const struct script_part part = {.name = SLICE("cell 1")};
	vec_push(&arena, &profile.lines.parts, part);
	vec_push(&arena, &profile.lines.script, SLICE("# cell 1"));
	vec_push(&arena, &profile.lines.script, SLICE("work()"));
	lines = &profile.lines.list.items[1];
	return 0;
}

static int tear_down(void **state)
{
	arena_release(&arena);
	return 0;
}

/* The node's four processors are busy for BUSY seconds each. */
static void set_node(double busy)
{
	static const struct series_column_kind columns[] = {{METRIC_CORE_CPU, 0},
	                                                    {METRIC_CORE_CPU, 1},
	                                                    {METRIC_CORE_CPU, 2},
	                                                    {METRIC_CORE_CPU, 3}};
	const struct series_head head = {.interval = (int64_t)second, .cpus = 4};
	struct series_writer writer;
	struct slice problem;
	series_write_head(&writer, &arena, &head);
	series_write_group(&writer, SLICE("s"), LEVEL_SYSTEM, columns, COUNT(columns));
	for (int64_t i = 0; i < 2; i++) {
		const int64_t at = i * 10 * (int64_t)second,
		              cpu = (int64_t)((double)i * busy * 1e9);
		const struct series_time time = {at, at, 0};
		const int64_t values[] = {cpu, cpu, cpu, cpu};
		series_write_sample(&writer, 0, &time, values);
	}
	assert_int_equal(series_read(&arena, strbuf_slice(&writer.out), &run.nodes.items[0].series,
	                             &problem),
	                 0);
}

/* Seconds of the cell's line: all, on a processor, of that in C code. */
static void set_line(double total, double cpu, double native)
{
	const struct line_time time = {(uint64_t)(total * 1e9), (uint64_t)(cpu * 1e9),
	                               (uint64_t)(native * 1e9), 0, 0};
	lines->time = lines->lines.items[0].time = time;
}

/* Line 2 computes in Python, line 3 in C code, line 4 waits for a processor, line 5 is idle, line 6 imports. */
static void set_lines(void)
{
	static const char *const texts[] = {"loop()", "a @ b", "late()", "sleep(3)",
	                                    "import numpy"};
	static const struct line_time times[] = {{8, 8, 1, 0, 0},
	                                         {9, 9, 9, 0, 0},
	                                         {9, 1, 0, 8, 0},
	                                         {6, 0, 0, 0, 0},
	                                         {5, 3, 0, 0, 0}};
	lines->lines.count = profile.lines.script.count = 0;
	vec_push(&arena, &profile.lines.script, SLICE("# cell 1"));
	for (uint32_t i = 0; i < COUNT(texts); i++) {
		const struct cell_line line = {.number = i + 2, .time = times[i]};
		vec_push(&arena, &lines->lines, line);
		vec_push(&arena, &profile.lines.script, slice_from(texts[i]));
	}
}

static const struct finding *find(const char *name)
{
	static finding_list found;
	found = (finding_list){0};
	diagnosis_make(&found, &profile);
	for (size_t i = 0; i < found.count; i++) {
		if (slice_eq(found.items[i].name, slice_from(name)))
			return &found.items[i];
	}
	return NULL;
}

static void assert_saves(const char *name, double seconds)
{
	const struct finding *found = find(name);
	if (found == NULL)
		fail_msg("there is no %s", name);
	if (!(fabs(found->seconds - seconds) < 1e-6))
		fail_msg("%s saves %g s, not %g", name, found->seconds, seconds);
	assert_true(found->evidence.len > 0 && found->advice.len > 0);
}

static void assert_says(const char *name, const char *evidence)
{
	const struct finding *found = find(name);
	assert_non_null(found);
	assert_text(found->evidence, evidence);
}

static void assert_found(const char *name, double seconds, const char *evidence)
{
	assert_saves(name, seconds);
	assert_says(name, evidence);
}

static void assert_absent(const char *name)
{
	if (find(name) != NULL)
		fail_msg("%s is found", name);
}

static void set_ranks(size_t count, double balance, double communication)
{
	profile.ranks = count;
	cell()->efficiency =
	        (struct profile_efficiency){balance * communication, balance, communication};
}

static void test_ranks(void **state)
{
	set_ranks(4, 0.85, 0.9);
	assert_found("load-imbalance", 0.9 * 10 * 0.15,
	             "the rank with most work computes for 9.0 s, the mean is 7.6 "
	             "s (load balance 0.85); the others wait in MPI");
	set_ranks(4, 0.86, 0.9);
	assert_absent("load-imbalance");
	set_ranks(4, 0.27, 0.9); /* 1.08 of one of four */
	assert_found("serial-rank", 0.9 * 10 * 0.73,
	             "one of 4 ranks works for 9.0 s, and the others wait in MPI");
	assert_absent("load-imbalance");
	set_ranks(4, 0.28, 0.9);
	assert_absent("serial-rank");
}

static void test_messages(void **state)
{
	set_ranks(2, 1, 0.9);
	add_process(false);
	uint32_t send = add_path(CELL, "", "MPI_Send", REGION_MPI_MESSAGE);
	add_time(0, send, 2000, 2);
	add_time(1, send, 2000, 3);
	assert_absent("small-messages"); /* 1000 us each */
	m.locations.items[0].times.items[send] = (struct measured_time){0};
	add_time(0, send, 20000, 2); /* the rank that waits the least */
	add_time(1, send, 20000, 3);
	assert_found("small-messages", 2 + 21000e-6,
	             "each rank calls MPI 21000 times for small messages, which "
	             "takes at least 2.0 s, 96 us each");
	/* --rank=0 */
	set_ranks(1, NAN, NAN);
	profile.selection.rank = 0;
	assert_saves("small-messages", 2 + 20000e-6);
	set_ranks(2, 1, 0.9);
	profile.selection.rank = -1;
	/* What does not lie below the cell is none of it. */
	uint32_t other = add_path(PATH_PROGRAM, "", "MPI_Recv", REGION_MPI_MESSAGE);
	add_time(0, other, 20000, 3);
	add_time(1, other, 20000, 3);
	assert_saves("small-messages", 2 + 21000e-6);
	m.locations.items[0].times.items[send].visits = 1000;
	m.locations.items[1].times.items[send].visits = 1000;
	assert_absent("small-messages");
}

static void test_cell_numbers(void **state)
{
	uint64_t number = 0;
	assert_true(measurement_cell_number(SLICE("cell 12"), &number));
	assert_int_equal(number, 12);
	assert_false(measurement_cell_number(SLICE("other.ipynb cell 2"), &number));
	assert_false(measurement_cell_number(SLICE("cell 2 line 4"), &number));
}

static void test_overhead(void **state)
{
	add_time(0, STEP, 20000000, 5);
	assert_saves("measurement-overhead", (2 * 20000000 + 2) * 75e-9);
	assert_text(find("measurement-overhead")->place, "__main__:step");
	assert_says("measurement-overhead", "recording 20.0 million calls takes about 3.0 of 10.0 "
	                                    "s; 100 % of them are of this function");
	m.locations.items[0].times.items[STEP].visits = 19000000;
	assert_absent("measurement-overhead");
}

static void test_imports(void **state)
{
	cell()->share[TIME_IMPORT] = 25;
	assert_found("import", 2.5, "imports take 2.5 of 10.0 s");
	add_time(0, add_path(CELL, "pandas.core", "<module>", REGION_FUNCTION), 1, 2);
	add_time(0, add_path(CELL, "numpy", "<module>", REGION_FUNCTION), 1, 1.9);
	add_time(0, add_path(CELL, "scipy", "<module>", REGION_FUNCTION), 1, 2);
	add_time(0, add_path(CELL, "__main__", "<module>", REGION_FUNCTION), 1, 9);
	add_time(0, add_path(CELL, "mine", "load", REGION_FUNCTION), 1, 9);
	profile.sums = m.locations.items[0].times.items;
	assert_says("import", "imports take 2.5 of 10.0 s; most of it is for 'pandas'");
	cell()->share[TIME_IMPORT] = 24.9;
	assert_absent("import");
	/* On a busy node, of the time on a processor. */
	cell()->share[TIME_DELAY] = 20;
	assert_says("import", "imports take 2.5 of 8.0 s; most of it is for 'pandas'");
}

static void test_python(void **state)
{
	set_line(10, 8, 2);
	assert_saves("python-loop", 6 * 0.9);
	assert_text(find("python-loop")->place, "line 2: work()");
	assert_says("python-loop",
	            "6.0 of 10.0 s are spent in Python's interpreter, not in C code");
	set_line(10, 8, 2.1);
	assert_absent("python-loop");
	set_line(10, 8, 2);
	lines->lines.items[0].time.cpu /= 4;
	lines->lines.items[0].time.native /= 4;
	assert_true(
	        slice_ends_with(find("python-loop")->evidence, SLICE("; 25 % of it in this line")));
	lines->lines.items[0].time.cpu = lines->lines.items[0].time.native;
	assert_text(find("python-loop")->place, "");
}

static void test_places(void **state)
{
	static const struct {
		enum line_kind kind;
		const char *place;
	} rows[] = {{LINE_ANY, "line 3: a @ b"},
	            {LINE_PYTHON, "line 2: loop()"},
	            {LINE_IDLE, "line 5: sleep(3)"},
	            {LINE_IMPORT, "line 6: import numpy"}};
	set_lines();
	const struct subject s = {.profile = &profile, .lines = lines};
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct finding finding = {0};
		name_line(&s, rows[i].kind, &finding);
		assert_text(finding.place, rows[i].place);
	}
	struct finding finding = {0};
	lines->lines.count = 0;
	name_line(&s, LINE_ANY, &finding);
	assert_text(finding.place, "");
}

static void test_threads(void **state)
{
	cell()->share[TIME_WAIT] = 50;
	const struct measured_location thread = {.process = 0, .number = 1};
	vec_push(&arena, &m.locations, thread);
	add_time(1, PATH_THREADS, 1, 7.5);
	assert_found("gil", 2.5,
	             "several threads run Python code for 7.5 s together, but use 1.0 "
	             "processors at a time: only one at a time has the interpreter's lock");
	figures->core_seconds = 6;
	assert_absent("gil");
	figures->core_seconds = 13;
	assert_absent("gil");
	figures->core_seconds = 12.9;
	assert_saves("gil", 2.5);
	/* Others use the rest. */
	set_node(8.8);
	assert_absent("gil");
	set_node(8.7);
	assert_saves("gil", 2.5);
	m.locations.items[1].times.items[PATH_THREADS].total = 74 * second / 10;
	assert_absent("gil");
	/* A trace knows when they ran. */
	cell()->threads = 7.5;
	assert_saves("gil", 2.5);
	cell()->threads = 7.4;
	assert_absent("gil");
	/* The main one waits for the lock, too. */
	cell()->share[TIME_WAIT] = 40;
	cell()->share[TIME_LOCK] = 10;
	cell()->threads = 7.5;
	assert_saves("gil", 2.5);
	cell()->share[TIME_LOCK] = NAN;
	cell()->share[TIME_WAIT] = 50;
	cell()->threads = 7.4;
	/* Without threads it only waits. */
	figures->core_seconds = 5;
	assert_found("waiting", 5, "5.0 of 10.0 s are spent waiting, without work for a processor");
	figures->core_seconds = 5.1;
	assert_absent("waiting");
	figures->core_seconds = 5;
	cell()->share[TIME_WAIT] = 49;
	assert_absent("waiting");
}

static void test_waits_for_children(void **state)
{
	cell()->share[TIME_CHILDREN] = 60;
	figures->core_seconds = 12;
	assert_found("waiting", 6, "6.0 of 10.0 s are spent waiting for other processes");
	figures->core_seconds = 12.1;
	assert_absent("waiting");
}

static void test_pool(void **state)
{
	cell()->share[TIME_WAIT] = 25;
	for (size_t i = 0; i < 2; i++)
		add_process(true);
	uint32_t work = add_path(PATH_PROGRAM, "mine", "work", REGION_FUNCTION);
	profile.kinds = arena_calloc(&arena, m.paths.count, sizeof *profile.kinds);
	add_time(1, work, 1, 5);
	add_time(2, work, 1, 5);
	assert_found("process-pool", 5,
	             "2 processes compute for 10.0 s in all, while this one takes 10.0 s to start "
	             "them, to send them data, and to wait for them");
	/* It is also why the program waits outside of cells. */
	struct profile_cell outside = *cell();
	outside.cell = slice_make("", 0);
	outside.title = SLICE("outside of cells");
	outside.samples = NULL;
	outside.share[TIME_WAIT] = 80;
	vec_push(&arena, &profile.cells, outside);
	assert_absent("waiting");
	cell()->share[TIME_WAIT] = 24.9;
	assert_absent("process-pool");
	assert_saves("waiting", 8);
	profile.cells.count = 1;
	/* A pool may live while another cell sleeps. */
	cell()->share[TIME_WAIT] = 0;
	cell()->share[TIME_IDLE] = 60;
	assert_absent("process-pool");
	cell()->share[TIME_IDLE] = NAN;
	cell()->share[TIME_WAIT] = 25;
	/* One of them ended before the cell began. */
	const struct measured_visit visit = {.path = CELL, .begin = 1000, .end = 2000};
	vec_push(&arena, &m.processes.items[0].visits, visit);
	m.processes.items[1].begin = m.processes.items[2].begin = 1;
	m.processes.items[1].end = 1001;
	m.processes.items[2].end = 1000;
	assert_absent("process-pool");
	m.processes.items[2].end = 1001;
	assert_saves("process-pool", 5);
	m.processes.items[2].begin = 2000;
	m.processes.items[2].end = 3000;
	assert_absent("process-pool");
	m.processes.items[2].begin = 1999;
	assert_saves("process-pool", 5);
	/* It is not its own threads that use the processor. */
	const struct measured_location thread = {.process = 0, .number = 1};
	vec_push(&arena, &m.locations, thread);
	add_time(3, PATH_THREADS, 1, 7.5);
	cell()->share[TIME_WAIT] = 50;
	assert_absent("gil");
	figures->core_seconds = 20;
	assert_saves("gil", 2.5);
	figures->core_seconds = 10;
	add_time(2, work, 1, 0.1);
	assert_absent("process-pool");
}

static void test_oversubscription(void **state)
{
	figures->core_seconds = 29;
	figures->gauges[METRIC_PROCESSES].max = 1;
	figures->gauges[METRIC_THREADS].max = 11; /* but two: nine */
	assert_found("oversubscription", 3, "11 threads share 4 processors, which are busy");
	figures->gauges[METRIC_THREADS].max = 10;
	assert_absent("oversubscription");
	figures->gauges[METRIC_PROCESSES].max = 10;
	assert_says("oversubscription",
	            "10 threads in 10 processes share 4 processors, which are busy");
	figures->gauges[METRIC_PROCESSES].max = 9;
	assert_absent("oversubscription");
	figures->gauges[METRIC_PROCESSES].max = 1;
	/* A rank has threads of MPI, too. */
	figures->gauges[METRIC_THREADS].max = 14;
	profile.ranks = 2;
	assert_absent("oversubscription");
	figures->gauges[METRIC_THREADS].max = 15;
	assert_saves("oversubscription", 3);
	profile.ranks = 1;
	figures->gauges[METRIC_THREADS].max = 11;
	figures->core_seconds = 28;
	assert_absent("oversubscription");
}

static void test_busy_node(void **state)
{
	cell()->share[TIME_DELAY] = 10;
	assert_found("busy-node", 1,
	             "for 1.0 of 10.0 s it waited for a processor that other programs used");
	samples.figures.core_seconds = 33;
	assert_absent("busy-node");
	samples.figures.core_seconds = 10;
	cell()->share[TIME_DELAY] = 9.9;
	assert_absent("busy-node");
}

static void test_idle_cores(void **state)
{
	set_line(10, 9, 7);
	assert_found(
	        "idle-cores", 7 * 0.75,
	        "7.0 of the run's 10.0 s are spent in C code of one line, on one of 4 processors");
	samples.cpus = 1;
	assert_absent("idle-cores");
	samples.cpus = 4;
	set_line(10, 9, 6.9);
	assert_absent("idle-cores");
	set_line(10, 9, 7);
	set_node(8.8);
	assert_absent("idle-cores");
	set_node(8.7);
	assert_saves("idle-cores", 7 * 0.75);
	figures->core_seconds = 13;
	assert_absent("idle-cores");
}

/* A fault takes a tenth of a microsecond at least, and one of a cell cannot take longer than the cell. */
static void test_page_faults(void **state)
{
	figures->memory = (struct spread){1, 0, 1, 2};
	figures->memory_peak = 0;
	figures->grown[METRIC_MINOR_FAULTS] = 1e9;
	assert_saves("page-faults", 10);
	figures->memory_peak = 4096.0 * (1e9 - 200000 + 1);
	assert_absent("page-faults");
	figures->memory.min = 4096.0 * 1e9;
	assert_saves("page-faults", 10);
	figures->grown[METRIC_MINOR_FAULTS] = 199999;
	assert_absent("page-faults");
}

static void test_files(void **state)
{
	cell()->share[TIME_IDLE] = 25;
	figures->grown[METRIC_WRITE_CALLS] = 200;
	figures->grown[METRIC_WRITE_CHARS] = 200 * 65536.0;
	figures->grown[METRIC_WRITE_BYTES] = 100 * 4096.0;
	assert_found("sync-io", 2.5,
	             "200 writes of 65536 bytes each, and 2.5 of 10.0 s without work for "
	             "a processor: they wait for the disk");
	figures->grown[METRIC_WRITE_BYTES] = 99 * 4096.0;
	assert_absent("sync-io");
	figures->grown[METRIC_WRITE_BYTES] = 100 * 4096.0;
	figures->grown[METRIC_WRITE_CHARS] += 200;
	assert_absent("sync-io");
	figures->grown[METRIC_WRITE_CALLS] = 50000;
	figures->grown[METRIC_WRITE_CHARS] = 50000 * 4096.0;
	cell()->share[TIME_IDLE] = 20;
	assert_found("small-io", 0.8 * 2, "50000 calls read or write 4096 bytes each");
	cell()->share[TIME_NATIVE] = 10;
	assert_saves("small-io", 0.8 * 3);
	cell()->share[TIME_NATIVE] = cell()->share[TIME_IDLE] = 0;
	figures->grown[METRIC_WRITE_CALLS] = 500000;
	assert_saves("small-io", 0.75);
	figures->grown[METRIC_READ_CALLS] = 40000;
	figures->grown[METRIC_WRITE_CALLS] = 10000;
	figures->grown[METRIC_READ_CHARS] = figures->grown[METRIC_WRITE_CHARS];
	figures->grown[METRIC_WRITE_CHARS] = 0;
	cell()->share[TIME_IDLE] = 20;
	assert_saves("small-io", 0.8 * 2);
	figures->grown[METRIC_WRITE_CHARS] = figures->grown[METRIC_READ_CHARS];
	figures->grown[METRIC_READ_CHARS] = figures->grown[METRIC_READ_CALLS] = 0;
	figures->grown[METRIC_WRITE_CALLS] = 50000;
	figures->grown[METRIC_WRITE_CHARS] += 50000;
	assert_absent("small-io");
	figures->grown[METRIC_WRITE_CHARS] = 0;
	figures->grown[METRIC_WRITE_CALLS] = 49999;
	assert_absent("small-io");
}

static void test_memory(void **state)
{
	samples.figures.memory_peak = 200 * megabyte;
	for (unsigned i = 1; i <= 4; i++)
		add_row(i, 25 * i, 25, "done");
	const struct finding *leak = find("leak");
	assert_non_null(leak);
	assert_true(fabs(leak->gain - 0.4) < 1e-9);
	assert_says("leak", "memory grows in 4 cells, from cell 1 on, by 100 MB, and is not freed; "
	                    "the peak is 200 MB");
	/* 16 MB more or less are no change of note; what a cell frees counts against it. */
	add_row(5, 116, 16, "done");
	add_row(6, 100, -16, "done");
	add_row(7, 200, 30, "done");
	assert_says("leak", "memory grows in 5 cells, from cell 1 on, by 130 MB, and is not freed; "
	                    "the peak is 200 MB");
	add_row(8, 130, -29, "done");
	assert_says("leak", "memory grows in 5 cells, from cell 1 on, by 101 MB, and is not freed; "
	                    "the peak is 200 MB");
	add_row(9, 130, -17, "done");
	assert_absent("leak");
	samples.rows.count = 3;
	samples.rows.items[2].figures.memory_change = 90 * megabyte;
	assert_absent("leak");
	samples.rows.items[2].figures.memory_change = 25 * megabyte;
	add_row(4, 100, 25, "done");
	samples.figures.memory_peak = 201 * megabyte;
	assert_absent("leak");
	samples.rows.count = 0;
	add_row(1, 80, 0, "done");
	add_row(2, 200, 10, "done");
	add_row(3, 79, 0, "done");
	const struct finding *peak = find("memory-peak");
	assert_non_null(peak);
	assert_text(peak->cell, "cell 2");
	assert_says("memory-peak",
	            "this cell needs 200 MB for a short time, the others at most 80 MB");
	assert_true(fabs(peak->gain - 0.3) < 1e-9);
	samples.rows.count = 2;
	assert_absent("memory-peak");
	samples.rows.count = 3;
	samples.rows.items[1].figures.gauges[METRIC_PROCESSES].max = 2;
	assert_absent("memory-peak");
	samples.rows.items[1].figures.gauges[METRIC_PROCESSES].max = 1;
	samples.rows.items[1].figures.memory_peak = 199 * megabyte;
	assert_absent("memory-peak");
	samples.rows.items[1].figures.memory_peak = 200 * megabyte;
	samples.rows.items[1].figures.memory_change = 60 * megabyte;
	assert_absent("memory-peak");
}

static void test_killed(void **state)
{
	add_row(4, 400, 0, "unfinished");
	struct series_end *end = &run.nodes.items[0].series.end;
	samples.memory = 500 * megabyte;
	samples.peak = 400 * megabyte;
	end->known = true;
	end->status = SIGKILL;
	const struct finding *killed = find("out-of-memory");
	assert_non_null(killed);
	assert_text(killed->cell, "cell 4");
	assert_says("out-of-memory", "the program was killed by SIGKILL, probably for lack of "
	                             "memory: it had 400 MB of 500 MB");
	samples.peak = 399 * megabyte;
	assert_absent("out-of-memory");
	end->status = 0;
	assert_absent("out-of-memory");
	samples.peak = 450 * megabyte;
	assert_says("memory-limit", "at its peak it has 450 MB of 500 MB");
	samples.oom_kills = 1;
	assert_absent("memory-limit");
	assert_says("out-of-memory", "the kernel killed the program, or one that it had started, "
	                             "for lack of memory: it had 450 MB of 500 MB");
	samples.rows.count = 0; /* between cells */
	assert_text(find("out-of-memory")->cell, "");
	samples.oom_kills = NAN;
	samples.peak = 449 * megabyte;
	assert_absent("memory-limit");
}

static void test_swapping(void **state)
{
	cell()->share[TIME_IDLE] = 25;
	figures->grown[METRIC_MAJOR_FAULTS] = 1000;
	assert_found("swapping", 2.5,
	             "1000 times it waits until storage has read a page of memory that "
	             "was swapped out, or of a file that is mapped: 2.5 of 10.0 s");
	figures->grown[METRIC_MAJOR_FAULTS] = 999;
	assert_absent("swapping");
	figures->grown[METRIC_MAJOR_FAULTS] = 1000;
	cell()->share[TIME_IDLE] = 24.9;
	assert_absent("swapping");
}

static void test_request(void **state)
{
	struct series_head *head = &run.nodes.items[0].series.head;
	head->job = SLICE("4711");
	head->memory_limit = 5000LL << 20;
	samples.memory = 5000 * megabyte;
	samples.peak = 800 * megabyte;
	samples.request = 1000u << 20;
	assert_says("memory-request", "the job may have 5000 MB of memory and uses at most 800 MB; "
	                              "--mem=1000M is enough");
	samples.memory = 4999 * megabyte;
	assert_absent("memory-request");
	samples.memory = 5000 * megabyte;
	samples.figures.cpu.max = 25;
	assert_says("core-request", "the job may use 4 processors and uses at most 1.0 at a time");
	samples.figures.cpu.max = 25.1;
	assert_absent("core-request");
	samples.figures.cpu.max = 25;
	head->job = SLICE("");
	assert_absent("core-request");
	assert_absent("memory-request");
}

static void test_frequency(void **state)
{
	struct series_head *head = &run.nodes.items[0].series.head;
	head->frequency = 3000000;
	head->frequency_limit = 1500000;
	samples.figures.core_seconds = 20;
	assert_found("frequency", 5,
	             "the processors may have 1.5 GHz at most; without turbo they have 3.0 GHz");
	samples.figures.core_seconds = 5; /* half a processor */
	assert_saves("frequency", 2.5);
	samples.figures.core_seconds = 4.9;
	assert_absent("frequency");
	samples.figures.core_seconds = 10;
	head->frequency_limit = 2700001;
	assert_absent("frequency");
	head->frequency_limit = 2700000;
	assert_saves("frequency", 1);
	head->frequency_limit = 0;
	assert_absent("frequency");
}

static void test_flush(void **state)
{
	uint32_t flush = add_path(CELL, "", "TRACE BUFFER FLUSH", REGION_FLUSH);
	m.regions.items[m.paths.items[flush].region].kind = REGION_FLUSH;
	add_time(0, flush, 3, 0.5);
	assert_found("trace-buffer", 0.5,
	             "the trace buffer was full, and writing it took 0.5 s; "
	             "with SCOREP_TOTAL_MEMORY=5M it would not be");
	profile.selection.thread = 1;
	assert_absent("trace-buffer");
	profile.selection.thread = -1;
	m.locations.items[0].times.items[flush].total = 19 * second / 100;
	assert_absent("trace-buffer");
}

/* Less than a twentieth of the run, or than 0.2 s, is not worth a reader's time. */
static void test_what_is_too_little(void **state)
{
	cell()->share[TIME_WAIT] = 60;
	figures->core_seconds = 1;
	profile.seconds = 121;
	assert_absent("waiting");
	profile.seconds = 119;
	assert_saves("waiting", 6);
	profile.seconds = cell()->seconds = 0.3;
	assert_absent("waiting");
}

/* The most that can be saved comes first; what another finding of the cell explains is left out. */
static void test_text(void **state)
{
	finding_list found = {0};
	struct strbuf out = {.arena = &arena};
	diagnosis_text(&out, &found, 3);
	assert_text(strbuf_slice(&out), "Nothing to gain here: no rule of the diagnosis applies\n");
	cell()->share[TIME_DELAY] = 10;
	cell()->share[TIME_WAIT] = 60;
	figures->core_seconds = 1;
	set_line(10, 1, 0);
	add_row(4, 400, 0, "unfinished");
	samples.memory = samples.peak = 400 * megabyte;
	samples.oom_kills = 1;
	diagnosis_make(&found, &profile);
	out.len = 0;
	diagnosis_text(&out, &found, 2);
	assert_text(strbuf_slice(&out),
	            "1. cell 4\n"
	            "   out-of-memory; sure\n"
	            "   the kernel killed the program, or one that it had started, for lack of "
	            "memory: it had 400 MB of 400 MB.\n"
	            "   Try: request more memory (--mem), or process the data in pieces.\n"
	            "2. cell 1, line 2: work()\n"
	            "   waiting: at most 6.0 s to save (60 % of the run); sure\n"
	            "   6.0 of 9.0 s are spent waiting, without work for a processor.\n"
	            "   Try: start what it waits for earlier, or do other work meanwhile.\n");
	out.len = 0;
	diagnosis_text(&out, &found, 9);
	assert_true(slice_ends_with(
	        strbuf_slice(&out),
	        SLICE("3. the whole run\n"
	              "   busy-node: at most 1.0 s to save (10 % of the run); likely\n"
	              "   for 1.0 of 10.0 s it waited for a processor that other programs used.\n"
	              "   Try: request whole processors (--exclusive, --cpus-per-task), or run it "
	              "when the node is less busy.\n")));
	figures->grown[METRIC_MAJOR_FAULTS] = 1000;
	cell()->share[TIME_IDLE] = 25;
	assert_saves("swapping", 2.5);
	assert_absent("waiting");
}

RUN(TEST(test_ranks), TEST(test_messages), TEST(test_cell_numbers), TEST(test_overhead),
    TEST(test_imports), TEST(test_python), TEST(test_places), TEST(test_threads),
    TEST(test_waits_for_children), TEST(test_pool), TEST(test_oversubscription),
    TEST(test_busy_node), TEST(test_idle_cores), TEST(test_page_faults), TEST(test_files),
    TEST(test_memory), TEST(test_killed), TEST(test_swapping), TEST(test_request),
    TEST(test_frequency), TEST(test_flush), TEST(test_what_is_too_little), TEST(test_text))
