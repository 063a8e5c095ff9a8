/* Experiment directories for processes of Slurm jobs and of launchers. */
#ifndef NBSCOREP_RUN_JOB_H
#define NBSCOREP_RUN_JOB_H

#include "process/environment.h"

/* In a job, if ENVIRONMENT does not name an experiment directory: sets the name that the run script
 * (templates/run.sh) sets for a program that begins in FOLDER. PREFIX is from
 * scorep_job_directory(). */
void job_name_directory(struct environment *environment, struct slice folder, struct slice prefix);

/* For one of several processes that a launcher has started and that measure separately: sets in
 * ENVIRONMENT an experiment directory for this process below that of the run, as the run script does.
 * Returns the rank, or an empty slice, without a change, if it is the only process. PREFIX is from
 * scorep_job_directory(). */
struct slice job_own_directory(struct environment *environment, struct slice prefix);

#endif
