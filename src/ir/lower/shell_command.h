/* What a shell command of a notebook is about, as far as its first words tell. */
#ifndef NBSCOREP_IR_LOWER_SHELL_COMMAND_H
#define NBSCOREP_IR_LOWER_SHELL_COMMAND_H

#include "base/strbuf.h"

/* Takes the first of the commands that ;, &, &&, || and line ends join off the front of REST, with
 * its pipe, also out of (...), {...} and if, for, while; what is quoted or in $(...) is a part of it.
 * False: there is none left. */
bool shell_next_command(struct slice *rest, struct slice *out);

enum shell_installing { SHELL_INSTALLS_NOTHING, SHELL_INSTALLS_TOO, SHELL_INSTALLS_ONLY };

/* Do its commands change what is installed: pip, conda, mamba, uv or apt with "install", "update" and
 * the like, also behind sudo and "python -m"? TOO: some of them, and others do something else. */
enum shell_installing shell_installs(struct slice command);

/* Takes the next command that does off the front of REST. False: there is none left. */
bool shell_next_install(struct slice *rest, struct slice *out);

/* COMMAND with ":", which does nothing well, for those commands in it. */
struct slice shell_without_installs(struct arena *arena, struct slice command);

/* Does each quote in it close? */
bool shell_is_closed(struct slice text);

/* Is WORD the name of a program that installs packages? */
bool shell_is_installer(struct slice word);

/* Does it set something that ends with its shell: cd, export, source, a dot? The word, or an empty
 * slice. With && or ; behind it the rest of the command has its effect. */
struct slice shell_sets(struct slice command);

#endif
