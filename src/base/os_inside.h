/* What the parts of os.h share; not for others. */
#ifndef NBSCOREP_BASE_OS_INSIDE_H
#define NBSCOREP_BASE_OS_INSIDE_H

#include "base/os.h"

extern const struct os_calls *os_calls_in_use;

/* open() with O_CLOEXEC, again after EINTR. */
int os_open_retrying(const char *path, int flags, unsigned mode);

/* Closes without touching errno: for the way out after another failure. */
void os_close_quietly(int fd);

/* PATH's folder, with its slash; empty for the current folder. */
struct slice os_folder_of(const char *path);

/* A file being written beside its destination. It has no name until it is complete where the file
 * system can do that (O_TMPFILE), so that a killed program leaves nothing behind; elsewhere it is
 * called ".NAME.nbscorep-XXXXXX". */
struct os_pending {
	char *path;                 /* arena memory; NULL: nothing pending */
	char *temporary;            /* its name until it is renamed */
	int fd;                     /* of a file that has no name yet, else -1 */
	const struct os_file *file; /* what it holds */
};

/* Writes FILE, which stays valid until the commit, to a new file in the folder of its path; what
 * close() would find is asked for already. Nothing exists under the path's own name yet. On failure
 * nothing is left. */
int os_pending_write(struct os_pending *pending, struct arena *arena, const struct os_file *file);

/* Renames the file into place. On failure nothing of it is left, and PATH is as it was. */
int os_pending_commit(struct os_pending *pending);

/* Removes the pending file, if there is one (also of an all-zero struct). errno is kept. */
void os_pending_discard(struct os_pending *pending);

#endif
