/* The processes of the node, and which of them belong to the program or to a level. */
#pragma once

#include <sys/types.h>

#include "sample/procfs.h"
#include "sample/series.h"

enum {
	PROCESS_TEXT_MAX = 16384
}; /* the status of a process of a user in more than a thousand groups */

/* Numbers by metric. */
struct usage {
	int64_t of[METRIC_COUNT];
};

/* Files of a process that stay open. */
enum process_file { FILE_STAT, FILE_IO, FILE_STATUS, FILE_STATM, PROCESS_FILE_COUNT };

/* None of them is open. */
#define PROCESS_NO_FILES                                                                           \
	{                                                                                          \
		-1, -1, -1, -1                                                                     \
	}

struct process {
	pid_t pid, parent;
	bool in_tree;    /* the program, or started by it */
	unsigned levels; /* others that it belongs to: 1u << LEVEL_USER, 1u << LEVEL_SLURM */
	bool seen;       /* at the last look through all */
	bool ended;
	bool is_known;       /* it has been read since it or its parent changed */
	bool io_is_old;      /* it has run since its I/O was read */
	bool passed_over;    /* it was not looked at the last time */
	unsigned char asked; /* how often for the mark of what the program has started */
	unsigned waits;      /* how often it had not run when it was looked at, in a row */
	int files[PROCESS_FILE_COUNT]; /* -1: not open */
	int files_end; /* descriptors from this one on do not stay open: else there would be none left */
	int64_t size;           /* of its address space, in bytes */
	int64_t peak_faults;    /* page faults up to when its highest resident memory was read */
	struct usage own;       /* I/O with what was inherited, the rest without */
	struct usage inherited; /* processor time and faults of children that it waited for */
	struct usage gained;    /* of these, since the look before */
};

typedef VECTOR(struct process *) process_list;

enum { PROCESS_UNSEEN_MAX = 64 };

/* A PID that is allocated but whose process is not visible yet. */
struct unseen_process {
	pid_t pid;
	bool is_old; /* it was not seen at the last tick, either */
};

struct processes {
	struct arena *arena;
	/* What to watch: */
	pid_t root;       /* the program */
	bool adopts;      /* this process is its parent, and a subreaper: its orphans come here */
	unsigned levels;  /* of 1u << LEVEL_USER and 1u << LEVEL_SLURM: all of these, too */
	bool takes_turns; /* deep looks and others at the program will come */
	/* The launcher of the program's ranks on this node: children with RANK_VARIABLE in their
	 * environment count as the program. PID 0: no launcher. */
	struct process launcher;
	const char *rank_variable;
	/* What is known: */
	process_list list;    /* all, by pid, also those that are of no interest */
	process_list members; /* of the tree, by pid */
	process_list spare;   /* for use again */
	const char *job;      /* the number of the Slurm job, or NULL */
	int loadavg;          /* /proc/loadavg, or -1 */
	int64_t last_pid;     /* made when the list was up to date */
	int64_t read_pid;     /* made when the tree was read in full */
	size_t scanned;       /* how long the list was when all were looked through */
	int scans_due;        /* looks through all, one at each tick */
	struct unseen_process unseen[PROCESS_UNSEEN_MAX];
	size_t unseen_count;
	struct process self;             /* this process: what it inherits of the program */
	struct usage before;             /* what this one had inherited before the program began */
	struct usage lost;               /* of the tree: ended, and not inherited in it */
	struct usage ranks;              /* ranks that have ended, as they were read last */
	struct usage launched;           /* what the launcher has inherited since the beginning */
	struct usage ended[LEVEL_COUNT]; /* of the other processes of a level that have ended */
	struct usage tree;               /* at the last look */
	bool tree_grew; /* by a process whose children may be in the list, outside of the tree */
	bool in_doubt;  /* a new process may still get the mark */
	bool any_rank_ended;
	bool any_ended; /* and stays in the list until the next look */
	bool everybody; /* look at all processes, also at those that have waited for long */
};

/* The process PID, or NULL. */
struct process *process_find(const struct processes *processes, pid_t pid);

/* Takes PID into the list, if it is not there, and finds out where it belongs. */
void process_add(struct processes *processes, pid_t pid);

/* Removes every process for which MATCHES returns true. */
void process_drop(struct processes *processes, bool (*matches)(const struct process *process));

/* A program that attaches a sampler to itself gives what it starts this variable. Its own number as
 * the value finds processes that no longer have a parent in the tree; 0 leaves a process out. */
#define PROCESS_VARIABLE "NBSCOREP_SAMPLED"

/* True if PID started with the variable NAME in its environment, and VALUE (-1: any); false if that cannot be read. */
bool process_has_variable(pid_t pid, const char *name, int value);

/* What FILE of PROCESS holds now, in BUFFER; empty where it cannot be read. It stays open. */
struct slice process_read_file(struct process *process, enum process_file file,
                               char buffer[PROCESS_TEXT_MAX]);

/* Reads the stat of PROCESS; false where that cannot be read. */
bool process_read_stat(struct process *process, struct procfs_stat *stat);

void process_close_files(struct process *process);

/* Finds new processes; cheap if no process is new. With TICK, about once a second, it stops looking for PIDs that
 * were not visible at the last two ticks. */
void processes_scan(struct processes *processes, bool tick);
