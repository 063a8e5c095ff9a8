/* batch and run/slurm: sbatch's options and time limits, what Slurm tells of jobs. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "batch/job_settings.h"
#include "run/submit_wait.h"

static void assert_slice(struct slice got, const char *expected)
{
	if (!slice_eq(got, slice_from(expected)))
		fail_msg("'%.*s' is not '%s'", SLICE_ARG(got), expected);
}

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
	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		long minutes = -2;
		bool is_time = sbatch_read_time(slice_from(rows[i].text), &minutes);
		if (is_time != (rows[i].minutes != -2) || (is_time && minutes != rows[i].minutes))
			fail_msg("'%s' is %ld", rows[i].text, minutes);
	}
}

static void test_table(void **state)
{
	(void)state;
	for (size_t i = 0; i < sbatch_row_count; i++) {
		const struct sbatch_row *row = &sbatch_rows[i];
		assert_ptr_equal(sbatch_find(slice_from(row->name)), row);
		for (size_t k = 0; k < i; k++)
			assert_true(row->short_name == '\0' ||
			            row->short_name != sbatch_rows[k].short_name);
	}
}

static struct value scalar(enum value_kind kind, const char *text)
{
	return (struct value){
	        .kind = kind, .text = slice_from(text), .boolean = strcmp(text, "true") == 0};
}

/* What becomes of NAME: VALUE; the problem's message where it is refused. */
static struct slice made(struct arena *arena, const char *name, const struct value *value)
{
	struct batch_setting setting;
	struct batch_problem problem;
	int status = batch_make_setting(arena, slice_from(name), value, &setting, &problem);
	if (status < 0)
		return problem.hint.len == 0
		               ? problem.message
		               : arena_printf(arena, "%.*s; %.*s", SLICE_ARG(problem.message),
		                              SLICE_ARG(problem.hint));
	return setting.is_left_out ? SLICE("nothing")
	                           : arena_printf(arena, "%.*s=%.*s", SLICE_ARG(setting.name),
	                                          SLICE_ARG(setting.value));
}

static void test_settings(void **state)
{
	struct arena arena;
	(void)state;
	arena_init(&arena, NULL);
	struct value yes = scalar(VALUE_BOOL, "true"), no = scalar(VALUE_BOOL, "false"),
	             null = scalar(VALUE_NULL, "~"), text = scalar(VALUE_TEXT, "a b"),
	             number = scalar(VALUE_INT, "4"), empty = scalar(VALUE_TEXT, ""),
	             map = {.kind = VALUE_MAP}, list = {.kind = VALUE_LIST},
	             nested = {.kind = VALUE_LIST};
	const struct value *items[] = {&number, &text}, *inner[] = {&list};
	list.items.items = items;
	list.items.count = 2;
	nested.items.items = inner;
	nested.items.count = 1;
	assert_slice(made(&arena, "exclusive", &yes), "exclusive=");
	assert_slice(made(&arena, "exclusive", &null), "exclusive=");
	assert_slice(made(&arena, "exclusive", &no), "nothing");
	assert_slice(made(&arena, "exclusive", &text), "exclusive=a b");
	assert_slice(made(&arena, "hold", &yes), "hold=");
	assert_slice(made(&arena, "hold", &number), "'hold' takes only true or false");
	assert_slice(made(&arena, "time", &yes), "'time' requires a value");
	assert_slice(made(&arena, "time", &no), "nothing");
	assert_slice(made(&arena, "cpus_per_task", &number), "cpus-per-task=4");
	assert_slice(made(&arena, "comment", &empty), "'comment' requires a value");
	assert_slice(made(&arena, "comment", &map), "'comment' requires a value, not a map");
	assert_slice(made(&arena, "gres", &list), "gres=4,a b");
	assert_slice(made(&arena, "gres", &nested), "'gres' requires a value");
	assert_slice(made(&arena, "mem", &list), "'mem' takes one value, not a list");
	assert_slice(made(&arena, "--site", &text), "site=a b");
	assert_slice(made(&arena, "--site", &yes), "site=");
	assert_slice(made(&arena, "--si te", &yes),
	             "sbatch has no option 'si te'; write '--si te' for an option of your site");
	assert_slice(made(&arena, "x11", &yes),
	             "sbatch has no option 'x11'; write '--x11' for an option of your site");
	assert_slice(made(&arena, "J", &yes), "sbatch has no option 'J'; did you mean 'job-name'?");
	assert_slice(made(&arena, "walltime", &yes),
	             "sbatch has no option 'walltime'; did you mean 'time'?");
	assert_slice(made(&arena, "cpu-per-task", &yes),
	             "sbatch has no option 'cpu-per-task'; did you mean 'cpus-per-task'?");
	assert_slice(made(&arena, "--wrap", &text),
	             "'wrap' belongs on the command line of sbatch, not in a script");
	arena_release(&arena);
}

