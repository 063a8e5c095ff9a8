/* A job of Slurm around this process. */
#ifndef NBSCOREP_RUN_JOB_H
#define NBSCOREP_RUN_JOB_H

#include "run/environment.h"

/* In a job, where ENVIRONMENT names no experiment directory: gives it the name that the run script
 * gives it (templates/run.sh) to a program that begins in FOLDER. PREFIX is
 * scorep_job_directory()'s. */
void job_name_directory(struct environment *environment, struct slice folder, struct slice prefix);

#endif
