/* Files that a notebook takes in while it is compiled: %run of a notebook or of a file of IPython's,
 * %load of a text; and those that it only looks at: modules beside it. */
#ifndef NBSCOREP_IR_INCLUSION_H
#define NBSCOREP_IR_INCLUSION_H

#include "base/arena.h"
#include "base/slice.h"

struct block;
struct magic;
struct notebook;

enum include_form {
	INCLUDE_NOTEBOOK, /* %run: its cells run with a region each; NAME.ipy is one cell */
	INCLUDE_TEXT,     /* %load: its text becomes a part of the cell */
	/* These are only looked at; NAME is a path without ".py". */
	INCLUDE_MODULE, /* import: a file or package, in a folder that was found as one of these two */
	INCLUDE_FOLDER, /* modules are looked for in it: says only whether it is there */
	INCLUDE_SCRIPT, /* %run */
};

/* A file that was looked for. There is one for each file and form, whatever names it goes by. */
struct included_file {
	struct slice path; /* as diagnostics show it */
	size_t index;      /* among the reader's */
	const struct notebook
	        *notebook; /* of a text or module: one code cell, number 0; NULL: there is none */
	/* Why there is none; empty after an error that was added to the diagnostics. Of a module: why it
	 * is not looked at, empty if it is not there. */
	struct slice problem;
};

/* Who reads: src/ir itself opens no file. */
struct include_reader {
	/* Looks for the file that NAME means in the notebook. Never NULL. */
	const struct included_file *(*read)(void *data, struct slice name, enum include_form form);
	void *data;
	const struct included_file *self; /* the notebook that is compiled; NULL: it has no file */
	size_t cells_most, bytes_most;    /* that are included, each as often as it is */
};

/* What a magic takes in. */
struct include_request {
	enum include_form form;
	struct slice name;   /* quotes and options are off */
	const char *problem; /* why that cannot be done when compiling; NULL: it can */
};

/* Does MAGIC take in a file: %run of a notebook or .ipy file, %load? Names and options as IPython reads them. */
bool include_requested(struct arena *arena, const struct magic *magic, struct include_request *out);

/* Is MAGIC a %run whose file is not known before the script runs: %run $name? It may be a notebook. */
bool run_is_open(struct arena *arena, const struct magic *magic);

/* Does MAGIC run a file of Python when the script does: %run NAME.py? */
bool script_requested(struct arena *arena, const struct magic *magic, struct slice *name);

#endif
