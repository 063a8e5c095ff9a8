/* Writes files beside their destination and puts them in place when all are complete. */
#ifndef NBSCOREP_BASE_OS_PUT_H
#define NBSCOREP_BASE_OS_PUT_H

#include "base/os.h"
#include "base/os_inside.h"

/* Writes all COUNT FILES, then renames them into place one by one. Signals that a user or a batch
 * system sends do not end the program meanwhile. Returns 0. Returns -1, sets errno, and sets
 * *FAILED to the file that could not be written; then no file has changed, unless a rename failed
 * after an earlier one succeeded. */
int os_put_files(struct arena *arena, const struct os_file *files, size_t count,
                 const struct os_file **failed);

/* Writes FILE, which must stay valid until the commit, to a new file in the folder of its path.
 * Errors that close() would report are found here. Nothing appears at the path yet. Returns 0, or
 * -1 and sets errno; then the new file is removed. */
int os_pending_write(struct os_pending *pending, struct arena *arena, const struct os_file *file);

/* Renames the file into place. Returns 0, or -1 and sets errno; then the new file is removed and
 * PATH is unchanged. */
int os_pending_commit(struct os_pending *pending);

/* Removes the pending file, if PENDING has one; PENDING may be zeroed. Keeps errno. */
void os_pending_discard(struct os_pending *pending);

#endif
