/* The experiment directory of a run, and its contents. The runtime package writes its path into the
 * file `measurement` of the run's temporary folder (templates/scorep_notebook/measurement.py). */
#ifndef NBSCOREP_RUN_EXPERIMENT_H
#define NBSCOREP_RUN_EXPERIMENT_H

#include <stdbool.h>

#include "base/arena.h"
#include "base/slice.h"

/* An experiment directory. Sizes are in bytes; -1: missing, or incomplete. */
struct experiment {
	struct slice path; /* absolute; empty: the run has made none */
	size_t ranks;      /* with a directory of their own below it; 0: all ranks share it */
	struct slice
	        results; /* where profile and traces are: PATH, or the first rank's directory */
	long long size, profile, traces; /* of all, and in RESULTS */
	bool has_part; /* the profile or the traces are incomplete: Score-P was killed at writing */
};

/* The bytes in the directory so far. DATA points to the name of the temporary folder. For struct growth. */
long long experiment_growth(void *data);

/* Reads what the run with the temporary FOLDER has made into *OUT, in ARENA. Returns false if the run was not
 * measured. */
bool experiment_read(struct arena *arena, const char *folder, struct experiment *out);

#endif
