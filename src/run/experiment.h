/* Finds the experiment directory of Score-P that a program has made, and its contents. */
#ifndef NBSCOREP_RUN_EXPERIMENT_H
#define NBSCOREP_RUN_EXPERIMENT_H

#include <stdbool.h>
#include <sys/types.h>

#include "process/environment.h"

/* The state before the program starts. */
struct experiment_search {
	struct arena *arena;
	const char *
	        named; /* SCOREP_EXPERIMENT_DIRECTORY, or NULL: "scorep-..." in the current folder */
	VECTOR(ino_t) before;
};

/* An experiment directory. Sizes are in bytes; -1: missing, or incomplete. */
struct experiment {
	struct slice path; /* absolute */
	size_t ranks;      /* with a directory of their own below it; 0: all ranks share it */
	struct slice
	        results; /* where profile and traces are: PATH, or the first rank's directory */
	long long size, profile, traces; /* of all, and in RESULTS */
	bool has_part; /* the profile or the traces are incomplete: Score-P was killed at writing */
};

/* Records the state before the program starts in ENVIRONMENT and the current folder. */
void experiment_prepare(struct experiment_search *search, struct arena *arena,
                        const struct environment *environment);

/* The bytes in new directories while the program runs. DATA is a struct experiment_search. */
long long experiment_growth(void *data);

/* Finds the new directory after the end of the program, in the same folder; the youngest of several.
 * Score-P renames an older directory of that name. Returns false if no directory is new. */
bool experiment_find(const struct experiment_search *search, struct experiment *out);

#endif
