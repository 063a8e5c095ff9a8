/* The memory of the control group that a process is in: cgroups(7), version 1 or 2. It includes what no
 * process has as resident memory, such as files in tmpfs. */
#ifndef NBSCOREP_SAMPLE_CGROUP_H
#define NBSCOREP_SAMPLE_CGROUP_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/arena.h"
#include "base/slice.h"

struct cgroup {
	bool is_known;
	bool is_v1;
	bool is_job;             /* of a Slurm job, with all its steps */
	const char *base;        /* where the hierarchy is mounted */
	struct slice whole, own; /* folders of the group that is read, and of the process's own */
	int stat, events;        /* files, or -1 */
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

#endif
