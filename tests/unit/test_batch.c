/* batch and run/slurm: time limits of sbatch, what Slurm reports of jobs. */
#include "arena_fixture.h"
#include "batch/job_settings.h"
#include "run/submit_wait.h"
#include "unit.h"

static void test_time_limits(void **state)
{
	static const struct {
		const char *text;
		long minutes; /* -2: none */
	} rows[] = {
	        {"10", 10},         {"9:59", 10},   {"10:00", 10},     {"1:00:00", 60},
	        {"0:00:01", 1},     {"2-0", 2880},  {"1-2:30", 1590},  {"1-02:30:01", 1591},
	        {"0", 0},           {"-1", -1},     {"UNLIMITED", -1}, {"infinite", -1},
	        {"", -2},           {"x", -2},      {"1:2:3:4", -2},   {"1-", -2},
	        {"-5", -2},         {"1 hour", -2}, {"1:", -2},        {":1", -2},
	        {"1234567890", -2}, {"1--2", -2},   {"1-2:3:4:5", -2}, {"1.5", -2},
	};
	for (size_t i = 0; i < COUNT(rows); i++) {
		long minutes = -2;
		bool is_time = sbatch_read_time(slice_from(rows[i].text), &minutes);
		if (is_time != (rows[i].minutes != -2) || (is_time && minutes != rows[i].minutes))
			fail_msg("'%s' is %ld", rows[i].text, minutes);
	}
}

static const struct slurm_job *only_job(const char *text)
{
	slurm_job_list jobs = {0};
	slurm_read_jobs(&arena, slice_from(text), &jobs);
	assert_int_equal(jobs.count, 1);
	return &jobs.items[0];
}

static void test_told(void **state)
{
	const struct slurm_job *job =
	        only_job("JobId=7 JobName=x ArrayTaskId=3 JobState=FAILED\n"
	                 "   JobState=COMPLETED Reason=None Dependency=(null)\n"
	                 "   Requeue=1 Restarts=0 BatchFlag=1 Reboot=0 ExitCode=0:0\n"
	                 "   Comment=JobState=FAILED ExitCode=3:0 \n"
	                 "   StdErr=/a b/e\n   StdIn=/dev/null\n   StdOut=/a b/o\n");
	assert_int_equal(job->state, SLURM_COMPLETED);
	assert_int_equal(job->status, 0);
	assert_text(job->task, "");
	assert_text(job->output, "/a b/o");
	assert_text(job->error, "/a b/e");
	job = only_job("JobId=8 ArrayJobId=7 ArrayTaskId=2-5%2 JobName=x\n"
	               "   JobState=PENDING Reason=DependencyNeverSatisfied Dependency=x\n"
	               "   Requeue=1 ExitCode=0:0\n");
	assert_text(job->task, "2-5%2");
	assert_true(job->never_starts && job->state <= SLURM_RUNNING);
	job = only_job("JobId=8 JobName=x\n   JobState=TIMEOUT Reason=TimeLimit\n"
	               "   Requeue=1 ExitCode=0:0\n");
	assert_int_equal(job->status, 124);
	job = only_job("JobId=8 JobName=x\n   JobState=FAILED\n   Requeue=1 ExitCode=0:9\n");
	assert_int_equal(job->status, 137);
	job = only_job("JobId=8 JobName=x\n   JobState=OUT_OF_MEMORY Reason=OutOfMemory\n"
	               "   Requeue=1 ExitCode=0:125\n");
	assert_int_equal(job->status, 137);
	job = only_job("JobId=8 JobName=x\n   JobState=COMPLETING\n   Requeue=1 ExitCode=2:0\n");
	assert_int_equal(job->state, SLURM_RUNNING);
}

RUN(TEST(test_time_limits), TEST(test_told))
