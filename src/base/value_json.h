/* Values as JSON on one line, which Python's json.loads() reads as the same value. */
#ifndef NBSCOREP_BASE_VALUE_JSON_H
#define NBSCOREP_BASE_VALUE_JSON_H

#include "base/strbuf.h"
#include "base/value.h"

/* Appends VALUE. An integer keeps all its digits; a float keeps its value as a double. NaN,
 * Infinity and -Infinity are written as words, which Python accepts but JSON does not. */
void value_json(struct strbuf *out, const struct value *value);

/* Appends the COUNT entries as an object. */
void value_json_entries(struct strbuf *out, const struct value_entry *entries, size_t count);

#endif
