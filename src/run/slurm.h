/* Asks Slurm about jobs, through its own commands. */
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
	bool never_starts; /* its dependency can no longer be satisfied */
	struct slice
	        hindrance; /* Slurm's word for why it waits, if the user may have to act; or empty */
	int status;        /* after its end, as in shells: 128 + signal */
	bool aborted;      /* SIGABRT ended the run script, or the program that took its place */
	struct slice task; /* its index in an array, or empty; may be "2-5" for tasks that wait */
	struct slice output, error; /* paths of its standard streams; empty: not known */
};
typedef VECTOR(struct slurm_job) slurm_job_list;

enum slurm_answer {
	SLURM_TOLD,
	SLURM_FORGOTTEN,   /* Slurm does not know the job (any longer) */
	SLURM_SILENT,      /* it does not answer now */
	SLURM_INTERRUPTED, /* a signal asks this program to end */
};

/* A job's id, and its cluster if sbatch has named one. */
struct slurm_id {
	const char *id, *cluster; /* cluster may be NULL */
};

/* True if a job in this state has ended for good. */
bool slurm_has_ended(enum slurm_state state);

/* The words for a job that ended in STATE, such as "reached its time limit", or NULL; Slurm's own
 * word. */
const char *slurm_ending(enum slurm_state state);
const char *slurm_state_name(enum slurm_state state);

/* Asks scontrol for the job, or all tasks of the array. The texts of JOBS live in ARENA. Sets *PROBLEM
 * to a message if no answer came. */
enum slurm_answer slurm_ask(struct arena *arena, const struct slurm_id *id, slurm_job_list *jobs,
                            struct slice *problem);

/* Asks the accounting (sacct), which remembers jobs longer, if the cluster has one. */
enum slurm_answer slurm_ask_accounting(struct arena *arena, const struct slurm_id *id,
                                       slurm_job_list *jobs);

/* Reads the output of `scontrol show job` into JOBS, as slurm_ask() does. */
void slurm_read_jobs(struct arena *arena, struct slice text, slurm_job_list *jobs);

/* Reads the output of `sacct --noheader --parsable2 --format=JobID,State,ExitCode` into JOBS. */
void slurm_read_accounting(struct arena *arena, struct slice text, slurm_job_list *jobs);

#endif
