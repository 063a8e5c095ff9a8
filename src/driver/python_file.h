/* The file of a Python, and an identity that shows, without a start, whether it is still the same. */
#ifndef NBSCOREP_DRIVER_PYTHON_FILE_H
#define NBSCOREP_DRIVER_PYTHON_FILE_H

#include <stdbool.h>

#include "process/environment.h"

struct python_file {
	const char *path;  /* absolute, as PATH or the user names it */
	struct slice real; /* the same with links resolved */
	bool is_script;    /* not the interpreter itself, but a script that starts one */
	bool is_shim;      /* of pyenv or asdf, because it is in a folder "shims" */
	/* The identity of the file and of everything else that decides which interpreter a shim starts
	 * in the folder "/". For other scripts this is not known. */
	struct slice identity;
};

/* Finds the Python NAMED, a path or a name on PATH. Returns 0, or -1 and sets errno if it is not found. */
int python_file_find(struct environment *environment, const char *named, struct python_file *out);

#endif
