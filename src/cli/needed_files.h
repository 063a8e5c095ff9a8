/* Files besides the script that a run needs: looked at when the notebook is compiled, since a job
 * that does not find one ends at once. */
#ifndef NBSCOREP_CLI_NEEDED_FILES_H
#define NBSCOREP_CLI_NEEDED_FILES_H

#include "cli/compile.h"

/* Reports each file that a program of C needs and that cannot be read, and notes the others in
 * c->needed. */
void needed_files_find(struct compilation *c);

#endif
