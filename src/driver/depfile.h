/* The dependency file of a script for make and ninja. */
#pragma once

#include "driver/compile.h"

/* Appends "TARGETS: DEPENDENCIES" to OUT, where the dependencies are what the build of C has read, and an
 * empty rule for each dependency, so that a deleted file does not stop make. Returns 0, or -1 with a
 * diagnostic if make cannot read a name; one that only ninja cannot read is a warning. */
int depfile_make(struct compilation *c, const struct slice targets[2], struct strbuf *out);
