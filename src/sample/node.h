/* The node: what of it the program may use, and Linux's figures of it and of this process. */
#ifndef NBSCOREP_SAMPLE_NODE_H
#define NBSCOREP_SAMPLE_NODE_H

#include <sys/types.h>

#include "base/arena.h"
#include "sample/series.h"

/* The name of the node: Slurm's in a job, else the host's. */
struct slice node_name(struct arena *arena);

/* Fills in HEAD from the node, the process PID and the environment, without COMMAND, INTERVAL, NODE and
 * GPUs. LAUNCHER, if not 0, has started PID and other ranks, and each may have processors of its own. The memory limit of a Slurm job is that of facts in slurm.conf(5): its
 * cgroup's, else SLURM_MEM_PER_NODE or SLURM_MEM_PER_CPU; else RLIMIT_AS; else the node's
 * memory. */
void node_describe(struct arena *arena, pid_t pid, pid_t launcher, struct series_head *head);

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

#endif
