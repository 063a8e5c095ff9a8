/* Writes files beside their destination and puts them in place when all are complete. */
#ifndef NBSCOREP_BASE_OS_PUT_H
#define NBSCOREP_BASE_OS_PUT_H

#include "base/os.h"
#include "base/os_inside.h"

/* True if a signal waits that will end the program when os_put_files() lets it. */
bool os_is_asked_to_end(void);

/* Writes all COUNT FILES, then renames one after the other into place. Meanwhile no signal of a
 * user or a batch system ends the program. Returns 0, or -1 with errno and *FAILED, the one that
 * could not be written: then nothing has changed, unless a rename failed after another one went
 * well. */
int os_put_files(struct arena *arena, const struct os_file *files, size_t count,
                 const struct os_file **failed);

/* Writes FILE, which stays valid until the commit, to a new file in the folder of its path; what
 * close() would find is asked for already. Nothing exists under the path's own name yet. On failure
 * nothing is left. */
int os_pending_write(struct os_pending *pending, struct arena *arena, const struct os_file *file);

/* Renames the file into place. On failure nothing of it is left, and PATH is as it was. */
int os_pending_commit(struct os_pending *pending);

/* Removes the pending file, if there is one (also of an all-zero struct). errno is kept. */
void os_pending_discard(struct os_pending *pending);

#endif
