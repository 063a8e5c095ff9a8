/* Commands that install packages: found, and what they install. */
#ifndef NBSCOREP_IR_PACKAGES_H
#define NBSCOREP_IR_PACKAGES_H

#include "base/diag.h"
#include "base/name_set.h"

struct magic;

/* Does it change what is installed, and do nothing else: %pip install, %conda update, !pip install,
 * !apt install? */
bool packages_installs(const struct magic *magic);

/* Adds what the shell command COMMAND installs to OUT: requirements of pip in the form of a
 * requirements file (pip's documentation, "Requirements File Format"), "numpy>=1.2", with -r and -e
 * kept; packages of another installer as comments that name it, "# conda: numpy". */
void packages_collect(struct slice command, struct name_set *out);

/* Says that the command at WHERE is left out. */
void packages_warn(struct diags *diags, struct location where);

#endif
