/* The pipeline: a notebook file -> IR. */
#pragma once

#include "base/name_set.h"
#include "base/os_tree.h"
#include "batch/job_settings.h"
#include "diag/diag.h"
#include "emit/script.h"
#include "ir/inclusion.h"
#include "ir/ir.h"
#include "notebook/notebook.h"
#include "settings/config.h"
#include "settings/sweep.h"

/* The files that a notebook includes, read from the folder in which its script starts. */
struct include_files {
	struct name_set names; /* what was asked for, with the form before it */
	VECTOR(const struct included_file *) found; /* for each of the names */
	struct name_set identities;                 /* real paths, likewise */
	VECTOR(struct included_file *) files; /* for each of these; the notebook is the first */
	struct name_set packages;             /* folders beside the notebook that may be some */
};

/* One notebook being compiled. Everything in it lives in ARENA. */
struct compilation {
	struct arena *arena;
	struct slice path;     /* as the user gave it; "-" is standard input */
	struct slice found_in; /* the folder that the user gave and it was found in; empty: none */
	struct tree tree;      /* what the notebook may have read (driver/project.h) */
	struct notebook_limits limits;
	struct diags diags;
	struct notebook notebook;
	struct config config;
	struct sweep sweep;                /* no sets: the program runs once */
	struct batch_settings batch;       /* of config.slurm */
	const struct value *output_folder; /* that the configuration names, where it counts */
	struct name_set set_by_notebook;   /* options of build that its metadata sets */
	struct slice own_template;         /* of a job header, with --template-dir */
	struct ir_options options;         /* how it is compiled, with the settings in force */
	struct ir ir;
	VECTOR(const struct emitted_script *) scripts; /* those that were emitted */
	struct include_files included;
	VECTOR(struct slice) needed; /* paths of other files that a run needs, which are there */
	struct name_set
	        *taken; /* where files of this call went; its arena lives as long as the call */
};

/* The folder of the notebook, in which its script starts; "." for standard input. */
struct slice compile_folder(const struct compilation *c);

/* Reports that the file at PATH cannot be read, written or the like (WHAT) because of errno. Returns -1. */
int compile_fail(struct compilation *c, const char *what, struct slice path);

/* Reads the notebook. Returns 0 or -1. The DIAGS are initialised, with the user's -W switches,
 * before. */
int compile_read(struct compilation *c);

/* Lexes, builds and runs the passes. Returns 0 when the IR can be emitted: no errors. */
int compile_build(struct compilation *c);

/* The script of PROGRAM, one of the IR's, which is emitted once. */
const struct emitted_script *compile_script(struct compilation *c, const struct program *program);

/* True if the file with this real path is the notebook, is included in it, or is another file that the build has
 * read: of the configuration, or one that an option names. */
bool compile_reads(const struct compilation *c, struct slice real);

/* How outputs call the notebook: its file name, or "standard input". */
struct slice compile_notebook_name(const struct compilation *c);

/* The name of the notebook's program: its file name without folder and .ipynb. */
struct slice compile_program_name(struct slice path);
