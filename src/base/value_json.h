/* Values as JSON on one line: what Python's json.loads() makes the same value of. */
#ifndef NBSCOREP_BASE_VALUE_JSON_H
#define NBSCOREP_BASE_VALUE_JSON_H

#include "base/strbuf.h"
#include "base/value.h"

/* Appends VALUE. A whole number keeps all its digits, and a number its value as a double; NaN,
 * Infinity and -Infinity are words that Python takes, but JSON does not have. */
void value_json(struct strbuf *out, const struct value *value);

/* Appends the COUNT entries as an object. */
void value_json_entries(struct strbuf *out, const struct value_entry *entries, size_t count);

#endif