static const struct slurm_job *only_job(struct arena *arena, const char *text)
{
	slurm_job_list jobs = {0};
	slurm_read_jobs(arena, slice_from(text), &jobs);
	assert_int_equal(jobs.count, 1);
	return &jobs.items[0];
}

static void test_told(void **state)
{
	struct arena arena;
	(void)state;
	arena_init(&arena, NULL);
	const struct slurm_job *job =
	        only_job(&arena, "JobId=7 JobName=x ArrayTaskId=3 JobState=FAILED\n"
	                         "   JobState=COMPLETED Reason=None Dependency=(null)\n"
	                         "   Requeue=1 Restarts=0 BatchFlag=1 Reboot=0 ExitCode=0:0\n"
	                         "   Comment=JobState=FAILED ExitCode=3:0 \n"
	                         "   StdErr=/a b/e\n   StdIn=/dev/null\n   StdOut=/a b/o\n");
	assert_int_equal(job->state, SLURM_COMPLETED);
	assert_int_equal(job->status, 0);
	assert_slice(job->task, "");
	assert_slice(job->output, "/a b/o");
	assert_slice(job->error, "/a b/e");
	job = only_job(&arena, "JobId=8 ArrayJobId=7 ArrayTaskId=2-5%2 JobName=x\n"
	                       "   JobState=PENDING Reason=DependencyNeverSatisfied Dependency=x\n"
	                       "   Requeue=1 ExitCode=0:0\n");
	assert_slice(job->task, "2-5%2");
	assert_true(job->never_starts && !slurm_has_ended(job->state));
	job = only_job(&arena, "JobId=8 JobName=x\n   JobState=TIMEOUT Reason=TimeLimit\n"
	                       "   Requeue=1 ExitCode=0:0\n");
	assert_int_equal(job->status, 124);
	job = only_job(&arena,
	               "JobId=8 JobName=x\n   JobState=FAILED\n   Requeue=1 ExitCode=0:9\n");
	assert_int_equal(job->status, 137);
	job = only_job(&arena, "JobId=8 JobName=x\n   JobState=OUT_OF_MEMORY Reason=OutOfMemory\n"
	                       "   Requeue=1 ExitCode=0:125\n");
	assert_int_equal(job->status, 137);
	job = only_job(&arena,
	               "JobId=8 JobName=x\n   JobState=COMPLETING\n   Requeue=1 ExitCode=2:0\n");
	assert_int_equal(job->state, SLURM_RUNNING);
	arena_release(&arena);
}

static void test_accounting(void **state)
{
	struct arena arena;
	slurm_job_list jobs = {0};
	(void)state;
	arena_init(&arena, NULL);
	slurm_read_accounting(&arena,
	                      SLICE("7_1|COMPLETED|0:0\n7_2|CANCELLED by 1000|0:0\nnothing\n"
	                            "8|OUT_OF_MEMORY|0:125\n"),
	                      &jobs);
	assert_int_equal(jobs.count, 3);
	assert_slice(jobs.items[1].task, "2");
	assert_int_equal(jobs.items[1].state, SLURM_CANCELLED);
	assert_int_equal(jobs.items[1].status, 143);
	assert_string_equal(slurm_ending(jobs.items[2].state), "ran out of memory");
	assert_int_equal(jobs.items[2].status, 137);
	arena_release(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(test_time_limits), cmocka_unit_test(test_table),
	        cmocka_unit_test(test_settings),    cmocka_unit_test(test_told),
	        cmocka_unit_test(test_accounting),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
