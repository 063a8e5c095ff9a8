/* Reads JSON (RFC 8259) into values, which live in ARENA. Numbers are kept as written. The YAML reader accepts
 * most of JSON, but not surrogate pairs and long keys. */
#ifndef NBSCOREP_BASE_JSON_READER_H
#define NBSCOREP_BASE_JSON_READER_H

#include "base/value.h"

/* Returns the value of TEXT, which must live as long as ARENA. Returns NULL, without a report, if TEXT is not
 * JSON, has a name twice in one object or a lone surrogate, or exceeds the limits of base/value.h. NAME is the
 * file's. Members of the outermost object have a place, other values do not. */
const struct value *json_read(struct arena *arena, struct slice name, struct slice text);

/* The same for JSON of any size. All values have the place WHERE. The last of equal names in an object counts. */
const struct value *json_read_kept(struct arena *arena, struct location where, struct slice text);

#endif
