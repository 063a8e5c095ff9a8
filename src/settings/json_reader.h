/* Reads JSON (RFC 8259) into values. YAML's reader takes most of it, but not all: surrogate pairs,
 * long keys. */
#ifndef NBSCOREP_SETTINGS_JSON_READER_H
#define NBSCOREP_SETTINGS_JSON_READER_H

#include "base/value.h"

/* The value of TEXT, or NULL where that is no JSON, holds a name twice in one object or a lone
 * surrogate, or exceeds yaml_reader.h's limits; nothing is reported. Numbers are kept as they are
 * written. NAME is the file's. Members of the outermost object know their place, others have
 * none. The value lives in ARENA, its texts there or in TEXT. */
const struct value *json_read(struct arena *arena, struct slice name, struct slice text);

#endif
