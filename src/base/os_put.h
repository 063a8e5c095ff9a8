/* Writes files beside their destination and puts them in place when all are complete. */
#pragma once

#include "base/os.h"

/* Writes all COUNT FILES, then renames them into place one by one; a file that is there with the same
 * content only gets a new time. Signals that a user or a batch system sends do not end the program
 * meanwhile. Returns 0. Returns -1, sets errno, and sets *FAILED to the file that could not be
 * written; then no content has changed, unless a rename failed after an earlier one succeeded. */
int os_put_files(struct arena *arena, const struct os_file *files, size_t count,
                 const struct os_file **failed);
