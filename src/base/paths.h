/* Paths as text: nothing here looks at a file. path_folder() and path_file() are parts of PATH. */
#ifndef NBSCOREP_BASE_PATHS_H
#define NBSCOREP_BASE_PATHS_H

#include "base/arena.h"
#include "base/slice.h"

/* The folder of PATH, "." when it names none, and its last component. */
struct slice path_folder(struct slice path);
struct slice path_file(struct slice path);

/* FOLDER/NAME; NAME alone when FOLDER is ".". */
struct slice path_join(struct arena *arena, struct slice folder, struct slice name);

/* The way from the folder FROM to the folder TO, both absolute without dots: "." or "../x". */
struct slice path_relative(struct arena *arena, struct slice from, struct slice to);

/* True if PATH is "-", by which standard input is named. */
static inline bool path_is_stdin(struct slice path)
{
	return slice_eq(path, SLICE("-"));
}

#endif
