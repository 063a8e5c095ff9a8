/* Folders in place of notebooks on the command line. */
#ifndef NBSCOREP_CLI_NOTEBOOK_FOLDERS_H
#define NBSCOREP_CLI_NOTEBOOK_FOLDERS_H

#include "cli/cli.h"

/* Fills OUT with OPTIONS, in whose operands each folder is replaced by the notebooks (*.ipynb) in it and
 * below, in the order of their names; found_in has the folder. Hidden files and folders, such as .ipynb_checkpoints, are left out,
 * and links to folders are not followed. Returns EXIT_DONE, or the highest status of what it had to
 * leave out, with a message for each: a folder that cannot be read, or that has no notebook. */
int notebook_folders_expand(struct arena *arena, const struct options *options,
                            struct options *out);

#endif
