/* The emitters turn the const IR into text. They print text of the user only with the functions of
 * quote.h. The same input always produces the same bytes. */
#ifndef NBSCOREP_EMIT_EMIT_H
#define NBSCOREP_EMIT_EMIT_H

#include <stdbool.h>

#include "base/strbuf.h"
#include "base/vector.h"

struct block;
struct config;
struct ir;
struct program;

struct sweep;

/* The place of a code cell in the script, or of its part before or after an included file. */
struct source_map_entry {
	unsigned cell;
	struct slice notebook; /* the notebook of the cell; empty: the compiled notebook */
	struct slice
	        text; /* the text file included by the cell that contains these lines, or empty */
	struct slice id, kind;
	size_t first_line;  /* first line of the entry in the cell or text, 1-based */
	size_t script_line; /* its line in the script, 1-based */
	size_t lines;       /* number of consecutive lines */
	size_t span;        /* of the first part: number of lines including all included files */
	const struct block *block;
	size_t indent; /* blanks before its code lines, from frames */
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

/* What a run measures besides the cells, excludes, and reports. */
struct runtime_wishes {
	struct slice measurement;     /* auto, scorep, builtin or none; empty: auto */
	bool records_imports;         /* the instrumenter stays on while modules are imported */
	bool all_regions;             /* all functions and methods become regions, or */
	VECTOR(struct slice) regions; /* those with names that match these patterns */
	VECTOR(struct slice) modules; /* the functions of these modules become regions */
	bool progress;                /* a line on standard error for each cell */
};

/* How a run script starts several processes. */
struct launch_settings {
	struct slice ranks;    /* their number; empty: one process, or set by the launcher */
	struct slice launcher; /* words separated by blanks, with {ranks}; empty: the one found */
	bool tagged;           /* each line of output contains its rank */
};

/* The contents of a run script besides the program. */
struct run_script_parts {
	const struct emit_names *names;
	struct slice build;   /* the id in the script */
	struct slice options; /* the build's, as a command line has them */
	const struct runtime_wishes *wishes;
	struct launch_settings launch;
	struct slice python;         /* started unless $PYTHON is set; empty: see run.sh */
	struct slice header;         /* emit_header()'s text */
	const struct config *config; /* modules, setup, teardown */
	size_t sets;                 /* of a sweep; 0: the program runs once */
	bool names_output;           /* HEADER sets the file of the job's output */
};

#endif
