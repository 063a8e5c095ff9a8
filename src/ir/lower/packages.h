/* Commands that install packages: found, and what they install. */
#ifndef NBSCOREP_IR_LOWER_PACKAGES_H
#define NBSCOREP_IR_LOWER_PACKAGES_H

#include "base/name_set.h"
#include "diag/diag.h"

struct left_out_installs;
struct magic;

/* Does it change what is installed, and do nothing else: %pip install, %conda update, !pip install,
 * !apt install? */
bool packages_installs(const struct magic *magic);

/* Adds what the shell command COMMAND installs to OUT: requirements of pip in the form of a
 * requirements file (pip's documentation, "Requirements File Format"), "numpy>=1.2", with -r and -e
 * kept; packages of another installer as comments that name it, "# conda: numpy". */
void packages_collect(struct slice command, struct name_set *out);

/* Notes that the command at WHERE is left out. */
void packages_leave_out(struct left_out_installs *installs, struct location where);

/* Warns about those commands: once, at the first. */
void packages_warn(struct diags *diags, const struct left_out_installs *installs);

#endif
