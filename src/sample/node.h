/* The node and the control group of the program: what of them the program may use, and Linux's figures of them and of
 * this process. */
#pragma once

#include <sys/types.h>

#include "sample/series.h"

/* ---- the control group ---- */

/* The memory of the control group that a process is in: cgroups(7), version 1 or 2. It includes what no
 * process has as resident memory, such as files in tmpfs. */
struct cgroup {
	bool is_known;
	bool is_v1;
	bool is_job;        /* of a Slurm job, with all its steps */
	const char *base;   /* where the hierarchy is mounted */
	struct slice whole; /* folder of the group that is read */
	int stat, events;   /* files, or -1 */
};

struct cgroup_memory {
	int64_t shared;    /* bytes of tmpfs and shared memory; -1: not known */
	int64_t oom_kills; /* processes that the kernel killed for lack of memory; -1: not known */
};

/* Finds the group of the process PID. CGROUP->is_known is false if the group cannot be read, or is
 * that of the whole node. cgroup_close() closes its files. */
void cgroup_open(struct cgroup *cgroup, struct arena *arena, pid_t pid);

/* The same for GROUPS, the text of /proc/PID/cgroup, where BASE is /sys/fs/cgroup. */
void cgroup_open_at(struct cgroup *cgroup, struct arena *arena, struct slice groups,
                    const char *base);

/* Bytes that the group may have, by its own limit and those above it; 0: no limit, or not known. */
int64_t cgroup_limit(const struct cgroup *cgroup, struct arena *arena);

void cgroup_read(const struct cgroup *cgroup, struct cgroup_memory *out);

void cgroup_close(struct cgroup *cgroup);

/* ---- the node ---- */

/* The name of the node: Slurm's in a job, else the host's. */
struct slice node_name(struct arena *arena);

/* The whole number in the environment variable NAME, or -1. */
int64_t node_variable(const char *name);

/* Fills in HEAD from the node, the process PID, its CGROUP and the environment, without COMMAND, INTERVAL, NODE and
 * GPUs. LAUNCHER, if not 0, has started PID and other ranks, and each may have processors of its own. The memory limit
 * of a Slurm job is that of facts in slurm.conf(5): its cgroup's, else SLURM_MEM_PER_NODE or SLURM_MEM_PER_CPU; else
 * RLIMIT_AS; else the node's memory. */
void node_describe(struct arena *arena, pid_t pid, pid_t launcher, const struct cgroup *cgroup,
                   struct series_head *head);

/* Fills in the frequencies of HEAD from FOLDER, /sys/devices/system/cpu: base_frequency, or where the driver has no such
 * file cpuinfo_max_freq, and scaling_max_freq of the first processor of its CPU_LIST (Linux,
 * Documentation/admin-guide/pm/cpufreq.rst and intel_pstate.rst). */
void node_describe_frequency(struct arena *arena, const char *folder, struct series_head *head);

struct node {
	size_t cores;                /* that /proc/stat counts: those that are configured */
	int stat, meminfo, net, own; /* descriptors, or -1 */
};

void node_open(struct node *node);

/* MemTotal - MemAvailable in bytes, or -1. */
int64_t node_memory_used(const struct node *node);

/* Nanoseconds in which each core was busy, in steps of a clock tick, by the core's number. A core
 * that is off has 0. Returns false if the kernel does not report it. */
bool node_cores(const struct node *node, int64_t *busy);

/* Bytes received and sent through all interfaces but the loopback. */
bool node_net(const struct node *node, int64_t *received, int64_t *sent);

/* Resident memory of this process in bytes. */
int64_t node_own_memory(const struct node *node);

void node_close(struct node *node);
