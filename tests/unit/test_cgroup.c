/* sample/node.h: the memory of a control group, in doubles of the trees of both versions; frequencies. */
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sample/node.h"
#include "unit.h"

static const int64_t mebibyte = 1 << 20;

struct place {
	struct arena arena;
	char base[64];
};

static int set_up(void **state)
{
	struct place *place = calloc(1, sizeof *place);
	assert_non_null(place);
	arena_init(&place->arena, NULL);
	snprintf(place->base, sizeof place->base, "/tmp/nbscorep-test-XXXXXX");
	assert_non_null(mkdtemp(place->base));
	*state = place;
	return 0;
}

static int remove_one(const char *path, const struct stat *status, int type, struct FTW *at)
{
	(void)status;
	(void)type;
	(void)at;
	return remove(path);
}

static int tear_down(void **state)
{
	enum { DESCRIPTORS = 8 };
	struct place *place = *state;
	int result = nftw(place->base, remove_one, DESCRIPTORS, FTW_DEPTH | FTW_PHYS);
	arena_release(&place->arena);
	free(place);
	return result;
}

/* The file PATH below the base, with its folders. */
static void put(struct place *place, const char *path, const char *text)
{
	char *whole =
	        arena_cstr(&place->arena, arena_printf(&place->arena, "%s/%s", place->base, path));
	for (char *at = whole + strlen(place->base) + 1; (at = strchr(at, '/')) != NULL; at++) {
		*at = '\0';
		(void)mkdir(whole, 0700);
		*at = '/';
	}
	FILE *file = fopen(whole, "w");
	assert_non_null(file);
	assert_true(fputs(text, file) >= 0);
	assert_int_equal(fclose(file), 0);
}

static struct cgroup open_group(struct place *place, const char *groups)
{
	struct cgroup cgroup;
	cgroup_open_at(&cgroup, &place->arena, slice_from(groups), place->base);
	return cgroup;
}

static void check(struct place *place, const char *groups, int64_t limit, int64_t shared,
                  int64_t kills)
{
	struct cgroup cgroup = open_group(place, groups);
	struct cgroup_memory memory;
	assert_true(cgroup.is_known);
	assert_int_equal(cgroup_limit(&cgroup, &place->arena), limit);
	cgroup_read(&cgroup, &memory);
	assert_int_equal(memory.shared, shared);
	assert_int_equal(memory.oom_kills, kills);
	cgroup_close(&cgroup);
}

/* The lowest limit of those above counts. */
static void test_version_2(void **state)
{
	struct place *place = *state;
	put(place, "memory.stat", "anon 9\nshmem 9\n");
	put(place, "user.slice/memory.max", "536870912\n");
	put(place, "user.slice/a.scope/memory.max", "max\n");
	put(place, "user.slice/a.scope/memory.stat", "anon 1\nshmem_thp 3\nshmem 1048576\n");
	put(place, "user.slice/a.scope/memory.current", "9\n");
	put(place, "user.slice/a.scope/memory.events", "low 0\nmax 7\noom 2\noom_kill 1\n");
	check(place, "0::/user.slice/a.scope\n", 512 * mebibyte, mebibyte, 1);
	put(place, "user.slice/a.scope/memory.max", "1048576\n");
	check(place, "0::/user.slice/a.scope\n", mebibyte, mebibyte, 1);
}

/* All steps of a job share its memory. */
static void test_job(void **state)
{
	struct place *place = *state;
	const char *groups = "0::/system.slice/slurmstepd.scope/job_7/step_0/user/task_0\n";
	put(place, "system.slice/slurmstepd.scope/job_7/memory.stat", "shmem 300\n");
	put(place, "system.slice/slurmstepd.scope/job_7/memory.current", "9\n");
	put(place, "system.slice/slurmstepd.scope/job_7/memory.max", "3145728\n");
	put(place, "system.slice/slurmstepd.scope/job_7/memory.events", "oom_kill 4\n");
	put(place, "system.slice/slurmstepd.scope/job_7/step_0/user/task_0/memory.stat",
	    "shmem 100\n");
	check(place, groups, 3 * mebibyte, 300, 4);
	assert_true(open_group(place, groups).is_job);
	assert_false(open_group(place, "0::/\n").is_job);
}

