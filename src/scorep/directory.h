/* The name of the experiment directory, as a notebook sets it and the run script reads it: "%j" is
 * the id of the Slurm job, as in the file names of sbatch, or "local" outside of a job; "%%" is
 * "%". */
#ifndef NBSCOREP_SCOREP_DIRECTORY_H
#define NBSCOREP_SCOREP_DIRECTORY_H

#include <stdbool.h>

#include "base/slice.h"

struct arena;

#define SCOREP_JOB_VARIABLE SLICE("SLURM_JOB_ID")
#define SCOREP_NO_JOB SLICE("local")

/* True if NAME is SCOREP_EXPERIMENT_DIRECTORY. */
bool scorep_names_directory(struct slice name);

/* Cuts the next part off the beginning of *REST. *TEXT is the part, or empty for the job's id.
 * Returns false if *REST is empty. */
bool scorep_directory_part(struct slice *rest, struct slice *text);

#endif
