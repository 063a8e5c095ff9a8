/* Score-P's experiment directory: which one a program has made, and what is in it. */
#ifndef NBSCOREP_RUN_EXPERIMENT_H
#define NBSCOREP_RUN_EXPERIMENT_H

#include <stdbool.h>
#include <sys/types.h>

#include "process/environment.h"

/* What there was before the program started. */
struct experiment_search {
	struct arena *arena;
	const char *
	        named; /* SCOREP_EXPERIMENT_DIRECTORY, or NULL: "scorep-..." in the current folder */
	VECTOR(ino_t) before;
};

/* What there is in it; sizes in bytes, -1: there is none, or only a part of it. */
struct experiment {
	struct slice path; /* absolute */
	size_t ranks;      /* that have each a directory below it; 0: it is the one of all */
	struct slice
	        results; /* where profile and traces are: PATH, or the first rank's directory */
	long long size, profile, traces; /* of all, and in RESULTS */
	bool has_part; /* of the profile or the traces: Score-P was killed while it wrote them */
};

/* Looks before the program starts in ENVIRONMENT and the current folder. */
void experiment_prepare(struct experiment_search *search, struct arena *arena,
                        const struct environment *environment);

/* Bytes in the directories that are new, while the program runs; DATA is a struct experiment_search. */
long long experiment_growth(void *data);

/* Afterwards, in the same folder: the directory that is new, the youngest one of several. Score-P renames
 * an older one of that name. Returns false where there is none. */
bool experiment_find(const struct experiment_search *search, struct experiment *out);

#endif
