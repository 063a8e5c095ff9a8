/* Files besides the script that a run needs: looked at when the notebook is compiled, since a job
 * that does not find one ends at once. */
#ifndef NBSCOREP_DRIVER_NEEDED_FILES_H
#define NBSCOREP_DRIVER_NEEDED_FILES_H

#include "driver/compile.h"

/* Reports each file that a program of C needs and that cannot be read, and notes the others in
 * c->needed. */
void needed_files_find(struct compilation *c);

/* Reads the file at PATH, which OPTION names (without its dashes), and notes it in c->needed. More
 * than LIMIT bytes are a failure. Returns 0, or -1 with a diagnostic. */
int needed_file_read(struct compilation *c, struct slice option, struct slice path, size_t limit,
                     struct slice *out);

#endif
