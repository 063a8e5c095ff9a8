/* Emits the run script of a program, and the table of a sweep. */
#pragma once

#include "emit/script.h"

struct build_settings;
struct config;
struct sweep;

/* Patterns of names of functions and classes that become regions, or "defs" alone: all. */
typedef VECTOR(struct slice) region_list;

/* The contents of a run script besides the program. */
struct run_script_parts {
	const struct emit_names *names;
	struct slice build; /* the id in the script */
	const struct build_settings *settings;
	const region_list *regions;
	struct slice python;         /* started unless $PYTHON is set; empty: see run.sh */
	struct slice header;         /* emit_header()'s text */
	const struct config *config; /* ranks and launcher, modules, setup, teardown */
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
