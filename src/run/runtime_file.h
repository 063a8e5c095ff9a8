/* The runtime (templates/runtime) as a file that lives as long as it is open, so that nothing has to be
 * cleaned up. */
#ifndef NBSCOREP_RUN_RUNTIME_FILE_H
#define NBSCOREP_RUN_RUNTIME_FILE_H

#include "base/slice.h"

/* The descriptor that Python gets it as, in templates/run.sh, too; not one that people use. */
#define RUNTIME_DESCRIPTOR 19
#define RUNTIME_PATH "/dev/fd/19"

/* A descriptor of a file in memory that holds TEXT; it closes when another program is started. The
 * caller closes it. Returns -1 with errno. */
int runtime_file_open(struct slice text);

#endif
