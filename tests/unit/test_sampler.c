/* monitor/: the sampler, where the program runs before the sampler comes to look at it. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "arena_fixture.h"
#include "base/os.h"
#include "report/measure.h"
#include "sample/procfs.h"
#include "sample/sampler.h"
#include "sample/series.h"
#include "trace/series_read.h"
#include "unit.h"

static const int64_t millisecond = 1000000;

/* A child that uses a processor until it is killed; returns when it has used TIME. */
static pid_t burn(int64_t time)
{
	pid_t pid = fork();
	if (pid == 0) {
		for (;;)
			;
	}
	assert_true(pid > 0);
	while (procfs_cpu(pid) < time)
		usleep(1000);
	return pid;
}

/* A file without a name. */
static int open_output(void)
{
	char path[] = "/tmp/nbscorep-test-XXXXXX";
	int fd = mkstemp(path);
	assert_true(fd >= 0);
	unlink(path);
	return fd;
}

static struct series read_output(int fd)
{
	struct series series;
	struct slice problem;
	struct strbuf text = {.arena = &arena};
	assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
	assert_int_equal(os_read_rest(fd, &text, 1 << 20), 0);
	assert_int_equal(series_read(&arena, strbuf_slice(&text), &series, &problem), 0);
	return series;
}

/* On a busy node that may take seconds; the program's time is still that since its start. */
static void test_program_that_runs_before_it_is_looked_at(void **state)
{
	struct sampler_order order = {.adopts = true,
	                              .interval = 10 * millisecond,
	                              .levels = 1u << LEVEL_PROCESS,
	                              .output = open_output(),
	                              .marks = -1,
	                              .node = -1,
	                              .command = SLICE("burn")};
	struct rusage children;
	getrusage(RUSAGE_CHILDREN, &children);
	struct sampler *sampler = sampler_open(&arena, &order);
	assert_non_null(sampler);
	int64_t before = os_clock(CLOCK_MONOTONIC), wall = os_clock(CLOCK_REALTIME);
	int status;
	pid_t pid = burn(300 * millisecond);
	int64_t behind = os_clock(CLOCK_MONOTONIC);
	sampler_begin(sampler, pid);
	kill(pid, SIGKILL);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	struct rusage usage;
	getrusage(RUSAGE_CHILDREN, &usage);
	usage.ru_majflt = children.ru_majflt + 7;
	usage.ru_minflt = children.ru_minflt + 8;
	usage.ru_nvcsw = children.ru_nvcsw + 9;
	usage.ru_nivcsw = children.ru_nivcsw + 10;
	assert_int_equal(sampler_end(sampler, status, &usage), 0);
	struct series series = read_output(order.output);
	assert_int_equal(series.end.major_faults, 7);
	assert_int_equal(series.end.minor_faults, 8);
	assert_int_equal(series.end.voluntary_switches, 9);
	assert_int_equal(series.end.involuntary_switches, 10);
	assert_true(series.end.user + series.end.system >= 300 * millisecond);
	const struct series_head *head = &series.head;
	assert_in_range(head->start_mono, before - 20 * millisecond, behind - 300 * millisecond);
	assert_true(llabs(head->start_wall - wall - (head->start_mono - before)) <
	            1000 * millisecond);
	const struct series_group *group = measure_group(&series, LEVEL_PROCESS, METRIC_CPU);
	assert_non_null(group);
	assert_int_equal(group->times.items[0].end, head->start_mono);
	assert_int_equal(group->columns.items[0].values[0], 0);
	assert_true(group->columns.items[0].values[1] >= 300 * millisecond);
	assert_true(group->times.items[1].end - group->times.items[0].end >= 300 * millisecond);
	close(order.output);
}

RUN(TEST(test_program_that_runs_before_it_is_looked_at))
