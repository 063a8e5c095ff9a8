/* Linux's figures of the whole node, and of this process. */
#ifndef NBSCOREP_SAMPLE_NODE_H
#define NBSCOREP_SAMPLE_NODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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
