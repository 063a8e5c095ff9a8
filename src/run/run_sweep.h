/* `nbscorep run --sweep`: the sets of a sweep, several side by side. */
#ifndef NBSCOREP_RUN_RUN_SWEEP_H
#define NBSCOREP_RUN_RUN_SWEEP_H

#include "run/run.h"

/* Runs the sets of the sweep that --only chooses. Returns the status to exit with: 0 when all went well,
 * 1 when one did not, 128 + a signal that asked for the end. */
int run_sweep(struct run *run);

#endif
