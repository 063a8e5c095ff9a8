/* The first stage of reading: the whole file is checked to be JSON, as a stream, and the little of it
 * that a compiler needs is written out as JSON again, but the cells' sources, which are most of it, as
 * their text. Outputs, images and widget state are passed over, so memory grows with the cells' own
 * text only. */
#ifndef NBSCOREP_NOTEBOOK_SKIM_H
#define NBSCOREP_NOTEBOOK_SKIM_H

#include "base/arena.h"
#include "base/slice.h"
#include "base/vector.h"
#include "diag/diag.h"
#include "notebook/notebook.h"
#include "notebook/plain.h"
#include "notebook/roles.h"

/* What jansson cannot tell about a source. */
struct skim_source {
	unsigned line; /* of the file, on which the value begins; 0: there is none */
	unsigned first_line, last_line; /* of a list: where its first and last item begin */
	unsigned items;                 /* of a list, strings or not */
	size_t first, count;            /* its strings, by their indices */
	size_t lone;                    /* lone surrogates */
	size_t lone_in, lone_at;        /* the first one: which of its strings, byte offset there */
};

struct skim_cell {
	struct skim_source source[SOURCE_KEY_COUNT];
};

struct skim_cells {
	VECTOR(struct skim_cell) list;
};

struct skim {
	struct slice text;        /* for jansson: with NUL bytes allowed, sources being "" and [] */
	struct slice sources;     /* the strings of all sources, without escapes */
	VECTOR(size_t) ends;      /* where in SOURCES each of them ends */
	struct skim_cells cells;  /* members of the notebook's "cells", one by one */
	struct skim_cells sheets; /* the same of all "worksheets" */
	unsigned config_line;     /* line of the file on which metadata.nbscorep begins, or 0 */
};

struct skim_file {
	int fd;            /* open for reading */
	struct slice name; /* for messages */
	const struct notebook_limits *limits;
	const struct plain_kernel *plain; /* NULL: the fastest that the processor can run */
};

/* The strings of a source from the one with the index FIRST, one behind the other; they live as long as
 * SKIM. */
struct slice skim_strings(const struct skim *skim, size_t first, size_t count);

/* Reads FILE to its end. Returns 0, or -1 after one error was added; *READ_ERROR is then errno where
 * reading itself failed, else 0. */
int skim_read(struct arena *arena, const struct skim_file *file, struct diags *diags,
              struct skim *out, int *read_error);

#endif
