/* The runtime (templates/scorep_notebook/surround.py) as a file that exists only while it is open, so that it needs no
 * cleanup. */
#ifndef NBSCOREP_RUN_RUNTIME_FILE_H
#define NBSCOREP_RUN_RUNTIME_FILE_H

#include "base/slice.h"

/* The descriptor of the file in Python, also in templates/run.sh; other code does not usually use it. */
#define RUNTIME_DESCRIPTOR 19
#define RUNTIME_PATH "/dev/fd/19"

/* Returns a descriptor of a file in memory that contains TEXT, or -1 and sets errno. exec closes the
 * descriptor; the caller must close it as well. */
int runtime_file_open(struct slice text);

#endif
