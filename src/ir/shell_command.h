/* What a shell command of a notebook is about, as far as its first words tell. */
#ifndef NBSCOREP_IR_SHELL_COMMAND_H
#define NBSCOREP_IR_SHELL_COMMAND_H

#include "base/slice.h"

/* Does it install packages: pip, conda, mamba, uv or apt with "install", also behind sudo and
 * "python -m"? */
bool shell_installs(struct slice command);

/* Is WORD the name of a program that installs packages? */
bool shell_is_installer(struct slice word);

/* Does it set something that ends with its shell: cd, export, source, a dot? The word, or an empty
 * slice. With && or ; behind it the rest of the command has its effect. */
struct slice shell_sets(struct slice command);

#endif