/* Memory is of version 1 where both are mounted; kills are counted in the process's own group. */
static void test_version_1(void **state)
{
	struct place *place = *state;
	const char *groups = "3:cpu,memory:/slurm/uid_0/job_7/step_0\n0::/other\n";
	put(place, "memory/slurm/uid_0/job_7/memory.stat",
	    "shmem 1\nhierarchical_memory_limit 1048576\ntotal_shmem 500\n");
	put(place, "memory/slurm/uid_0/job_7/memory.oom_control", "oom_kill 0\n");
	put(place, "memory/slurm/uid_0/job_7/step_0/memory.stat", "total_shmem 400\n");
	put(place, "memory/slurm/uid_0/job_7/step_0/memory.oom_control",
	    "oom_kill_disable 0\nunder_oom 0\noom_kill 2\n");
	put(place, "other/memory.stat", "shmem 9\n");
	check(place, groups, mebibyte, 500, 2);
}

/* What is not limited has this number. */
static void test_no_limit(void **state)
{
	struct place *place = *state;
	put(place, "memory/a/memory.stat",
	    "hierarchical_memory_limit 9223372036854771712\ntotal_shmem 0\n");
	check(place, "4:memory:/a\n", 0, 0, -1);
}

/* In a container the group is the base, whatever its path is outside. */
static void test_container(void **state)
{
	struct place *place = *state;
	put(place, "memory.stat", "shmem 5\n");
	put(place, "memory.current", "9\n");
	put(place, "memory.max", "1048576\n");
	put(place, "memory.events", "oom_kill 0\n");
	check(place, "0::/docker/0123\n", mebibyte, 5, 0);
	check(place, "0::/../..\n", mebibyte, 5, 0);
	check(place, "0::/\n", mebibyte, 5, 0);
}

/* What all others of the node have in tmpfs is not the program's. */
static void test_whole_node(void **state)
{
	struct place *place = *state;
	put(place, "memory.stat", "shmem 5\n");
	assert_false(open_group(place, "0::/\n").is_known);
	put(place, "memory/memory.stat",
	    "hierarchical_memory_limit 9223372036854771712\ntotal_shmem 5\n");
	assert_false(open_group(place, "4:memory:/\n").is_known);
	put(place, "memory/memory.stat", "hierarchical_memory_limit 1048576\ntotal_shmem 5\n");
	check(place, "4:memory:/docker/0123\n", mebibyte, 5, -1);
}

static void test_none(void **state)
{
	struct place *place = *state;
	const char *all[] = {"", "\n", "0\n", "0:\n", "0::\n", "4:cpu:/a\n", "0::/a\n", "x"};
	for (size_t i = 0; i < COUNT(all); i++) {
		struct cgroup cgroup = open_group(place, all[i]);
		struct cgroup_memory memory;
		assert_false(cgroup.is_known);
		assert_int_equal(cgroup_limit(&cgroup, &place->arena), 0);
		cgroup_read(&cgroup, &memory);
		assert_int_equal(memory.shared, -1);
		assert_int_equal(memory.oom_kills, -1);
		cgroup_close(&cgroup);
	}
}

/* Of processor 2, the first one of the mask. */
static void test_frequency(void **state)
{
	struct place *place = *state;
	struct series_head head = {.cpu_list = SLICE("2-3,8")};
	put(place, "/cpu2/cpufreq/cpuinfo_max_freq", "3900000\n");
	put(place, "/cpu2/cpufreq/scaling_max_freq", "1200000\n");
	put(place, "/cpu0/cpufreq/scaling_max_freq", "1\n");
	node_describe_frequency(&place->arena, place->base, &head);
	assert_int_equal(head.frequency, 3900000);
	assert_int_equal(head.frequency_limit, 1200000);
	put(place, "/cpu2/cpufreq/base_frequency", "2400000\n");
	node_describe_frequency(&place->arena, place->base, &head);
	assert_int_equal(head.frequency, 2400000);
	head.cpu_list = SLICE("1"); /* without a driver */
	node_describe_frequency(&place->arena, place->base, &head);
	assert_int_equal(head.frequency, 0);
	assert_int_equal(head.frequency_limit, 0);
}

RUN(TEST(test_version_2), TEST(test_job), TEST(test_version_1), TEST(test_no_limit),
    TEST(test_container), TEST(test_whole_node), TEST(test_none), TEST(test_frequency))
