/* What comes out: names, texts and the writing of a program's files. */
#ifndef NBSCOREP_DRIVER_OUTPUTS_H
#define NBSCOREP_DRIVER_OUTPUTS_H

#include "driver/compile.h"
#include "settings/build_settings.h"

/* How scripts begin. */
#define OUTPUT_SCRIPT_MARKER SLICE("# Compiled by nbscorep ")

/* A file to be written. */
struct output {
	const char *path;    /* "-": standard output */
	struct slice marker; /* a file at PATH that holds it is nbscorep's and may be overwritten */
	struct slice target; /* of a dependency file, instead: the run script's name as a target */
	struct slice text;
	unsigned mode;
	struct slice real; /* PATH without links, or empty: not known */
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
int outputs_make(struct compilation *c, const struct build_settings *settings, struct outputs *out);

/* Checks that all files may be written. A file that nbscorep did not write is refused unless FORCE.
 * Returns 0, or -1 with a diagnostic. */
int outputs_check(struct compilation *c, const struct outputs *outputs, bool force);

/* Writes them, if all may be: all texts go to temporary files first, then all are renamed. On failure
 * nothing has changed, unless a rename failed after another one went well; the run script detects such
 * a pair by its build id. Returns 0 or -1, with a diagnostic. */
int outputs_write(struct compilation *c, const struct outputs *outputs, bool force);

#endif
