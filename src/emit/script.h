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

struct source_map {
	VECTOR(struct source_map_entry) entries;
};

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

/* The script without its build id. The text is emitted in two parts, so that the id can be a digest
 * of the rest: HEAD is the text before the id's line, BODY the text after it. */
struct emitted_script {
	struct slice head, body;
};

/* Returns the script's first line: what it was compiled from, and how it is run if NAMES has a run
 * script. */
struct slice emit_script_head(struct arena *arena, const struct emit_names *names);

void emit_python(struct arena *arena, const struct program *program, const struct emit_names *names,
                 enum script_layout layout, struct emitted_script *out, struct source_map *map);
