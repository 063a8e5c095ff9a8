/* What the parts of os.h share; private to them. */
#ifndef NBSCOREP_BASE_OS_INSIDE_H
#define NBSCOREP_BASE_OS_INSIDE_H

#include "base/os.h"

extern const struct os_calls *os_calls_in_use;

/* A file being written beside its destination. It has no name until it is complete, if the file
 * system supports this (O_TMPFILE), so a killed program leaves nothing in the folder. Otherwise it
 * is called ".NAME.nbscorep-XXXXXX". */
struct os_pending {
	char *path;                 /* arena memory; NULL: nothing pending */
	char *temporary;            /* its name until the final rename */
	int fd;                     /* of a file that has no name yet, else -1 */
	const struct os_file *file; /* what to write */
};

#endif
