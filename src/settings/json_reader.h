/* Reads JSON (RFC 8259) into values. The YAML reader accepts most of JSON, but not surrogate pairs and
 * long keys. */
#ifndef NBSCOREP_SETTINGS_JSON_READER_H
#define NBSCOREP_SETTINGS_JSON_READER_H

#include "base/value.h"

/* Returns the value of TEXT. Returns NULL, without a report, if TEXT is not JSON, has a name twice in
 * one object or a lone surrogate, or exceeds the limits of yaml_reader.h. Numbers are kept as written.
 * NAME is the file's. Members of the outermost object have a place, other values do not. The value
 * lives in ARENA, its texts in ARENA or in TEXT. */
const struct value *json_read(struct arena *arena, struct slice name, struct slice text);

#endif
