/* What started this process: a job of Slurm, a launcher. */
#ifndef NBSCOREP_RUN_JOB_H
#define NBSCOREP_RUN_JOB_H

#include "process/environment.h"

/* In a job, where ENVIRONMENT names no experiment directory: gives it the name that the run script
 * gives it (templates/run.sh) to a program that begins in FOLDER. PREFIX is
 * scorep_job_directory()'s. */
void job_name_directory(struct environment *environment, struct slice folder, struct slice prefix);

/* One of several processes that a launcher has started, and that measure separately: gives ENVIRONMENT an
 * experiment directory for this one below that of the run, as the run script does. Returns its rank,
 * or an empty slice and changes nothing where it is alone. PREFIX is scorep_job_directory()'s. */
struct slice job_own_directory(struct environment *environment, struct slice prefix);

#endif
