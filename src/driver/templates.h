/* Templates of the user's: --template-dir. */
#ifndef NBSCOREP_DRIVER_TEMPLATES_H
#define NBSCOREP_DRIVER_TEMPLATES_H

#include "driver/compile.h"

/* Reads and checks the templates in FOLDER into c->templates, and notes the files in c->needed. Files
 * whose names begin with a dot or end in ~ are passed over. Problems become diagnostics, at their
 * places. Returns 0 or -1. */
int templates_read(struct compilation *c, struct slice folder);

#endif
