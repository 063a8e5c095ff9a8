/* What the code of a cell tells of where modules come from. */
#ifndef NBSCOREP_IR_ANALYSIS_MODULE_FOLDERS_H
#define NBSCOREP_IR_ANALYSIS_MODULE_FOLDERS_H

#include "base/name_set.h"

struct lexed_cell;
struct magic;

/* PATH without "./" in front and "/" at its end. */
struct slice plain_path(struct slice path);

/* Folders that CELL adds to the search for modules, as it writes them: sys.path.append("lib"),
 * sys.path.insert(0, os.path.join("..", "lib")), sys.path += ["lib"]; os.chdir("lib") and %cd lib.
 * What is computed is not known: of several strings each may be a folder, and all together one. */
void module_folders(const struct lexed_cell *cell, struct name_set *folders);

/* Is CELL the text of a file: %%writefile NAME, %%file NAME? *APPENDS: of its end, with -a. */
bool writes_file(const struct lexed_cell *cell, struct slice *name, bool *appends);

#endif
