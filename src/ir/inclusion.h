/* Files that are included when a notebook is compiled: %run of a notebook or .ipy file, %load of a
 * text. Modules beside the notebook are only read. */
#pragma once

#include "base/base.h"

struct magic;
struct notebook;

enum include_form {
	INCLUDE_NOTEBOOK, /* %run: each of its cells has a region; NAME.ipy is one cell */
	INCLUDE_TEXT,     /* %load: its text becomes part of the cell */
	/* These are only read, not included; NAME is a path without ".py". */
	INCLUDE_MODULE, /* import: a file or package, in a folder found as MODULE or FOLDER */
	INCLUDE_FOLDER, /* a folder to search for modules: tests only whether it exists */
	INCLUDE_SCRIPT, /* %run */
};

/* The result of a lookup. All names of a file share one result for each form. */
struct included_file {
	struct slice path; /* as diagnostics show it */
	size_t index;      /* in the reader's list */
	bool is_module;    /* read, but not included */
	const struct notebook
	        *notebook; /* of a text or module: one code cell, number 0; NULL: not available */
	/* Why NOTEBOOK is NULL; empty after an error that was added to the diagnostics. Of a
	 * module: why it is not read; empty if it does not exist. */
	struct slice problem;
};

/* Reads files for src/ir, which does not open files itself. */
struct include_reader {
	/* Looks up the file NAME relative to the notebook. Never returns NULL. */
	const struct included_file *(*read)(void *data, struct slice name, enum include_form form);
	void *data;
	const struct included_file *self; /* the compiled notebook; NULL: it has no file */
	size_t cells_most, bytes_most;    /* limits, counted at each inclusion */
};

/* The file that a magic includes. */
struct include_request {
	enum include_form form;
	struct slice name;   /* without quotes and options */
	const char *problem; /* why it cannot be included when compiling, or NULL */
};

/* True if MAGIC includes a file: %run of a notebook or .ipy file, %load; or if it runs a Python file at run time:
 * INCLUDE_SCRIPT, %run NAME.py. Names and options are read as by IPython. */
bool include_requested(struct arena *arena, const struct magic *magic, struct include_request *out);
