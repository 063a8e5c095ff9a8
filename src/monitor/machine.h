/* The node and what of it the program may use. */
#ifndef NBSCOREP_MONITOR_MACHINE_H
#define NBSCOREP_MONITOR_MACHINE_H

#include <sys/types.h>

#include "base/arena.h"
#include "monitor/series.h"

/* Fills in all of HEAD that the node, the process PID and the environment tell: all but COMMAND,
 * INTERVAL and GPUs. The memory limit of a Slurm job is that of facts in slurm.conf(5): its
 * cgroup's, else what SLURM_MEM_PER_NODE or SLURM_MEM_PER_CPU say; else RLIMIT_AS; else the node's
 * memory. */
void machine_describe(struct arena *arena, pid_t pid, struct series_head *head);

#endif
