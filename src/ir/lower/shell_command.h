/* Classifies the shell commands of a notebook by their first words; finds those that install packages,
 * and the names of these packages. */
#pragma once

#include "base/name_set.h"

struct magic;

enum shell_installing { SHELL_INSTALLS_NOTHING, SHELL_INSTALLS_TOO, SHELL_INSTALLS_ONLY };

/* Returns whether its commands change the installed packages: pip, conda, mamba, uv or apt with
 * "install", "update" and similar, also after sudo and "python -m". TOO: some of its commands
 * do. */
enum shell_installing shell_installs(struct slice command);

/* Removes the first command that changes the installed packages, and the commands before it, from the
 * start of REST and sets *OUT to it. Returns false if none is left. */
bool shell_next_install(struct slice *rest, struct slice *out);

/* Returns COMMAND with these commands replaced by ":", which does nothing and succeeds. */
struct slice shell_without_installs(struct arena *arena, struct slice command);

/* True if each quote in TEXT is closed. */
bool shell_is_closed(struct slice text);

/* Returns the first word of COMMAND if its effect ends with the shell: cd, export, source, a dot;
 * else an empty slice. With && or ; in COMMAND its other parts see the effect. */
struct slice shell_sets(struct slice command);

/* True if MAGIC only changes the installed packages: %pip install, %conda update, !pip install,
 * !apt install. */
bool packages_installs(const struct magic *magic);

/* Adds the packages that the shell command COMMAND installs to OUT: those of pip as lines of a
 * requirements file (pip's documentation, "Requirements File Format"), "numpy>=1.2", with -r and
 * -e; those of another installer as comments with its name, "# conda: numpy". */
void packages_collect(struct slice command, struct name_set *out);
