/* What one process has used. */
#ifndef NBSCOREP_SAMPLE_PROCESS_USAGE_H
#define NBSCOREP_SAMPLE_PROCESS_USAGE_H

#include "sample/process_list.h"

/* What adds up, over processes and over time. */
enum { USAGE_COUNTERS = 9 };
extern const enum metric usage_counters[USAGE_COUNTERS];

/* Adds the counters of USAGE to SUM. */
void usage_add(struct usage *sum, const struct usage *usage);

/* Since the last look. */
enum process_state { PROCESS_WAITED, PROCESS_RAN, PROCESS_ENDED };

/* Reads the processor time, which can lag by a clock tick for a running process. If it is unchanged,
 * the process has not run, and nothing else has changed but what the kernel has reclaimed, which is
 * seen when it runs again. Most processes of a user wait most of the time. */
enum process_state process_read_cpu(struct process *process);

/* Reads the resident memory; false when it has ended. */
bool process_read_memory(struct process *process);

/* Reads what it and the children that it waited for have read and written. */
void process_read_io(struct process *process);

/* Reads a process of the program; DEEP: its I/O and its highest resident memory, too. Sets ENDED
 * where it has. */
void process_read(struct process *process, bool deep);

/* Reads the processor time and the resident memory alone. Sets ENDED where it has. */
void process_read_briefly(struct process *process);

/* Reads the processor time and the faults that PROCESS has inherited from its children. Returns false
 * if it is gone. */
bool process_read_inherited(struct process *process);

/* What this process, SELF, has inherited from its children; its own use is left out. */
void process_read_self(struct process *self);

/* Subtracts from the I/O of SELF what the threads of this process have done. */
void process_subtract_threads(struct process *self);

#endif
