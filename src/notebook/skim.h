/* The first stage of reading. It reads the whole file as a stream and checks that it is JSON. It keeps the strings that
 * a compiler needs, without escapes, and what kind of value each was; metadata.nbscorep it copies. Outputs, images
 * and widget state are skipped, so memory grows only with the cells' own text. */
#pragma once

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

/* Other values that are kept, first the notebook's, then those of each cell. */
enum skim_key {
	NOTEBOOK_NBFORMAT,
	NOTEBOOK_CELLS,
	NOTEBOOK_WORKSHEETS,
	NOTEBOOK_LANGUAGE, /* metadata.language_info.name */
	NOTEBOOK_KERNEL_NAME,
	NOTEBOOK_KERNEL_DISPLAY_NAME,
	NOTEBOOK_KERNEL_LANGUAGE,
	NOTEBOOK_KEY_COUNT,
	CELL_KEY_TYPE = 0,
	CELL_KEY_ID,
	CELL_KEY_LANGUAGE,
	CELL_KEY_TAGS,
	CELL_KEY_VSCODE,   /* metadata.vscode.languageId */
	CELL_KEY_DOTNET,   /* metadata.dotnet_interactive.language */
	CELL_KEY_POLYGLOT, /* metadata.polyglot_notebook.kernelName */
	CELL_KEY_COUNT
};

enum skim_kind { SKIM_ABSENT, SKIM_STRING, SKIM_LIST, SKIM_NULL, SKIM_NUMBER, SKIM_OTHER };

/* A value: its kind, and the strings of it that are kept: itself, those that a list contains, or the digits of a number. */
struct skim_value {
	enum skim_kind kind;
	unsigned count; /* how many */
	size_t first;   /* the index of the first one */
};

/* The same of a source, and where it is. */
struct skim_source {
	struct skim_value value;
	unsigned line;                  /* of the file, on which the value begins */
	unsigned first_line, last_line; /* of a list: lines of its first and last item */
	unsigned items;                 /* number of items of a list, strings or not */
};

struct skim_cell {
	bool is_object;
	struct skim_value values[CELL_KEY_COUNT];
	size_t source[SOURCE_KEY_COUNT]; /* one more than the index in SOURCES; 0: it has none */
};

typedef VECTOR(struct skim_cell) skim_cell_list;

struct skim {
	bool is_object;
	struct skim_value values[NOTEBOOK_KEY_COUNT];
	struct slice text;   /* of the strings, one after the other, NUL bytes allowed */
	VECTOR(size_t) ends; /* where each of them ends */
	VECTOR(struct skim_source) sources;
	skim_cell_list cells;  /* members of the notebook's "cells", in order */
	skim_cell_list sheets; /* the same for all "worksheets" */
	struct slice config;   /* the source of metadata.nbscorep, or empty */
	unsigned config_line;  /* line of the file on which it begins */
};

struct skim_file {
	int fd;            /* open for reading */
	struct slice name; /* for messages */
	const struct notebook_limits *limits;
	const struct plain_kernel *plain; /* NULL: the fastest that the processor can run */
};

/* COUNT strings from index FIRST on, concatenated. They live as long as SKIM. */
struct slice skim_strings(const struct skim *skim, size_t first, size_t count);

/* VALUE's text; empty if it is not a string. It lives as long as SKIM. */
struct slice skim_text(const struct skim *skim, const struct skim_value *value);

/* Sets *OUT to VALUE and returns true if it is an integer; those beyond 64 bits are clamped. */
bool skim_integer(const struct skim *skim, const struct skim_value *value, long long *out);

/* Reads FILE to its end. Returns 0, or -1 after adding one error. */
int skim_read(struct arena *arena, const struct skim_file *file, struct diags *diags,
              struct skim *out);
