/* sample/: GPUs, as a double of NVML plays them (tests/monitor/nvml_script.h). */
#include <dlfcn.h>
#include <time.h>

#include "gpu_helpers.h"

static struct gpus gpus;
static struct gpu_reading reading;

/* The note of GPUs that cannot be sampled. */
static struct slice note_of_none(const char *library, const char *script)
{
	struct slice note;
	play(script);
	assert_int_equal(gpus_open(&gpus, &arena, library, &note), -1);
	gpus_close(&gpus);
	return note;
}

static void open_gpus(const char *library, const char *script)
{
	struct slice note;
	reading = (struct gpu_reading){0};
	play(script);
	assert_int_equal(gpus_open(&gpus, &arena, library, &note), 0);
	assert_text(note, "");
}

static void open_and_read(const char *library, const char *script)
{
	open_gpus(library, script);
	gpus_read(&gpus, &arena, &reading);
}

/* How often the double's FUNCTION was called since it was opened; the caller has it open. */
static unsigned calls(const char *function, unsigned gpu)
{
	unsigned (*count)(const char *, unsigned);
	void *library = dlopen(NVML_DOUBLE, RTLD_NOW);
	assert_non_null(library);
	void *symbol = dlsym(library, "nvml_double_calls");
	assert_non_null(symbol);
	memcpy(&count, &symbol, sizeof symbol);
	unsigned result = count(function, gpu);
	(void)dlclose(library);
	return result;
}

/* ---- opening ---- */

static void test_without_nvml(void **state)
{
	struct slice note = note_of_none("libnbscorep-is-not-there.so.1", "");
	assert_true(slice_starts_with(note,
	                              SLICE("no GPU is sampled: libnbscorep-is-not-there.so.1: ")));
	assert_text(note_of_none("libm.so.6", ""),
	            "no GPU is sampled: the library lacks functions of NVML");
}

static void test_nothing_to_sample(void **state)
{
	assert_text(note_of_none(NVML_DOUBLE, TWO_GPUS "fail init 0 1 9"),
	            "no GPU is sampled: NVML: Driver Not Loaded");
	assert_text(note_of_none(NVML_DOUBLE, TWO_GPUS "fail count 0 1 999"),
	            "no GPU is sampled: Unknown Error");
	assert_text(note_of_none(NVML_DOUBLE, ""), "no GPU is sampled: NVML finds none");
	assert_text(note_of_none(NVML_DOUBLE, TWO_GPUS "fail handle 0 1 4\nfail handle 1 1 4"),
	            "no GPU is sampled: Insufficient Permissions");
}

/* Of other jobs, where Slurm hands out GPUs. */
static void test_one_is_not_for_this_user(void **state)
{
	struct slice note;
	play(TWO_GPUS "fail handle 0 1 4");
	assert_int_equal(gpus_open(&gpus, &arena, NVML_DOUBLE, &note), 0);
	assert_text(note, "only 1 of 2 GPUs are sampled: Insufficient Permissions");
	assert_int_equal(gpus.list.count, 1);
	assert_int_equal(gpus.list.items[0].index, 1);
	assert_text(gpus.list.items[0].name, "Double-B");
	gpus_close(&gpus);
}

static void test_without_name(void **state)
{
	open_gpus(NVML_DOUBLE, TWO_GPUS "fail name 1 1 999");
	assert_text(gpus.list.items[0].name, "Double-A");
	assert_text(gpus.list.items[1].name, "unknown GPU");
	gpus_close(&gpus);
}

/* ---- values ---- */

static void test_no_column_for_what_none_has(void **state)
{
	open_gpus(NVML_DOUBLE, "gpu name=A total=9 used=5\ngpu name=B\n"
	                       "fail compute 0 1+ 3\nfail graphics 0 1+ 3\n"
	                       "fail mps 0 1+ 3\nfail compute 1 1+ 3\n"
	                       "fail graphics 1 1+ 3\nfail mps 1 1+ 3");
	gpu_columns columns = {0};
	int64_t values[2] = {-1, -1};
	gpus_columns(&gpus, &arena, &columns);
	assert_int_equal(columns.count, 2);
	assert_int_equal(columns.items[1].metric, METRIC_GPU_MEM);
	assert_int_equal(columns.items[1].instance, 1);
	assert_false(gpus.have_processes);
	gpus_read(&gpus, &arena, &reading);
	gpus_values(&gpus, &reading, values);
	assert_int_equal(values[0], 5);
	assert_int_equal(values[1], 0);
	assert_int_equal(calls("power", 0), 1);
	assert_int_equal(calls("compute", 0), 1);
	gpus_close(&gpus);
}

static void test_error_keeps_the_last_value(void **state)
{
	open_gpus(NVML_DOUBLE, TWO_GPUS "fail memory 0 3 999");
	const int64_t expected[] = {200, 200, 300};
	for (unsigned i = 0; i < 3; i++) {
		gpus_read(&gpus, &arena, &reading);
		assert_int_equal(value(&reading, 0, GPU_VALUE_MEM), expected[i]);
		assert_null(reading.lost);
	}
	gpus_close(&gpus);
}

