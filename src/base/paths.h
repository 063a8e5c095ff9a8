/* Paths as text: nothing here accesses files. path_folder() and path_file() are parts of PATH. */
#pragma once

#include "base/base.h"

/* The folder of PATH, "." if PATH has none, and its last component. */
struct slice path_folder(struct slice path);
struct slice path_file(struct slice path);

/* FOLDER/NAME, in ARENA; NAME alone if FOLDER is "." or not known, or NAME is absolute. */
struct slice path_join(struct arena *arena, struct slice folder, struct slice name);

/* The relative path from the folder FROM to the folder TO, both absolute without dots: "." or
 * "../x". */
struct slice path_relative(struct arena *arena, struct slice from, struct slice to);

/* True if PATH is "-", which means standard input. */
static inline bool path_is_stdin(struct slice path)
{
	return slice_eq(path, SLICE("-"));
}
