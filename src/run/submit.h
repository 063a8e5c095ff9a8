/* `nbscorep submit`: builds a notebook and submits its run script to Slurm. */
#pragma once

#include "process/environment.h"
#include "process/launch.h"
#include "run/submit_wait.h"
#include "settings/settings.h"

/* One submission. It outlives the notebook's memory. */
struct submit {
	struct arena *arena;
	const struct options *options;
	struct environment variables; /* that options of `run` set for the job */
	struct slice problem;         /* why the notebook is not submitted; empty: it is */
	struct launch_guard guard;
	struct slice run_script; /* its path */
	struct slice dependency; /* that the run script's header has, or empty */
	struct slice array;      /* the sets that --only chooses, or empty */
	int refused;             /* the status to exit with where --only cannot be */
	struct follow old
	        [FOLLOWS]; /* what is known, before the job may begin, of files that its header names */
	bool lacks_bindings; /* the job's Python, asked here */
	bool must_measure;   /* without them the job fails */
	bool appends;        /* the job appends to its output files */
	bool built;
};

/* The id of a job as sbatch --parsable prints it, "42" or "42_7", without a cluster after it. Empty if TEXT
 * is not one. */
struct slice submit_job_id(const char *text);

/* Builds the notebook of OPTIONS and submits it; with --wait waits for the job. Between the submission and the
 * answer no signal ends this program. Returns the status to exit with. */
int submit_notebook(struct arena *arena, const struct options *options);
