/* Makes temporary folders, and removes them with their contents. */
#ifndef NBSCOREP_PROCESS_SCRATCH_H
#define NBSCOREP_PROCESS_SCRATCH_H

#include "base/arena.h"

/* Makes a private folder below $TMPDIR, or /tmp. Returns its absolute path, in ARENA, or NULL and sets
 * errno. */
const char *scratch_make(struct arena *arena);

/* Removes FOLDER and its contents. Returns 0, or -1 and sets errno if a part of it is left. */
int scratch_remove(const char *folder);

#endif
