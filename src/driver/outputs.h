/* What comes out: names, texts and the writing of a program's files. */
#pragma once

#include "driver/compile.h"
#include "settings/settings.h"

/* How scripts begin. */
#define OUTPUT_SCRIPT_MARKER SLICE("# Compiled by nbscorep ")

/* A file to be written. */
struct output {
	const char *path;    /* "-": standard output */
	struct slice marker; /* a file at PATH that holds it is nbscorep's and may be overwritten */
	struct slice target; /* of a dependency file, instead: the run script's name as a target */
	struct slice head, text; /* what it holds, one after the other */
	unsigned mode;
};

struct outputs {
	VECTOR(struct output) files;     /* in the order in which they are put in place */
	VECTOR(struct slice) packages;   /* paths where the runtime package is missing */
	const char *script, *run_script; /* paths of the last program; run_script may be NULL */
	struct slice build;              /* its build id */
};

/* Returns the path of the runtime package in FOLDER. */
struct slice package_path(struct arena *arena, struct slice folder);

/* Writes the runtime package to PATH, from package_path(), unless something is there: a folder of this
 * name has the same content, and running jobs may use it. Several processes may do this at the same
 * time. Returns 0, or -1 and sets errno; then nothing is left. */
int package_write(struct arena *arena, struct slice path);

/* Emits all programs of C and adds their files to OUT. Problems with names become diagnostics.
 * Returns 0 or -1. */
int outputs_make(struct compilation *c, struct outputs *out);

/* Makes the files of C's programs and writes them, if all may be written and this is not a dry run; prints what
 * it does on request. Problems become diagnostics. Returns 0 or -1. */
int outputs_build(struct compilation *c, struct outputs *out);

/* Leaves in IR the program that is to run: its only one, or the one that is WANTED (--program). Returns 0, or
 * -1 with a message in *PROBLEM, in ARENA. */
int program_choose(struct arena *arena, const char *wanted, struct ir *ir, struct slice *problem);
