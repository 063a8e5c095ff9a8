/* What the fuzz targets share. A target is one file with LLVMFuzzerTestOneInput(); libFuzzer calls
 * it, or replay.c with files that are there. It aborts where something does not hold. */
#pragma once

#include <stdint.h>

#include "base/strbuf.h"
#include "diag/diag.h"
#include "notebook/notebook.h"

/* Returns 0. DATA is SIZE bytes of their own, so that a sanitizer sees reads around them. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static inline struct slice fuzz_input(const uint8_t *data, size_t size)
{
	return slice_make((const char *)data, size);
}

/* Aborts with PROPERTY unless it HOLDS. */
void fuzz_require(bool holds, const char *property);

/* The same for two texts that are to be equal, which are shown where they are not. */
void fuzz_require_equal(struct slice a, struct slice b, const char *property);

/* A file in memory that holds TEXT, for reading; the caller closes it. */
int fuzz_file(struct slice text);

/* From now on files outside of FOLDER cannot be opened: what an input names is not read. */
void fuzz_read_only_below(const char *folder);

/* Lets reading give a few bytes at a time, or as much as is asked for. */
void fuzz_short_reads(bool wanted);

/* Do the diagnostics lie in the cells of NOTEBOOK that they are about? One about no cell, or about
 * another file, need only lie in the line that it shows. */
void fuzz_check_places(const struct diags *diags, const struct notebook *notebook);

/* Adds the report of DIAGS to OUT, and checks that it is fit for a terminal; with ALL_FORMATS,
 * which take longer, also that the other ones are JSON. */
void fuzz_report(struct strbuf *out, const struct notebook *notebook, struct diags *diags,
                 bool all_formats);

/* Is TEXT UTF-8 that ends with a line end? */
void fuzz_check_text(struct slice text, const char *what);

/* Does TEXT, which is UTF-8, do nothing to a terminal? */
void fuzz_check_terminal(struct slice text);

/* Is TEXT JSON? Long texts are not checked. */
void fuzz_check_json(struct slice text, const char *what);
