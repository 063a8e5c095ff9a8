/* `nbscorep submit --wait`: waits for the job and prints its output. */
#ifndef NBSCOREP_RUN_SUBMIT_WAIT_H
#define NBSCOREP_RUN_SUBMIT_WAIT_H

#include "run/submit.h"

/* Waits until the job has ended, and passes its output on meanwhile. Signals are held by the guard;
 * one that asks for an end leaves the job alone. Returns the status to exit with: the job's. */
int submit_wait(const struct submit *submit, const struct slurm_id *id);

#endif
