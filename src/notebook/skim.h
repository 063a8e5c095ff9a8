/* The first stage of reading. It reads the whole file as a stream and checks that it is JSON. It
 * writes out again, as JSON, the few parts that a compiler needs. The cells' sources, most of what is
 * kept, are plain text apart from that. Outputs, images and widget state are skipped, so memory grows
 * only with the cells' own text. */
#ifndef NBSCOREP_NOTEBOOK_SKIM_H
#define NBSCOREP_NOTEBOOK_SKIM_H

#include "base/arena.h"
#include "base/slice.h"
#include "base/vector.h"
#include "diag/diag.h"
#include "notebook/notebook.h"
#include "notebook/plain.h"

/* The keys that may hold a cell's source. */
enum source_key {
	SOURCE_SOURCE, /* nbformat 4; text cells of older versions, too */
	SOURCE_INPUT,  /* code cells of nbformat 2 and 3 */
	SOURCE_CODE,   /* code cells of nbformat 1 */
	SOURCE_TEXT,   /* text cells of nbformat 1 */
	SOURCE_KEY_COUNT
};

enum source_kind { SOURCE_ABSENT, SOURCE_STRING, SOURCE_LIST, SOURCE_NULL, SOURCE_OTHER };

/* A source: what kind of value it is, and where its strings are. */
struct skim_source {
	enum source_kind kind;
	unsigned line; /* of the file, on which the value begins; 0: the cell has no such source */
	unsigned first_line, last_line; /* of a list: lines of its first and last item */
	unsigned items;                 /* number of items of a list, strings or not */
	size_t first, count;            /* its strings: index of the first, and number */
	size_t lone;                    /* number of lone surrogates */
	size_t lone_in, lone_at;        /* the first one: index of its string, byte offset in it */
};

struct skim_cell {
	struct skim_source source[SOURCE_KEY_COUNT];
};

typedef VECTOR(struct skim_cell) skim_cell_list;

struct skim {
	struct slice text;     /* for jansson, without sources: NUL bytes allowed */
	struct slice sources;  /* the strings of all sources, without escapes */
	VECTOR(size_t) ends;   /* where each of these strings ends in SOURCES */
	skim_cell_list cells;  /* members of the notebook's "cells", in order */
	skim_cell_list sheets; /* the same for all "worksheets" */
	unsigned config_line;  /* line of the file on which metadata.nbscorep begins, or 0 */
};

struct skim_file {
	int fd;            /* open for reading */
	struct slice name; /* for messages */
	const struct notebook_limits *limits;
	const struct plain_kernel *plain; /* NULL: the fastest that the processor can run */
};

/* COUNT strings of a source from index FIRST on, concatenated. They live as long as SKIM. */
struct slice skim_strings(const struct skim *skim, size_t first, size_t count);

/* Reads FILE to its end. Returns 0, or -1 after adding one error. *READ_ERROR is errno if reading
 * itself failed, else 0. */
int skim_read(struct arena *arena, const struct skim_file *file, struct diags *diags,
              struct skim *out, int *read_error);

#endif
