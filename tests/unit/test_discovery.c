/* run/: versions, what features need, and the answer that a run needs beforehand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "arena_fixture.h"
#include "run/discovery.h"

static void assert_version(const char *text, const char *expected)
{
	struct slice got = version_in(slice_from(text));
	if (!slice_eq(got, slice_from(expected)))
		fail_msg("%s: '%.*s', not '%s'", text, SLICE_ARG(got), expected);
}

static void test_version_in(void **state)
{
	(void)state;
	assert_version("8.4", "8.4");
	assert_version("Score-P 8.4\n", "8.4");
	assert_version("cc (Debian 12.2.0-14+deb12u1) 12.2.0", "12.2.0");
	assert_version("mpirun (Open MPI) 4.1.4.", "4.1.4");
	assert_version("v5.0.1", "5.0.1");
	assert_version("slurm 23.11.0-0rc1", "23.11.0");
	assert_version("Build 17, a1.2, .5, 5., 1..", "");
	assert_version("2. 3.1", "3.1");
	assert_version("x.. 1.0", "1.0");
	assert_version("", "");
	assert_version(".", "");
	assert_version("1", "");
}

static void assert_older(const char *version, const char *oldest, bool expected)
{
	if (version_is_older(slice_from(version), slice_from(oldest)) != expected)
		fail_msg("%s and %s", version, oldest);
}

static void test_version_is_older(void **state)
{
	(void)state;
	assert_older("3.7.17", "3.8", true);
	assert_older("3.8", "3.8", false);
	assert_older("3.8.0", "3.8", false);
	assert_older("3.10", "3.8", false);
	assert_older("2", "2.0", false);
	assert_older("2", "2.0.1", true);
	assert_older("10.0", "9.9", false);
	assert_older("5.0rc1", "5.0", false);
	assert_older("99999999999999999999.0", "5.0", false);
	assert_older("x", "5.0", true);
	assert_older("1.0", "", false);
}

/* Everything is found but SET, which is in STATE. */
static struct discovery with(thing_set set, enum finding_state finding_state)
{
	struct discovery discovery = {0};
	for (int i = 0; i < THING_COUNT; i++)
		discovery.findings[i].state = set & THING_BIT(i) ? finding_state : FINDING_FOUND;
	return discovery;
}

static void test_features(void **state)
{
	(void)state;
	struct discovery all = with(0, FINDING_MISSING);
	for (int i = 0; i < FEATURE_COUNT; i++) {
		assert_int_equal(feature_obstacles(&all, (enum feature_id)i), 0);
		assert_int_equal(feature_doubts(&all, (enum feature_id)i), 0);
	}
	static const enum finding_state bad[] = {FINDING_MISSING, FINDING_OLD, FINDING_BROKEN};
	for (int i = 0; i < 3; i++) {
		struct discovery none = with(THING_BIT(THING_CC), bad[i]);
		assert_int_equal(feature_obstacles(&none, FEATURE_MEASURE), THING_BIT(THING_CC));
		assert_int_equal(feature_obstacles(&none, FEATURE_MPI), THING_BIT(THING_CC));
		assert_int_equal(feature_obstacles(&none, FEATURE_RUN), 0);
	}
}

static void test_alternatives(void **state)
{
	(void)state;
	const thing_set both = THING_BIT(THING_MPIRUN) | THING_BIT(THING_SRUN);
	struct discovery one = with(THING_BIT(THING_SRUN), FINDING_MISSING);
	assert_int_equal(feature_obstacles(&one, FEATURE_MPI), 0);
	struct discovery none = with(both, FINDING_MISSING);
	assert_int_equal(feature_obstacles(&none, FEATURE_MPI), both);
	struct discovery unknown = with(both, FINDING_UNKNOWN);
	assert_int_equal(feature_obstacles(&unknown, FEATURE_MPI), 0);
	assert_int_equal(feature_doubts(&unknown, FEATURE_MPI), both);
	struct discovery half = with(THING_BIT(THING_SRUN), FINDING_UNKNOWN);
	assert_int_equal(feature_doubts(&half, FEATURE_MPI), 0);
	half.findings[THING_MPIRUN].state = FINDING_MISSING;
	assert_int_equal(feature_obstacles(&half, FEATURE_MPI), 0);
	assert_int_equal(feature_doubts(&half, FEATURE_MPI), THING_BIT(THING_SRUN));
}

/* A folder with a scorep-config that prints what is in the file HELP, alone on PATH. */
static char *fake_scorep(const char *help)
{
	char *folder = arena_cstr(&arena, SLICE("/tmp/nbscorep-discovery-XXXXXX"));
	assert_non_null(mkdtemp(folder));
	const char *path = arena_printf(&arena, "%s/scorep-config", folder).ptr;
	FILE *file = fopen(path, "w");
	assert_non_null(file);
	fprintf(file,
	        "#!/bin/sh\nPATH=/bin:/usr/bin\n"
	        "[ \"$1\" = --version ] && echo 8.4 || cat %s/scorep-config/%s\n",
	        TEST_DATA, help);
	fclose(file);
	assert_int_equal(chmod(path, 0755), 0);
	setenv("PATH", folder, 1);
	return folder;
}

/* The header's example: what a run asks before it starts. */
static void test_before_a_run(void **state)
{
	(void)state;
	const char *variable = getenv("PATH");
	char *path = arena_cstr(&arena, slice_from(variable != NULL ? variable : ""));
	char *folder = fake_scorep("8.4-plain.txt");
	struct discovery found;
	struct discovery_order order = {.things = THINGS_SCOREP, .seconds = 60};
	assert_int_equal(discovery_make(&arena, &order, &found), 0);
	assert_int_equal(found.findings[THING_SCOREP_CONFIG].state, FINDING_FOUND);
	assert_int_equal(found.findings[THING_THREAD_PTHREAD].state, FINDING_FOUND);
	assert_int_equal(found.findings[THING_PYTHON].state, FINDING_UNKNOWN);
	assert_int_equal(found.findings[THING_CC].state, FINDING_UNKNOWN);
	assert_int_equal(scorep_supports(&found.scorep, SLICE("--mpp=mpi")), SCOREP_SUPPORT_NO);
	assert_int_equal(scorep_supports(&found.scorep, SLICE("--io=posix")), SCOREP_SUPPORT_YES);
	unlink(arena_printf(&arena, "%s/scorep-config", folder).ptr);
	assert_int_equal(discovery_make(&arena, &order, &found), 0);
	assert_int_equal(found.findings[THING_SCOREP_CONFIG].state, FINDING_MISSING);
	assert_int_equal(scorep_supports(&found.scorep, SLICE("--mpp=mpi")),
	                 SCOREP_SUPPORT_UNKNOWN);
	rmdir(folder);
	setenv("PATH", path, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test_setup_teardown(test_version_in, set_up, tear_down),
	        cmocka_unit_test_setup_teardown(test_version_is_older, set_up, tear_down),
	        cmocka_unit_test_setup_teardown(test_features, set_up, tear_down),
	        cmocka_unit_test_setup_teardown(test_alternatives, set_up, tear_down),
	        cmocka_unit_test_setup_teardown(test_before_a_run, set_up, tear_down),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
