/* sample/: the thread that reads GPUs, which a double of NVML plays (tests/monitor/nvml_script.h). */
#include <dirent.h>
#include <poll.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#include "gpu_helpers.h"
#include "sample/gpu_thread.h"

enum {
	MILLISECOND = 1000000,
	MANY = 60000,
};

#define MINUTE (60000LL * MILLISECOND)

static const struct gpu_thread_order once = {NVML_DOUBLE, INT64_MAX / 4, MINUTE, MINUTE};
static const struct gpu_thread_order often = {NVML_DOUBLE, MILLISECOND, MINUTE, MINUTE};

static struct gpu_thread *start(const struct gpu_thread_order *order, const char *script)
{
	struct slice note;
	play(script);
	struct gpu_thread *thread = gpu_thread_start(order, &arena, &note);
	assert_text(note, "");
	assert_non_null(thread);
	return thread;
}

static const struct gpu_reading *next_reading(struct gpu_thread *thread)
{
	struct pollfd one = {.fd = gpu_thread_fd(thread), .events = POLLIN};
	const struct gpu_reading *reading = NULL;
	while (reading == NULL) {
		assert_int_equal(poll(&one, 1, -1), 1);
		reading = gpu_thread_take(thread);
	}
	return reading;
}

/* How many there are besides those that the program began with. */
static unsigned threads(void)
{
	static unsigned first;
	unsigned count = 0;
	DIR *folder = opendir("/proc/self/task");
	assert_non_null(folder);
	for (const struct dirent *entry; (entry = readdir(folder)) != NULL;)
		count += entry->d_name[0] != '.';
	closedir(folder);
	if (first == 0)
		first = count;
	return count - first;
}

/* One that has ended, and was joined, may still be seen for a moment. */
static void wait_for_threads(unsigned count)
{
	const struct timespec moment = {0, MILLISECOND};
	for (int i = 0; i < MANY && threads() != count; i++)
		(void)nanosleep(&moment, NULL);
	assert_int_equal(threads(), count);
}

static void test_thread_reads(void **state)
{
	struct gpu_thread *thread = start(&once, TWO_GPUS "process 1 compute 5 50");
	const struct gpus *gpus = gpu_thread_gpus(thread);
	assert_int_equal(gpus->list.count, 2);
	assert_text(gpus->list.items[1].name, "Double-B");
	const struct gpu_reading *reading = next_reading(thread);
	assert_int_equal(value(reading, 0, GPU_VALUE_UTIL), 50);
	assert_int_equal(reading->processes.count, 1);
	struct pollfd one = {.fd = gpu_thread_fd(thread), .events = POLLIN};
	assert_int_equal(poll(&one, 1, 0), 0);
	assert_null(gpu_thread_take(thread));
	wait_for_threads(1);
	gpu_thread_stop(thread);
	wait_for_threads(0);
}

/* Waits until so many more readings are there, without taking one. */
static void let_read(const struct gpu_thread *thread, unsigned count)
{
	struct pollfd one = {.fd = gpu_thread_fd(thread), .events = POLLIN};
	for (eventfd_t seen = 0, more; seen < count; seen += more) {
		assert_int_equal(poll(&one, 1, -1), 1);
		assert_int_equal(eventfd_read(one.fd, &more), 0);
	}
}

static void test_reading_that_is_held_stays_as_it_is(void **state)
{
	enum { MORE = 3 }; /* as many as there are places for readings */
	struct gpu_thread *thread = start(&often, TWO_GPUS "process 1 compute 5 50");
	for (int i = 0; i < 4; i++) {
		const struct gpu_reading *held = next_reading(thread);
		const struct series_time time = held->time;
		let_read(thread, MORE);
		assert_memory_equal(&held->time, &time, sizeof time);
		assert_int_equal(held->gpus.count, 2);
		assert_int_equal(held->processes.count, 1);
	}
	gpu_thread_stop(thread);
}

static void test_thread_takes_no_signal(void **state)
{
	sigset_t user, before;
	const struct timespec minute = {60, 0};
	struct gpu_thread *thread = start(&often, TWO_GPUS);
	(void)sigemptyset(&user);
	(void)sigaddset(&user, SIGUSR1);
	assert_int_equal(pthread_sigmask(SIG_BLOCK, &user, &before), 0);
	assert_int_equal(kill(getpid(), SIGUSR1), 0);
	assert_int_equal(sigtimedwait(&user, NULL, &minute), SIGUSR1);
	assert_int_equal(pthread_sigmask(SIG_SETMASK, &before, NULL), 0);
	gpu_thread_stop(thread);
}

/* A script of the double in which FUNCTION hangs until what is written to FDS[1] is closed. */
static const char *hanging(const char *function, int fds[2])
{
	assert_int_equal(pipe(fds), 0);
	struct slice script = arena_printf(&arena, TWO_GPUS "hang %s %d", function, fds[0]);
	return arena_cstr(&arena, script);
}

/* Ends the call that hangs, and so the thread. */
static void let_go(const int fds[2])
{
	assert_int_equal(close(fds[1]), 0);
	wait_for_threads(0);
	assert_int_equal(close(fds[0]), 0);
}

static void test_nvml_that_hangs_at_once(void **state)
{
	int fds[2];
	struct slice note;
	struct gpu_thread_order order = once;
	order.open_patience = MILLISECOND;
	play(hanging("init 0 1", fds));
	assert_null(gpu_thread_start(&order, &arena, &note));
	assert_text(note, "no GPU is sampled: NVML does not answer");
	wait_for_threads(1);
	let_go(fds);
}

/* In the first reading; the call before is that of gpus_open(). */
static void test_nvml_that_hangs_later(void **state)
{
	int fds[2];
	struct gpu_thread_order order = once;
	order.stop_patience = MILLISECOND;
	gpu_thread_stop(start(&order, hanging("power 0 2", fds)));
	wait_for_threads(1);
	let_go(fds);
}

int main(void)
{
	(void)threads();
	const struct CMUnitTest tests[] = {
	        TEST(test_thread_reads),           TEST(test_reading_that_is_held_stays_as_it_is),
	        TEST(test_thread_takes_no_signal), TEST(test_nvml_that_hangs_at_once),
	        TEST(test_nvml_that_hangs_later),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
