/* `nbscorep submit`: what its steps share. command_submit.c builds and submits, submit_wait.c waits
 * for the job. */
#ifndef NBSCOREP_CLI_SUBMIT_WAIT_H
#define NBSCOREP_CLI_SUBMIT_WAIT_H

#include "cli/choose_program.h"
#include "cli/cli.h"
#include "process/launch.h"
#include "run/follow.h"
#include "run/slurm.h"

/* One submission. It outlives the notebook's memory. */
struct submit {
	struct invocation *invocation;
	struct program_choice choice;
	struct launch_guard guard;
	struct slice run_script; /* its path */
	struct slice dependency; /* that the run script's header has, or empty */
	struct slice array;      /* the sets that --only chooses, or empty */
	struct slice answer;     /* of sbatch, until its user has the job's id from this program */
	int refused;             /* the status to exit with where --only cannot be */
	/* What is known, before the job may begin, of the files that its header names. */
	struct follow old_output, old_error;
	bool appends;             /* the job writes behind what its output files hold */
	bool built, other_system; /* a header of another batch system than Slurm */
};

static inline struct arena *submit_arena(const struct submit *submit)
{
	return submit->invocation->arena;
}

/* Waits until the job has ended, and passes its output on meanwhile. Signals are held by the guard;
 * one that asks for an end leaves the job alone. Returns the status to exit with: the job's. */
int submit_wait(const struct submit *submit, const struct slurm_id *id);

#endif
