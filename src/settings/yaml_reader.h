/* Reads YAML 1.1 (libyaml's events) into values, for configuration and parameters. The limits below
 * bound the cost of an untrusted file. Anchors, aliases and merge keys ("<<: *base") are resolved. The
 * value of an alias is shared, not copied, and has the place of its anchor. Plain scalars have the
 * types of YAML's core schema, and yes, no, on and off are booleans, as in PyYAML. A number with a
 * leading zero (010), a date and a time are texts. A number with 0x or 0o has at most 16 digits. The only supported tag is !!str. */
#pragma once

#include "base/value.h"
#include "diag/diag.h"

enum {
	YAML_MAX_BYTES = 1 << 20,
	YAML_MAX_DEPTH = 64,
	YAML_MAX_VALUES = 1 << 16, /* with aliases expanded, because nested aliases multiply */
};

/* Reads the only document of TEXT, which must live as long as ARENA. NAME is the file's, for the
 * places of diagnostics and values, or empty if TEXT is not from a file. An empty document is a
 * VALUE_NULL. The first problem becomes a DIAG_CONFIG_SYNTAX error and ends the reading. Returns the
 * value, which lives in ARENA, or NULL after an error. */
const struct value *yaml_read(struct arena *arena, struct slice name, struct slice text,
                              struct diags *diags);

/* The same for TEXT that may also be JSON with what YAML does not permit: pairs of surrogates, long keys, control characters.
 * Parts of such JSON have no place. */
const struct value *yaml_or_json_read(struct arena *arena, struct slice name, struct slice text,
                                      struct diags *diags);

/* ---- scalars ---- */

/* Decides the kind of a plain YAML scalar. */

/* Returns the kind of the plain scalar TEXT, as PyYAML and the core schema define it (yaml_reader.h).
 * Sets *BOOLEAN for a VALUE_BOOL. */
enum value_kind yaml_plain_kind(struct slice text, bool *boolean);
