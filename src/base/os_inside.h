/* What the parts of os.h share; not for others. */
#ifndef NBSCOREP_BASE_OS_INSIDE_H
#define NBSCOREP_BASE_OS_INSIDE_H

#include "base/os.h"

extern const struct os_calls *os_calls_in_use;

/* A file being written beside its destination. It has no name until it is complete where the file
 * system can do that (O_TMPFILE), so that a killed program leaves nothing behind; elsewhere it is
 * called ".NAME.nbscorep-XXXXXX". */
struct os_pending {
	char *path;                 /* arena memory; NULL: nothing pending */
	char *temporary;            /* its name until it is renamed */
	int fd;                     /* of a file that has no name yet, else -1 */
	const struct os_file *file; /* what it holds */
};

#endif
