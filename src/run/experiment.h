/* The experiment directory of a run, and its contents. The runtime package writes its path into the
 * file `measurement` of the run's temporary folder (templates/scorep_notebook/measurement.py). */
#pragma once

#include "base/base.h"

/* An experiment directory. Sizes are in bytes; -1: missing, or incomplete. */
struct experiment {
	struct slice path;    /* absolute; empty: the run has made none */
	size_t ranks;         /* with a directory of their own below it; 0: all ranks share it */
	struct slice results; /* where profile and traces are: PATH, or that of the first rank */
	long long size, profile, traces; /* of all, and in RESULTS */
	bool has_part; /* the profile or the traces are incomplete: Score-P was killed at writing */
};

/* The bytes in the directory so far. DATA points to the name of the temporary folder. For struct launch_order. */
long long experiment_growth(void *data);

/* Reads what the run with the temporary FOLDER has made into *OUT, in ARENA. Before that it converts what nbscorep's
 * recorder has recorded, and prints a table of it unless it is to be QUIET. Returns false if the run was not
 * measured. */
bool experiment_read(struct arena *arena, const char *folder, bool quiet, struct experiment *out);

/* "open with: otf2-print", for the first program on PATH that opens the trace or the profile, or
 * "open elsewhere with: vampir". */
struct slice experiment_viewer(struct arena *arena, bool is_trace);

/* Converts the recording in DIRECTORY, and prints what is there and what opens it, unless it is to be QUIET. Processes that
 * still record get two seconds to end. RECOVERS: what another run has left. Returns the exit status. */
int record_results(struct arena *arena, const char *directory, bool recovers, bool quiet);

/* scorep_recorder.so of this installation, found relative to the program, or of the build. In its folder are
 * sitecustomize.py and the package scorep, too. Empty: there is none, or the program cannot find itself. */
struct slice recorder_object(struct arena *arena);
