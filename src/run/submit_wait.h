/* `nbscorep submit --wait`: asks Slurm about the job through its own commands, and prints the job's output. */
#pragma once

#include <sys/stat.h>

#include "base/base.h"

struct submit;

/* ---- Slurm ---- */

enum slurm_state {
#define STATE(name, status, text) SLURM_##name,
#include "run/slurm_state.def"
};

/* A job, or a task of an array of jobs. */
struct slurm_job {
	enum slurm_state state;
	bool never_starts;      /* its dependency can no longer be satisfied */
	struct slice hindrance; /* Slurm's word for why it waits for the user to act; or empty */
	int status;             /* after its end, as in shells: 128 + signal */
	const char *ending; /* the words for its end, such as "reached its time limit", or NULL */
	struct slice task;  /* its index in an array, or empty; may be "2-5" for tasks that wait */
	struct slice output, error; /* paths of its standard streams; empty: not known */
};
typedef VECTOR(struct slurm_job) slurm_job_list;

/* A job's id, and its cluster if sbatch has named one. */
struct slurm_id {
	const char *id, *cluster; /* cluster may be NULL */
};

/* Reads the output of `scontrol show job` into JOBS. The texts of JOBS are parts of TEXT. */
void slurm_read_jobs(struct arena *arena, struct slice text, slurm_job_list *jobs);

/* ---- the output of the job ---- */

/* Follows a file that another process writes, as `tail -f` does. */
struct follow {
	const char *path;
	int target;   /* the descriptor to write to */
	off_t offset; /* of the next byte */
	bool found;   /* the file has existed */
	bool is_old;  /* it matches BEFORE, so its writer has not begun yet */
	struct stat before;
};

/* The files of standard output and standard error. */
enum { FOLLOW_OUTPUT, FOLLOW_ERROR, FOLLOWS };

/* Marks the current content of the file as older than the writer. The writer replaces the content or,
 * if it APPENDS, continues after it. */
void follow_mark_old(struct follow *follow, bool appends);

/* Passes on new text. A file that has become shorter was begun again. Returns 1 if text was passed on,
 * 0 if not (or the file does not exist yet), or -1 and sets errno if TARGET cannot be written. */
int follow_pass_on(struct follow *follow);

/* ---- the wait ---- */

/* Waits until the job has ended, and passes its output on meanwhile. Signals are held by the guard;
 * one that asks for an end leaves the job alone. Returns the status to exit with: the job's. */
int submit_wait(const struct submit *submit, const struct slurm_id *id);