static void test_lost(void **state)
{
	open_and_read(NVML_DOUBLE, TWO_GPUS "fail utilization 1 3+ 15");
	assert_null(reading.lost);
	gpus_read(&gpus, &arena, &reading);
	assert_string_equal(reading.lost,
	                    "GPU 1 was lost: GPU is lost; GPUs are no longer sampled");
	gpus_close(&gpus);
}

static void test_lost_when_opened(void **state)
{
	struct slice note;
	play(TWO_GPUS "fail memory 1 1+ 15");
	assert_int_equal(gpus_open(&gpus, &arena, NVML_DOUBLE, &note), 0);
	assert_text(note, "only 1 of 2 GPUs are sampled: GPU is lost");
	assert_int_equal(gpus.list.count, 1);
	gpus_close(&gpus);
}

/* ---- processes ---- */

#define PROCESSES                                                                                  \
	TWO_GPUS "process 0 compute 30 100\n"                                                      \
	         "process 0 compute 31 200\n"                                                      \
	         "process 0 graphics 30 100\n"                                                     \
	         "process 0 graphics 32 1000\n"                                                    \
	         "process 0 mps 33 10000\n"                                                        \
	         "process 0 compute 34 unknown\n"                                                  \
	         "process 1 compute 30 7\n"

/* The bytes of memory of GPU that the COUNT processes PIDS hold. */
static int64_t held(unsigned gpu, const pid_t *pids, size_t count)
{
	int64_t sum = 0;
	for (size_t i = 0; i < reading.processes.count; i++) {
		const struct gpu_process *process = &reading.processes.items[i];
		for (size_t k = 0; k < count; k++)
			sum += process->gpu == gpu && process->pid == pids[k] ? process->memory : 0;
	}
	return sum;
}

static void test_processes(void **state)
{
	const pid_t all[] = {29, 30, 31, 32, 33, 34, 35}, some[] = {30, 33};
	open_and_read(NVML_DOUBLE, PROCESSES);
	assert_int_equal(reading.processes.count, 5);
	assert_int_equal(held(0, all, 7), 11300);
	assert_int_equal(held(0, some, 2), 10100);
	assert_int_equal(held(1, some, 2), 7);
	assert_int_equal(held(0, NULL, 0), 0);
	gpus_close(&gpus);
}

static void test_many_processes(void **state)
{
	enum { MANY = 300 };
	struct strbuf script = {.arena = &arena};
	strbuf_puts(&script, TWO_GPUS);
	for (unsigned i = 1; i <= MANY; i++)
		strbuf_printf(&script, "process 1 compute %u 10\n", i);
	const pid_t pids[] = {1, 150, MANY, MANY + 1};
	open_and_read(NVML_DOUBLE, arena_cstr(&arena, strbuf_slice(&script)));
	assert_int_equal(reading.processes.count, MANY);
	assert_int_equal(held(1, pids, 4), 30);
	gpus_close(&gpus);
}

/* The driver asks for more room. */
static void test_list_without_end(void **state)
{
	open_and_read(NVML_DOUBLE, TWO_GPUS "process 0 graphics 5 50\n"
	                                    "fail compute 0 1+ 7");
	assert_int_equal(reading.processes.count, 1);
	gpus_close(&gpus);
}

static void test_list_that_fails_once(void **state)
{
	open_and_read(NVML_DOUBLE, TWO_GPUS "process 0 compute 5 50\n"
	                                    "fail compute 0 2 999");
	assert_int_equal(reading.processes.count, 0);
	assert_null(reading.lost);
	gpus_read(&gpus, &arena, &reading);
	assert_int_equal(reading.processes.count, 1);
	gpus_close(&gpus);
}

/* The same program may use several of its parts. */
static void test_mig(void **state)
{
	open_gpus(NVML_DOUBLE, "gpu name=M total=80 used=60 power=5 mig=3\n"
	                       "process 0 compute 99 1000\n"
	                       "process 0.0 compute 5 50\n"
	                       "process 0.1 compute 5 5\n"
	                       "process 0.1 compute 6 6\n");
	gpu_columns columns = {0};
	const pid_t pids[] = {5};
	gpus_columns(&gpus, &arena, &columns);
	assert_int_equal(columns.count, 2);
	gpus_read(&gpus, &arena, &reading);
	assert_int_equal(reading.processes.count, 3);
	assert_int_equal(held(0, pids, 1), 55);
	gpus_close(&gpus);
}

RUN(TEST(test_without_nvml), TEST(test_nothing_to_sample), TEST(test_one_is_not_for_this_user),
    TEST(test_without_name), TEST(test_no_column_for_what_none_has),
    TEST(test_error_keeps_the_last_value), TEST(test_lost), TEST(test_lost_when_opened),
    TEST(test_processes), TEST(test_many_processes), TEST(test_list_without_end),
    TEST(test_list_that_fails_once), TEST(test_mig))
