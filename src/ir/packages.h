/* Commands that install packages: found, and what they install. */
#ifndef NBSCOREP_IR_PACKAGES_H
#define NBSCOREP_IR_PACKAGES_H

#include "base/arena.h"
#include "base/slice.h"
#include "base/vector.h"

struct magic;

/* A line of a requirements list: "numpy>=1.2" of pip, "# conda: numpy" of others. */
typedef VECTOR(struct slice) package_list;

/* Does it change what is installed, and do nothing else: %pip install, %conda update, !pip install,
 * !apt install? */
bool packages_installs(const struct magic *magic);

/* Appends what the shell command COMMAND installs to OUT, each once: requirements of pip in the form of
 * a requirements file (pip's documentation, "Requirements File Format"), with -r and -e kept; packages
 * of another installer as comments that name it. */
void packages_collect(struct arena *arena, struct slice command, package_list *out);

#endif
