/* Finds the folders and files from which the code of a cell imports modules. */
#pragma once

#include "base/name_set.h"

struct lexed_cell;

/* Returns PATH without leading "./" and trailing "/". */
struct slice plain_path(struct slice path);

/* Adds the folders that CELL adds to the module search path, as written: sys.path.append("lib"),
 * sys.path.insert(0, os.path.join("..", "lib")), sys.path += ["lib"]; os.chdir("lib") and %cd lib.
 * Computed paths are not known. Several strings are added each, and joined to one path. */
void module_folders(const struct lexed_cell *cell, struct name_set *folders);
