/* Writes the runtime package beside scripts. */
#ifndef NBSCOREP_DRIVER_PACKAGE_H
#define NBSCOREP_DRIVER_PACKAGE_H

#include "base/arena.h"
#include "base/slice.h"

/* Returns the path of the runtime package in FOLDER. */
struct slice package_path(struct arena *arena, struct slice folder);

/* Writes the runtime package to PATH, from package_path(), unless something is there: a folder of this
 * name has the same content, and running jobs may use it. Several processes may do this at the same
 * time. Returns 0, or -1 and sets errno; then nothing is left. */
int package_write(struct arena *arena, struct slice path);

#endif
