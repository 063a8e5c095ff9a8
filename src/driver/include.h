/* The files that a notebook includes, read from the folder in which its script starts. */
#ifndef NBSCOREP_DRIVER_INCLUDE_H
#define NBSCOREP_DRIVER_INCLUDE_H

#include "base/name_set.h"
#include "base/os_tree.h"
#include "diag/diag.h"
#include "ir/inclusion.h"
#include "notebook/notebook.h"

struct include_files {
	struct arena *arena;
	struct diags *diags;
	const struct notebook_limits *limits; /* of each notebook */
	const struct tree *tree;              /* what may be read */
	struct name_set *hidden;              /* paths of which no line is shown */
	struct slice folder;   /* of the notebook that is compiled; "." for standard input */
	struct name_set names; /* what was asked for, with a letter for the form in front */
	VECTOR(const struct included_file *) found;   /* for each of the names */
	struct name_set identities;                   /* real paths, likewise */
	VECTOR(struct included_file *) files;         /* for each of the identities */
	struct name_set module_names;                 /* of modules that were asked for */
	VECTOR(const struct included_file *) modules; /* for each of these */
	struct name_set packages; /* folders beside the notebook that may be some */
	bool system_failed;       /* an error was reported */
};

/* Begins, with the notebook at PATH ("-" for standard input) as the first file. FILES has the arena,
 * the diagnostics, the limits of the notebooks that are included, the tree and what is hidden. */
void include_files_init(struct include_files *files, struct slice path);

/* True if the file with this real path is the notebook, or is included in it. */
bool include_files_hold(const struct include_files *files, struct slice real);

/* What the compiler asks; FILES must outlive it. */
struct include_reader include_files_reader(struct include_files *files);

#endif
