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
void emit_python(struct arena *arena, const struct program *program, const struct emit_names *names,
                 enum script_layout layout, struct emitted_script *out, struct source_map *map);

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

/* The cells of PROGRAM that run, in their order; arena memory. */
void emit_list_cells(struct arena *arena, const struct program *program, cell_list *out);

/* What is measured besides the cells, or left out; what is told. */
struct runtime_wishes {
	bool quiet_imports;           /* the instrumenter is off while modules are imported */
	bool all_regions;             /* around all functions and methods, or */
	VECTOR(struct slice) regions; /* around those with names that match */
	VECTOR(struct slice) modules; /* whose functions become regions */
	unsigned progress;
};

/* What surrounds the script while it runs (templates/runtime): a Python file that is handed to the
 * bindings as their instrumenter file, or to Python with the script as its first argument. CELLS is
 * emit_python()'s. With PROGRESS_PIPE the text wants an argument behind it (run/progress.h). */
void emit_runtime(struct strbuf *out, const struct program *program, struct slice cells,
                  const struct runtime_wishes *wishes);

/* How a run script starts several processes. */
struct launch_settings {
	struct slice ranks;    /* their number; empty: one process, or as the launcher says */
	struct slice launcher; /* words parted by blanks, {ranks} in them; empty: what is found */
	bool tagged;           /* each line of output tells its rank */
};

/* True if the run script of PROGRAM can start ranks. */
bool emit_can_launch(const struct program *program, const struct launch_settings *launch);

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

void emit_run_script(struct strbuf *out, const struct program *program,
                     const struct run_script_parts *parts);

/* The header of a run script: what SETTINGS ask a batch system for, by the template of that system.
 * A line with a variable that has no value is left out. What the system cannot be told is an error
 * in DIAGS. Returns 0 or -1. */
int emit_header(struct strbuf *out, const struct batch_settings *settings,
                const struct template_set *templates, struct diags *diags);

/* The table of a sweep: a line for each of its sets, "N<tab>{...}", behind comments with the build
 * id. */
void emit_sweep_table(struct strbuf *out, const struct sweep *sweep, const struct emit_names *names,
                      struct slice build);

/* The lines of the run script that export variables, in their order, each with where its value comes
 * from behind it as a comment. */
void emit_environment(struct strbuf *out, const struct program *program,
                      const struct template_set *templates, struct slice notebook);

/* The line of the script that carries the build id, with its line end. */
void emit_build_line(struct strbuf *out, struct slice build);

/* The source map as JSON (nbscorep-build(1), --source-map). */
void emit_source_map(struct strbuf *out, const struct source_map *map,
                     const struct emit_names *names, struct slice build);

/* A dependency file for make and ninja: "TARGETS: DEPENDENCIES", and an empty rule for each
 * dependency, so that a deleted one does not stop make. */
void emit_depfile(struct strbuf *out, const struct slice *targets, size_t target_count,
                  const struct slice *dependencies, size_t dependency_count);

/* The IR as JSON or YAML (nbscorep-ir(5)). */
enum dump_format { DUMP_JSON, DUMP_YAML };
void emit_ir_dump(struct strbuf *out, const struct ir *ir, enum dump_format format);

#endif
