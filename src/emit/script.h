/* Emits a program as a Python script. The emitters turn the const IR into text. They print text of the user
 * only with the functions of quote.h. The same input always produces the same bytes. */
#pragma once

#include "base/base.h"

struct block;
struct ir;
struct program;

/* The place of a code cell in the script, or of its part before or after an included file. */
struct source_map_entry {
	const struct block *block;
	size_t first_line;  /* first line of the entry in the cell or text, 1-based */
	size_t script_line; /* its line in the script, 1-based */
	size_t lines;       /* number of consecutive lines */
	size_t span;        /* of the first part: number of lines including all included files */
	size_t indent;      /* blanks before its code lines, from frames */
};

typedef VECTOR(struct source_map_entry) source_map;

/* Names in the outputs. They are relative or plain names, never absolute. */
struct emit_names {
	struct slice notebook;        /* file name of the notebook */
	struct slice script;          /* file name of the script */
	struct slice run_script;      /* file name of the run script */
	struct slice notebook_folder; /* from the run script's folder to the notebook's, e.g. "." */
	struct slice table;           /* of a sweep: file name of its table beside the run script */
	struct slice results; /* of a sweep: the folder that contains a folder for each set */
};

enum script_layout {
	LAYOUT_SCRIPT,
	LAYOUT_APART, /* each cell is in one piece before the files that it includes, and shows no value:
	                 its cells can be compiled separately, but the text is not a script */
};

/* A script without its first two lines, emit_script_head() and emit_build_line(), so that the build id can be a digest of
 * the rest. */
struct emitted_script {
	struct slice program; /* its name */
	struct slice body;
	source_map map;
};

/* Returns the script's first line: what it was compiled from, and how it is run if NAMES has a run
 * script. */
struct slice emit_script_head(struct arena *arena, const struct emit_names *names);

const struct emitted_script *emit_python(struct arena *arena, const struct program *program,
                                         enum script_layout layout);
