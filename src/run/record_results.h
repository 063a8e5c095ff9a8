/* The end of a recording: its conversion, and what is said of it. */
#ifndef NBSCOREP_RUN_RECORD_RESULTS_H
#define NBSCOREP_RUN_RECORD_RESULTS_H

#include <stdbool.h>

#include "base/arena.h"

/* Converts the recording in DIRECTORY, and prints what is there and what opens it, unless it is to be QUIET. Processes that
 * still record get two seconds to end. RECOVERS: what another run has left. Returns the exit status. */
int record_results(struct arena *arena, const char *directory, bool recovers, bool quiet);

/* ---- the recorder's files ---- */

/* Where nbscorep's recorder is: the shared object, and the Python files that start it. */

/* The folder with scorep_recorder.so, sitecustomize.py and the package scorep: that of this installation, found
 * relative to the program, or of the build. Empty: there is none, or the program cannot find itself. */
struct slice recorder_folder(struct arena *arena);

/* The shared object in it. */
struct slice recorder_object(struct arena *arena, struct slice folder);

#endif
