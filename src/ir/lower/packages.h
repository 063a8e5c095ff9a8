/* Finds commands that install packages, and the names of these packages. */
#ifndef NBSCOREP_IR_LOWER_PACKAGES_H
#define NBSCOREP_IR_LOWER_PACKAGES_H

#include "base/name_set.h"
#include "diag/diag.h"

struct left_out_installs;
struct magic;

/* True if MAGIC only changes the installed packages: %pip install, %conda update, !pip install,
 * !apt install. */
bool packages_installs(const struct magic *magic);

/* Adds the packages that the shell command COMMAND installs to OUT: those of pip as lines of a
 * requirements file (pip's documentation, "Requirements File Format"), "numpy>=1.2", with -r and
 * -e; those of another installer as comments with its name, "# conda: numpy". */
void packages_collect(struct slice command, struct name_set *out);

/* Counts the command at WHERE as left out. */
void packages_leave_out(struct left_out_installs *installs, struct location where);

/* Warns about these commands once, at the first one. */
void packages_warn(struct diags *diags, const struct left_out_installs *installs);

#endif
