/* The node and what of it the program may use. */
#ifndef NBSCOREP_SAMPLE_MACHINE_H
#define NBSCOREP_SAMPLE_MACHINE_H

#include <sys/types.h>

#include "base/arena.h"
#include "sample/series.h"

/* The name of the node: Slurm's in a job, else the host's. */
struct slice machine_name(struct arena *arena);

/* Fills in HEAD from the node, the process PID and the environment, without COMMAND, INTERVAL, NODE and
 * GPUs. LAUNCHER, if not 0, has started PID and other ranks, and each may have processors of its own. The memory limit of a Slurm job is that of facts in slurm.conf(5): its
 * cgroup's, else SLURM_MEM_PER_NODE or SLURM_MEM_PER_CPU; else RLIMIT_AS; else the node's
 * memory. */
void machine_describe(struct arena *arena, pid_t pid, pid_t launcher, struct series_head *head);

#endif
