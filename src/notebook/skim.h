/* The first stage of reading: the whole file is checked to be JSON, as a stream, and the little of it
 * that a compiler needs is written out as JSON again. Outputs, images and widget state are passed
 * over, so memory grows with the cells' own text only. */
#ifndef NBSCOREP_NOTEBOOK_SKIM_H
#define NBSCOREP_NOTEBOOK_SKIM_H

#include "base/arena.h"
#include "base/diag.h"
#include "base/slice.h"
#include "base/vector.h"
#include "notebook/notebook.h"
#include "notebook/plain.h"
#include "notebook/roles.h"

/* What jansson cannot tell about a source. */
struct skim_source {
	unsigned line; /* of the file, on which the value begins; 0: there is none */
	unsigned first_line, last_line; /* of a list: where its first and last item begin */
	unsigned item;        /* index, in a list, of the string with the first lone surrogate */
	size_t lone, lone_at; /* lone surrogates; byte offset of the first in that string */
};

struct skim_cell {
	struct skim_source source[SOURCE_KEY_COUNT];
};

struct skim_cells {
	VECTOR(struct skim_cell) list;
};

struct skim {
	struct slice text; /* for jansson: with NUL bytes allowed, without duplicate NaN etc. */
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

/* Reads FILE to its end. Returns 0, or -1 after one error was added; *READ_ERROR is then errno where
 * reading itself failed, else 0. */
int skim_read(struct arena *arena, const struct skim_file *file, struct diags *diags,
              struct skim *out, int *read_error);

#endif
