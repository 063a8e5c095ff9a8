/* monitor/: what is read of one process, and which processes belong to the program. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "arena_fixture.h"
#include "sample/processes.h"
#include "unit.h"

enum { MIB = 1 << 20, LARGE = 64 * MIB, MOST_OF_IT = 60 * MIB, MUCH_OF_IT = 50 * MIB };

static struct process self(void)
{
	return (struct process){.pid = getpid(), .files = PROCESS_NO_FILES, .files_end = 1 << 20};
}

/* Makes SIZE bytes resident and gives them back. */
static void touch(size_t size)
{
	void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	assert_ptr_not_equal(memory, MAP_FAILED);
	memset(memory, 1, size);
	assert_int_equal(munmap(memory, size), 0);
}

/* ---- one process ---- */

/* A number of /proc/self/statm, in bytes: 0 is the address space, 1 what is resident. */
static int64_t statm(int index)
{
	char text[256], *at = text;
	long long pages = 0;
	FILE *file = fopen("/proc/self/statm", "r");
	assert_non_null(file);
	assert_ptr_equal(fgets(text, sizeof text, file), text);
	fclose(file);
	for (int i = 0; i <= index; i++)
		pages = strtoll(at, &at, 10);
	return pages * sysconf(_SC_PAGESIZE);
}

/* Two processes with one memory are known by both numbers, which therefore must not be one. */
static void test_size_is_that_of_the_address_space(void **state)
{
	struct process process = self();
	void *untouched = mmap(NULL, LARGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	assert_ptr_not_equal(untouched, MAP_FAILED);
	assert_true(process_read_memory(&process));
	assert_true(llabs(process.size - statm(0)) < MIB);
	assert_true(llabs(process.own.of[METRIC_RSS] - statm(1)) < MIB);
	assert_true(process.size - process.own.of[METRIC_RSS] > MOST_OF_IT);
	process_close_files(&process);
	munmap(untouched, LARGE);
}

static void test_peak_between_two_looks(void **state)
{
	struct process process = self();
	process_read(&process, true);
	int64_t before = process.own.of[METRIC_PEAK_RSS];
	assert_true(before >= process.own.of[METRIC_RSS] - MIB);
	touch(LARGE);
	process_read(&process, false);
	assert_int_equal(process.own.of[METRIC_PEAK_RSS], before);
	process_read(&process, true);
	assert_true(process.own.of[METRIC_PEAK_RSS] > process.own.of[METRIC_RSS] + MUCH_OF_IT);
	process_close_files(&process);
}

/* The peak costs as much as all else: without page faults or more memory there is no other one. */
static void test_peak_is_read_where_it_may_have_risen(void **state)
{
	const int64_t more = (int64_t)1 << 40;
	struct process process = self();
	bool kept = false;
	/* A reading itself may fault, under valgrind often. */
	for (int i = 0; i < 1000 && !kept; i++) {
		process.own.of[METRIC_PEAK_RSS] = more;
		process_read(&process, true);
		kept = process.own.of[METRIC_PEAK_RSS] == more;
	}
	assert_true(kept);
	/* Huge pages make memory resident without a fault of the process. */
	process.own.of[METRIC_PEAK_RSS] = 1;
	process_read(&process, true);
	assert_true(process.own.of[METRIC_PEAK_RSS] >= process.own.of[METRIC_RSS] - MIB);
	process_close_files(&process);
}

/* ---- the tree ---- */

/* A file that says of the process made last what /proc/loadavg does. */
static int loadavg(int last)
{
	char path[] = "/tmp/nbscorep-test-XXXXXX", text[64];
	int fd = mkstemp(path), len = snprintf(text, sizeof text, "0.00 0.00 0.00 1/1 %d\n", last);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, (size_t)len), len);
	unlink(path);
	return fd;
}

static struct process *add(struct processes *processes, pid_t pid, pid_t parent)
{
	struct process *process = ARENA_NEW(processes->arena, struct process);
	*process = (struct process){.pid = pid, .parent = parent, .files = PROCESS_NO_FILES};
	/* NOLINTNEXTLINE(bugprone-sizeof-expression): a list of pointers */
	vec_push(processes->arena, &processes->list, process);
	return process;
}

/* Numbers begin again at some time, so that children may have lower ones than their parents. */
static void test_descendants_are_found_in_any_order(void **state)
{
	enum { LAST = 5000 };
	struct processes processes = {.arena = &arena,
	                              .root = 400,
	                              .adopts = true,
	                              .last_pid = LAST,
	                              .loadavg = loadavg(LAST),
	                              .self = self(),
	                              .tree_grew = true};
	add(&processes, 100, 200);
	add(&processes, 200, 300);
	add(&processes, 300, 400);
	add(&processes, 400, getpid());
	add(&processes, 500, 1);
	add(&processes, 600, 100);
	processes_scan(&processes, false);
	for (size_t i = 0; i < processes.list.count; i++) {
		const struct process *process = processes.list.items[i];
		assert_int_equal(process->in_tree, process->pid != 500);
	}
	assert_int_equal(processes.members.count, 5);
	close(processes.loadavg);
}

RUN(TEST(test_size_is_that_of_the_address_space), TEST(test_peak_between_two_looks),
    TEST(test_peak_is_read_where_it_may_have_risen), TEST(test_descendants_are_found_in_any_order))
