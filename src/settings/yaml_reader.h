/* Reads YAML 1.1 (libyaml's events) into values, for configuration and parameters. What a file may
 * be is bounded, so that a stranger's costs little: see the limits. Anchors, aliases and merge keys
 * ("<<: *base") are resolved; what an alias stands for is shared, not copied, and has the place
 * where it was written. Plain scalars have the types of YAML's core schema, and yes, no, on and off
 * are truth values as PyYAML has them; a number with a leading zero (010), a date and a time are
 * texts. The one tag that is taken is !!str. */
#ifndef NBSCOREP_SETTINGS_YAML_READER_H
#define NBSCOREP_SETTINGS_YAML_READER_H

#include "base/value.h"
#include "diag/diag.h"

enum {
	YAML_MAX_BYTES = 1 << 20,
	YAML_MAX_DEPTH = 64,
	YAML_MAX_VALUES =
	        1 << 16, /* after aliases were put in: against nested ones that multiply */
};

/* Reads the one document of TEXT, which lives as long as ARENA. NAME is the file's, for the places
 * of diagnostics and values, or empty where TEXT is no file. An empty document is a VALUE_NULL.
 * Problems become DIAG_CONFIG_SYNTAX errors: the first one ends the reading. Returns NULL after
 * one. The value lives in ARENA. */
const struct value *yaml_read(struct arena *arena, struct slice name, struct slice text,
                              struct diags *diags);

/* The same for the file PATH, which is also its name; no more than the limit is read of it. One that
 * cannot be read is a DIAG_IO. */
const struct value *yaml_read_file(struct arena *arena, struct slice path, struct diags *diags);

/* The same for the open file FD, which it closes; -1: it could not be opened, and errno says why. */
const struct value *yaml_read_descriptor(struct arena *arena, int fd, struct slice path,
                                         struct diags *diags);

#endif
