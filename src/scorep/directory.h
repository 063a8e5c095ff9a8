/* The name of the experiment directory, as a notebook gives it and the run script reads it: "%j" is
 * the id of Slurm's job, as in the file names of sbatch, or "local" outside of one; "%%" is "%". */
#ifndef NBSCOREP_SCOREP_DIRECTORY_H
#define NBSCOREP_SCOREP_DIRECTORY_H

#include <stdbool.h>

#include "base/slice.h"

struct arena;

#define SCOREP_JOB_VARIABLE SLICE("SLURM_JOB_ID")
#define SCOREP_NO_JOB SLICE("local")

/* Is NAME the variable with that name? */
bool scorep_names_directory(struct slice name);

/* How the experiment directories of a program begin that runs in a job and names none: SCRIPT is its
 * file. The job's id and more come behind it (templates/run.sh, run/job.h). */
struct slice scorep_job_directory(struct arena *arena, struct slice script);

/* Cuts the next part off the front of *REST: a TEXT, or the job's id, then TEXT is empty. False when
 * *REST was empty. */
bool scorep_directory_part(struct slice *rest, struct slice *text);

#endif
