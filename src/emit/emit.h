/* The emitters: const IR -> text. They never change the IR, and print nothing of a user's but
 * through quote.h. Same input, same bytes out. */
#ifndef NBSCOREP_EMIT_EMIT_H
#define NBSCOREP_EMIT_EMIT_H

#include <stdbool.h>

#include "base/strbuf.h"
#include "base/vector.h"

struct batch_settings;
struct block;
struct config;
struct diags;
struct ir;
struct program;
struct template_set;

struct sweep;

/* Where a code cell stands in the script, or the part of it before or behind what it takes in. */
struct source_map_entry {
	unsigned cell;
	struct slice notebook; /* whose cell it is; empty: of the notebook that is compiled */
	struct slice
	        text; /* the text file that the cell takes in and whose lines these are, or empty */
	struct slice id, kind;
	size_t first_line; /* 1-based line of the cell, or of the text, with which the entry begins */
	size_t script_line; /* 1-based script line on which that one stands */
	size_t lines;       /* number of lines; the next ones follow on each other */
	size_t span;        /* of the first part: number of lines with all that the cell includes */
	const struct block *block;
	size_t indent; /* blanks that framing put before its code lines */
};

struct source_map {
	VECTOR(struct source_map_entry) entries;
};

/* Names that go into the outputs. All are relative or plain names, never absolute. */
struct emit_names {
	struct slice notebook;        /* file name of the notebook */
	struct slice script;          /* file name of the script */
	struct slice run_script;      /* file name of the run script */
	struct slice notebook_folder; /* from the run script's folder to the notebook's, e.g. "." */
	struct slice table;   /* of a sweep: file name of its table, beside the run script */
	struct slice results; /* and of the folder with a folder for each of its sets */
};

enum script_layout {
	LAYOUT_SCRIPT,
	LAYOUT_APART, /* each cell stands in one piece, before all that it includes: a text in which
	                 cells can be compiled one by one, but no script */
};

/* The script without its build id. The text is emitted in two parts, so that the id can be a digest
 * of the rest: HEAD is everything before the id's line, BODY everything behind it. CELLS says in
 * Python's words which of its lines belong to which cell, for emit_runtime(): (lines above the cells,
 * (names of files), "line,cell,line of the cell or 0,file;..."). MAP gets an entry per code cell. */
struct emitted_script {
	struct slice head, body, cells;
};
/* What a program tells of the cell that runs: a set of these. */
enum runtime_progress {
	PROGRESS_NONE = 0,
	PROGRESS_LINES = 1, /* a line on standard error */
	PROGRESS_PIPE = 2,  /* nbscorep */
	PROGRESS_FILES = 4, /* a file for each rank, in the folder NBSCOREP_CELLS if that is set */
};

/* A cell that runs, as people are told of it. */
struct told_cell {
	unsigned number;
	bool instrumented;
	struct slice title;  /* its first line, fit for a terminal */
	struct slice source; /* all of it, as it stands in the notebook */
};
typedef VECTOR(struct told_cell) cell_list;

/* What is measured besides the cells, or left out; what is told. */
struct runtime_wishes {
	bool quiet_imports;           /* the instrumenter is off while modules are imported */
	bool all_regions;             /* around all functions and methods, or */
	VECTOR(struct slice) regions; /* around those with names that match */
	VECTOR(struct slice) modules; /* whose functions become regions */
	unsigned progress;
};

/* How a run script starts several processes. */
struct launch_settings {
	struct slice ranks;    /* their number; empty: one process, or as the launcher says */
	struct slice launcher; /* words parted by blanks, {ranks} in them; empty: what is found */
	bool tagged;           /* each line of output tells its rank */
};

/* What goes into a run script besides the program. */
struct run_script_parts {
	const struct emit_names *names;
	struct slice build;   /* the id that the script carries */
	struct slice runtime; /* emit_runtime()'s text */
	struct launch_settings launch;
	struct slice python;                  /* started unless $PYTHON is set; empty: see run.sh */
	struct slice header;                  /* emit_header()'s text */
	const struct template_set *templates; /* the user's */
	const struct config *config;          /* modules, setup, teardown */
	size_t sets;                          /* of a sweep; 0: the program runs once */
	bool names_output;                    /* HEADER says where the job's output goes */
};

/* The IR as JSON or YAML (nbscorep-ir(5)). */
enum dump_format { DUMP_JSON, DUMP_YAML };
#endif
