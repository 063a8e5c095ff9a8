/* Where nbscorep's recorder is: the shared object, and the Python files that start it. */
#ifndef NBSCOREP_RUN_RECORDER_FILES_H
#define NBSCOREP_RUN_RECORDER_FILES_H

#include "base/arena.h"

/* The folder with scorep_recorder.so, sitecustomize.py and the package scorep: that of this installation, found
 * relative to the program, or of the build. Empty: there is none, or the program cannot find itself. */
struct slice recorder_folder(struct arena *arena);

/* The shared object in it. */
struct slice recorder_object(struct arena *arena, struct slice folder);

#endif
