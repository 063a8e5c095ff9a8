/* Linux's figures of processes and of the node: proc(5). Files that are read repeatedly stay open, which
 * halves the cost. */
#pragma once

#include <sys/time.h>
#include <sys/types.h>

#include "base/base.h"

/* Opens /proc/PID/NAME. Returns the descriptor, or -1 with errno. */
int procfs_open(pid_t pid, const char *name);

/* Reads FD from its beginning into BUFFER. Returns the text, which is empty where that fails: the
 * process has ended, or it is another user's. */
struct slice procfs_read(int fd, char *buffer, size_t size);

/* The same of the file /proc/PID/NAME. */
struct slice procfs_read_file(pid_t pid, const char *name, char *buffer, size_t size);

/* Processor time of all threads of the process PID in nanoseconds, without its children, or -1
 * if PID is not a process, or is another thread than the first. A zombie still has its own. */
int64_t procfs_cpu(pid_t pid);

/* When the process PID was started, CLOCK_MONOTONIC in nanoseconds, rounded down to a clock tick, or
 * -1 if it does not exist. */
int64_t procfs_start(pid_t pid);

/* Of /proc/PID/stat. Faults and times with CHILD are those of children that were waited for, and
 * of theirs. */
struct procfs_stat {
	pid_t parent;
	char state;
	int64_t minor_faults, child_minor_faults, major_faults, child_major_faults;
	int64_t child_time; /* nanoseconds, in steps of a clock tick */
	int64_t threads;
	int64_t start;    /* clock ticks from boot: PID and this are unique */
	int64_t size;     /* of the address space, in bytes */
	int64_t resident; /* bytes */
};

/* Reads the text of /proc/PID/stat; false where it is none. */
bool procfs_parse_stat(struct slice text, struct procfs_stat *out);

/* The same of the process PID. */
bool procfs_read_stat(pid_t pid, struct procfs_stat *out);

/* Cuts a number, after blanks, off the beginning of REST; 0 without one. */
int64_t procfs_take_number(struct slice *rest);

/* Returns the number after NAME ("VmHWM:"), as in /proc/PID/status and /proc/meminfo; -1 if TEXT has no
 * NAME. */
int64_t procfs_number(struct slice text, struct slice name);

/* The second number of /proc/PID/statm, in bytes: resident memory. */
int64_t procfs_resident(struct slice text);

/* TIME in nanoseconds. */
static inline int64_t procfs_ns(struct timeval time)
{
	return (int64_t)time.tv_sec * 1000000000 + (int64_t)time.tv_usec * 1000;
}
