/* The processes that are watched, and what they have used. Who came and went between two looks is
 * found in what its parent has inherited of it: the kernel adds processor time, faults and I/O of
 * a child that is waited for to those of its parent (wait_task_zombie() in Linux' kernel/exit.c). */
#pragma once

#include "sample/process_list.h"

/* Reads the resident memory; false when it has ended. */
bool process_read_memory(struct process *process);

/* Reads a process of the program; DEEP: its I/O and its highest resident memory, too. Sets ENDED
 * where it has. */
void process_read(struct process *process, bool deep);

/* Begins to watch. PROCESSES is zero but for what its first fields order, and the PID of LAUNCHER. The job is that of
 * SLURM_JOB_ID. Its processes are those of its control group, or without one those that have the variable, too. Raises
 * the limit of open files of this process. */
void processes_init(struct processes *processes, struct arena *arena);

/* What the program and all that it has started have used by now: CPU, RSS, faults, PROCESSES,
 * THREADS, and the I/O and the PEAK_RSS of the last DEEP look, which costs twice as much. Counters do
 * not go back. */
const struct usage *processes_read_tree(struct processes *processes, bool deep);

/* A process of the program, or a child that it has waited for, held PEAK bytes, which no look may have
 * seen. */
void processes_had(struct processes *processes, int64_t peak);

/* Bytes. */
struct process_memory {
	int64_t resident, peak; /* PEAK: of one process, so far */
};

/* *MEMORY is that of the process PID a moment before the last look. Adds what the rest of the tree
 * had at that look. Returns false if PID is not in the tree, or has ended. */
bool processes_correct(const struct processes *processes, pid_t pid, struct process_memory *memory);

/* All processes of LEVEL but this one, those of the tree as they were read last: CPU, RSS,
 * PROCESSES, and with IO what they have read and written. */
void processes_read_level(struct processes *processes, enum level level, bool io,
                          struct usage *out);

/* True if another rank of the launcher than the program still runs. */
bool processes_have_other_ranks(const struct processes *processes);

/* PSS and USS of the tree: takes time for each page that is mapped. */
void processes_read_shares(const struct processes *processes, struct usage *out);

/* Bytes of tmpfs and shared memory that the processes of the tree and of the job have mapped; what
 * several of them have counts for each. */
int64_t processes_read_mapped(struct processes *processes);

/* Allocates no memory. */
void processes_release(struct processes *processes);
