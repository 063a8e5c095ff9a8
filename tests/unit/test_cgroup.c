/* sample/node.h: the memory of a control group, in doubles of the trees of both versions; frequencies. */
#include "folder_helpers.h"
#include "sample/node.h"

static const int64_t mebibyte = 1 << 20;

/* Writes the file PATH below the folder, and makes its folders. */
static void put(const char *path, const char *text)
{
	char *whole = arena_cstr(&arena, arena_printf(&arena, "%s/%s", folder, path));
	for (char *at = whole + strlen(folder) + 1; (at = strchr(at, '/')) != NULL; at++) {
		*at = '\0';
		(void)mkdir(whole, 0700);
		*at = '/';
	}
	write_file(whole, slice_from(text), 0600);
}

static struct cgroup open_group(const char *groups)
{
	struct cgroup cgroup;
	cgroup_open_at(&cgroup, &arena, slice_from(groups), folder);
	return cgroup;
}

static void check(const char *groups, int64_t limit, int64_t shared, int64_t kills)
{
	struct cgroup cgroup = open_group(groups);
	struct cgroup_memory memory;
	assert_true(cgroup.is_known);
	assert_int_equal(cgroup_limit(&cgroup, &arena), limit);
	cgroup_read(&cgroup, &memory);
	assert_int_equal(memory.shared, shared);
	assert_int_equal(memory.oom_kills, kills);
	cgroup_close(&cgroup);
}

/* The lowest limit of those above counts. */
static void test_version_2(void **state)
{
	put("memory.stat", "anon 9\nshmem 9\n");
	put("user.slice/memory.max", "536870912\n");
	put("user.slice/a.scope/memory.max", "max\n");
	put("user.slice/a.scope/memory.stat", "anon 1\nshmem_thp 3\nshmem 1048576\n");
	put("user.slice/a.scope/memory.current", "9\n");
	put("user.slice/a.scope/memory.events", "low 0\nmax 7\noom 2\noom_kill 1\n");
	check("0::/user.slice/a.scope\n", 512 * mebibyte, mebibyte, 1);
	put("user.slice/a.scope/memory.max", "1048576\n");
	check("0::/user.slice/a.scope\n", mebibyte, mebibyte, 1);
}

/* All steps of a job share its memory. */
static void test_job(void **state)
{
	const char *groups = "0::/system.slice/slurmstepd.scope/job_7/step_0/user/task_0\n";
	put("system.slice/slurmstepd.scope/job_7/memory.stat", "shmem 300\n");
	put("system.slice/slurmstepd.scope/job_7/memory.current", "9\n");
	put("system.slice/slurmstepd.scope/job_7/memory.max", "3145728\n");
	put("system.slice/slurmstepd.scope/job_7/memory.events", "oom_kill 4\n");
	put("system.slice/slurmstepd.scope/job_7/step_0/user/task_0/memory.stat", "shmem 100\n");
	check(groups, 3 * mebibyte, 300, 4);
	assert_true(open_group(groups).is_job);
	assert_false(open_group("0::/\n").is_job);
}

/* Memory is of version 1 where both are mounted; kills are counted in the process's own group. */
static void test_version_1(void **state)
{
	const char *groups = "3:cpu,memory:/slurm/uid_0/job_7/step_0\n0::/other\n";
	put("memory/slurm/uid_0/job_7/memory.stat",
	    "shmem 1\nhierarchical_memory_limit 1048576\ntotal_shmem 500\n");
	put("memory/slurm/uid_0/job_7/memory.oom_control", "oom_kill 0\n");
	put("memory/slurm/uid_0/job_7/step_0/memory.stat", "total_shmem 400\n");
	put("memory/slurm/uid_0/job_7/step_0/memory.oom_control",
	    "oom_kill_disable 0\nunder_oom 0\noom_kill 2\n");
	put("other/memory.stat", "shmem 9\n");
	check(groups, mebibyte, 500, 2);
}

/* What is not limited has this number. */
static void test_no_limit(void **state)
{
	put("memory/a/memory.stat",
	    "hierarchical_memory_limit 9223372036854771712\ntotal_shmem 0\n");
	check("4:memory:/a\n", 0, 0, -1);
}

/* In a container the group is the base, whatever its path is outside. */
static void test_container(void **state)
{
	put("memory.stat", "shmem 5\n");
	put("memory.current", "9\n");
	put("memory.max", "1048576\n");
	put("memory.events", "oom_kill 0\n");
	check("0::/docker/0123\n", mebibyte, 5, 0);
	check("0::/../..\n", mebibyte, 5, 0);
	check("0::/\n", mebibyte, 5, 0);
}

/* What all others of the node have in tmpfs is not the program's. */
static void test_whole_node(void **state)
{
	put("memory.stat", "shmem 5\n");
	assert_false(open_group("0::/\n").is_known);
	put("memory/memory.stat", "hierarchical_memory_limit 9223372036854771712\ntotal_shmem 5\n");
	assert_false(open_group("4:memory:/\n").is_known);
	put("memory/memory.stat", "hierarchical_memory_limit 1048576\ntotal_shmem 5\n");
	check("4:memory:/docker/0123\n", mebibyte, 5, -1);
}

static void test_none(void **state)
{
	const char *all[] = {"", "\n", "0\n", "0:\n", "0::\n", "4:cpu:/a\n", "0::/a\n", "x"};
	for (size_t i = 0; i < COUNT(all); i++) {
		struct cgroup cgroup = open_group(all[i]);
		struct cgroup_memory memory;
		assert_false(cgroup.is_known);
		assert_int_equal(cgroup_limit(&cgroup, &arena), 0);
		cgroup_read(&cgroup, &memory);
		assert_int_equal(memory.shared, -1);
		assert_int_equal(memory.oom_kills, -1);
		cgroup_close(&cgroup);
	}
}

/* Of processor 2, the first one of the mask. */
static void test_frequency(void **state)
{
	struct series_head head = {.cpu_list = SLICE("2-3,8")};
	put("/cpu2/cpufreq/cpuinfo_max_freq", "3900000\n");
	put("/cpu2/cpufreq/scaling_max_freq", "1200000\n");
	put("/cpu0/cpufreq/scaling_max_freq", "1\n");
	node_describe_frequency(&arena, folder, &head);
	assert_int_equal(head.frequency, 3900000);
	assert_int_equal(head.frequency_limit, 1200000);
	put("/cpu2/cpufreq/base_frequency", "2400000\n");
	node_describe_frequency(&arena, folder, &head);
	assert_int_equal(head.frequency, 2400000);
	head.cpu_list = SLICE("1"); /* without a driver */
	node_describe_frequency(&arena, folder, &head);
	assert_int_equal(head.frequency, 0);
	assert_int_equal(head.frequency_limit, 0);
}

RUN(TEST(test_version_2), TEST(test_job), TEST(test_version_1), TEST(test_no_limit),
    TEST(test_container), TEST(test_whole_node), TEST(test_none), TEST(test_frequency))
