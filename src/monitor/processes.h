/* The processes that are watched, and what they have used. Who came and went between two looks is
 * found in what its parent has inherited of it: the kernel adds processor time, faults and I/O of
 * a child that is waited for to those of its parent (wait_task_zombie() in Linux' kernel/exit.c). */
#ifndef NBSCOREP_MONITOR_PROCESSES_H
#define NBSCOREP_MONITOR_PROCESSES_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/vector.h"
#include "monitor/procfs.h"
#include "monitor/series.h"

/* Numbers by metric. */
struct usage {
	int64_t of[METRIC_COUNT];
};

/* Files of a process that stay open. */
enum process_file { FILE_STAT, FILE_STATM, FILE_IO, FILE_STATUS, PROCESS_FILE_COUNT };

struct process {
	pid_t pid, parent;
	bool in_tree;    /* the program, or started by it */
	unsigned levels; /* others that it belongs to: 1u << LEVEL_USER, 1u << LEVEL_SLURM */
	bool seen;       /* at the last look through all */
	bool ended;
	bool is_known;                 /* it has been read since it or its parent changed */
	bool io_is_old;                /* it has run since its I/O was read */
	int files[PROCESS_FILE_COUNT]; /* -1: not open */
	struct usage own;              /* I/O with what was inherited, the rest without */
	struct usage inherited; /* processor time and faults of children that it waited for */
	struct usage gained;    /* of these, since the look before */
};

struct processes {
	struct arena *arena;
	VECTOR(struct process *) list;  /* by pid; also those that are of no interest */
	VECTOR(struct process *) spare; /* for use again */
	pid_t root;                     /* the program */
	bool adopts;                    /* its orphans come to this process */
	pid_t launcher;      /* whose other children are the program's, too; 0: nobody's */
	unsigned levels;     /* that are wanted besides the program's */
	const char *job;     /* the number of the Slurm job, or NULL */
	int loadavg;         /* /proc/loadavg, or -1 */
	int64_t last_pid;    /* made when the list was up to date */
	struct process self; /* this process: what it inherits of the program */
	struct usage before; /* what this one had inherited before the program began */
	struct usage lost;   /* of the tree: ended, and inherited by nobody in it */
	struct usage ended[LEVEL_COUNT]; /* of the other processes of a level that have ended */
	struct usage tree;               /* at the last look */
	bool tree_grew; /* by somebody whose children may be strangers in the list */
	bool any_ended; /* and stands in the list until the next look */
};

/* Whom to watch. */
struct processes_order {
	pid_t pid;       /* the program */
	bool adopts;     /* this process is its parent, and a subreaper */
	pid_t launcher;  /* what has started ranks beside it on this node; 0: nothing */
	unsigned levels; /* of 1u << LEVEL_USER and 1u << LEVEL_SLURM: all of these, too */
};

/* Begins to watch. The job is that of SLURM_JOB_ID; its processes are those of its control group, or
 * where there is none those that have the variable, too. Raises the limit of open files of this
 * process. */
void processes_init(struct processes *processes, struct arena *arena,
                    const struct processes_order *order);

/* Finds out who has come; cheap where nobody has. FULL: looks through all processes, which finds
 * also who came while it looked the last time. */
void processes_scan(struct processes *processes, bool full);

/* What the program and all that it has started have used by now: CPU, RSS, I/O, faults, PROCESSES,
 * THREADS, and the PEAK_RSS of the last DEEP look, which costs more. Counters do not go back. */
const struct usage *processes_read_tree(struct processes *processes, bool deep);

/* All processes of LEVEL but this one, those of the tree as they were read last: CPU, RSS,
 * PROCESSES, and with IO what they have read and written. */
void processes_read_level(struct processes *processes, enum level level, bool io,
                          struct usage *out);

/* The numbers of those of the tree, sorted, into PIDS, which has room for MOST; how many they are. */
size_t processes_of_tree(const struct processes *processes, pid_t *pids, size_t most);

/* PSS and USS of the tree: takes time for each page that is mapped. */
void processes_read_shares(const struct processes *processes, struct usage *out);

/* Context switches of all threads of the tree. */
void processes_read_switches(const struct processes *processes, struct usage *out);

void processes_release(struct processes *processes);

#endif
