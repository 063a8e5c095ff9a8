/* Classifies the shell commands of a notebook by their first words. */
#ifndef NBSCOREP_IR_LOWER_SHELL_COMMAND_H
#define NBSCOREP_IR_LOWER_SHELL_COMMAND_H

#include "base/strbuf.h"

/* Removes the first command, with its pipe, from the start of REST and sets *OUT to it. Commands
 * are separated by ;, &, &&, || and line ends, also in (...), {...} and if, for, while. Quoted text
 * and $(...) are part of a command. Returns false if REST is empty. */
bool shell_next_command(struct slice *rest, struct slice *out);

enum shell_installing { SHELL_INSTALLS_NOTHING, SHELL_INSTALLS_TOO, SHELL_INSTALLS_ONLY };

/* Returns whether its commands change the installed packages: pip, conda, mamba, uv or apt with
 * "install", "update" and similar, also after sudo and "python -m". TOO: some of its commands
 * do. */
enum shell_installing shell_installs(struct slice command);

/* As shell_next_command(), for commands that change the installed packages only. */
bool shell_next_install(struct slice *rest, struct slice *out);

/* Returns COMMAND with these commands replaced by ":", which does nothing and succeeds. */
struct slice shell_without_installs(struct arena *arena, struct slice command);

/* True if each quote in TEXT is closed. */
bool shell_is_closed(struct slice text);

/* True if WORD is the name of a program that installs packages. */
bool shell_is_installer(struct slice word);

/* Returns the first word of COMMAND if its effect ends with the shell: cd, export, source, a dot;
 * else an empty slice. With && or ; in COMMAND its other parts see the effect. */
struct slice shell_sets(struct slice command);

#endif
