/* The file of a Python, and what tells without starting it whether it is still the same one. */
#ifndef NBSCOREP_DRIVER_PYTHON_FILE_H
#define NBSCOREP_DRIVER_PYTHON_FILE_H

#include <stdbool.h>

#include "process/environment.h"

struct python_file {
	const char *path;  /* absolute, as PATH or the user names it */
	struct slice real; /* the same with links resolved */
	bool is_script;    /* not the interpreter itself, but a script that starts one */
	bool is_shim;      /* of pyenv or asdf, as it is in a folder "shims" */
	/* The file's identity, and what else decides which interpreter a shim starts in the folder "/".
	 * Of another script nobody knows that. */
	struct slice identity;
};

/* Finds the Python NAMED, a path or a name on PATH. Returns 0, or -1 and sets errno if it is not found. */
int python_file_find(struct environment *environment, const char *named, struct python_file *out);

#endif
