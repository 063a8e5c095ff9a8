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

#endif
