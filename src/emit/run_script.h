/* Emits the run script of a program, and the table of a sweep. */
#ifndef NBSCOREP_EMIT_RUN_SCRIPT_H
#define NBSCOREP_EMIT_RUN_SCRIPT_H

#include "emit/script.h"

struct config;
struct sweep;

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

void emit_run_script(struct strbuf *out, const struct program *program,
                     const struct run_script_parts *parts);

/* Appends the lines of the run script that export variables to OUT, in their order; if NOTEBOOK, its name,
 * is not NULL, each with the origin of its value in a comment. */
void emit_environment(struct strbuf *out, const struct program *program,
                      const struct slice *notebook);

/* Appends the line with the build id to OUT, with its line end. */
void emit_build_line(struct strbuf *out, struct slice build);

/* Appends the table of a sweep to OUT: comments with the build id, then a line for each set,
 * "N<tab>{...}". */
void emit_sweep_table(struct strbuf *out, const struct sweep *sweep, const struct emit_names *names,
                      struct slice build);

#endif
