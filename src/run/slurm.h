/* Slurm, through its own commands: submitting a job and asking how it is. */
#ifndef NBSCOREP_RUN_SLURM_H
#define NBSCOREP_RUN_SLURM_H

#include <stdbool.h>

#include "base/arena.h"
#include "base/slice.h"
#include "base/vector.h"

/* How a job ends; a job that has not ended is SLURM_PENDING or SLURM_RUNNING. */
enum slurm_state {
	SLURM_PENDING,
	SLURM_RUNNING, /* or between two states */
#define STATE(name, status, text) SLURM_##name,
#include "run/slurm_state.def"
#undef STATE
};

/* A job, or a task of an array of jobs. */
struct slurm_job {
	enum slurm_state state;
	bool never_starts; /* what it waits for has not come, and cannot any more */
	struct slice
	        hindrance; /* why it waits, in Slurm's word, where people may have to act; or empty */
	int status;        /* once it has ended, as shells have it: 128 + signal */
	bool aborted;      /* SIGABRT ended the run script, or the program that took its place */
	struct slice task; /* its index in an array, or empty; may be "2-5" while they wait */
	struct slice output, error; /* paths of its standard streams; empty: not known */
};
typedef VECTOR(struct slurm_job) slurm_job_list;

enum slurm_answer {
	SLURM_TOLD,
	SLURM_FORGOTTEN,   /* Slurm knows no such job (any more) */
	SLURM_SILENT,      /* it does not answer now */
	SLURM_INTERRUPTED, /* a signal asks this program to end */
};

/* A job's id, and its cluster where sbatch has named one. */
struct slurm_id {
	const char *id, *cluster; /* cluster: NULL */
};

/* Has a job in this state ended for good? */
bool slurm_has_ended(enum slurm_state state);

/* What is to be said of a job that ended so, such as "met its time limit", or NULL. Slurm's own
 * word. */
const char *slurm_ending(enum slurm_state state);
const char *slurm_state_name(enum slurm_state state);

/* Asks scontrol for the job, or all tasks of the array. What is told lives in ARENA; PROBLEM is a
 * message where nothing is. */
enum slurm_answer slurm_ask(struct arena *arena, const struct slurm_id *id, slurm_job_list *jobs,
                            struct slice *problem);

/* Asks the accounting (sacct), which remembers longer where there is one. */
enum slurm_answer slurm_ask_accounting(struct arena *arena, const struct slurm_id *id,
                                       slurm_job_list *jobs);

/* What `scontrol show job` prints, as slurm_ask() takes it. */
void slurm_read_jobs(struct arena *arena, struct slice text, slurm_job_list *jobs);

/* What `sacct --noheader --parsable2 --format=JobID,State,ExitCode` prints. */
void slurm_read_accounting(struct arena *arena, struct slice text, slurm_job_list *jobs);

#endif
