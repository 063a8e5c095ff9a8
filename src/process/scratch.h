/* A temporary folder, and its removal with all that is in it by then. */
#ifndef NBSCOREP_PROCESS_SCRATCH_H
#define NBSCOREP_PROCESS_SCRATCH_H

#include "base/arena.h"

/* Makes a folder of the user's own below $TMPDIR, or /tmp. Returns its absolute path, or NULL with
 * errno. */
const char *scratch_make(struct arena *arena);

/* Removes it. Returns 0, or -1 with errno when something of it is left. */
int scratch_remove(const char *folder);

#endif
