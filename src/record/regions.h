/* Internal to src/record: the numbers and names of regions. */
#pragma once

#include "record/record_location.h"

/* Adds a rule of Score-P's filter, after the others: PATTERN of fnmatch(3), for source files or for names. Returns
 * false without memory. */
bool region_add_rule(bool is_file, bool excludes, const char *pattern);

enum region_special {
	REGION_UNRECORDED, /* for good, by the filter or by its name */
	REGION_LATER =
	        (1 << 24), /* not now: the script has not begun, or the files cannot be written */
};

/* Makes the end of TEXT a whole character of UTF-8, if it WAS_CUT to fit. */
void text_cut(char *text, bool was_cut);

/* The number of a region, or one of the above. */
uint32_t region_define(enum recording_region_kind kind, const char *module, const char *name,
                       const char *file, uint32_t line);

/* Prepares to remember the regions of codes. Returns 0, or -1 if Python refuses. */
int region_begin(void);

/* Writes the regions that a forked child knows of its parent. Returns 0, or -1 and sets errno. */
int region_begin_child(void);

/* The region of CODE, which FRAME begins to run (NULL: the current one), or one of the above. */
uint32_t region_of(struct location *location, PyObject *code, PyObject *frame);

/* The region of CODE if it has been entered before; else 0. */
uint32_t region_known(PyObject *code);
