/* A value that a user wrote: in YAML, in JSON or on the command line. Each value has its place, for
 * diagnostics. Values are never changed after they were made; they live in the arena of their
 * reader. */
#ifndef NBSCOREP_BASE_VALUE_H
#define NBSCOREP_BASE_VALUE_H

#include <stdbool.h>

#include "base/arena.h"
#include "base/location.h"
#include "base/vector.h"

enum value_kind {
	VALUE_NULL,
	VALUE_BOOL,
	VALUE_INT,   /* any number of digits */
	VALUE_FLOAT, /* also infinity and NaN */
	VALUE_TEXT,
	VALUE_LIST,
	VALUE_MAP,
};

struct value_entry;

struct value {
	enum value_kind kind;
	bool boolean;      /* of a VALUE_BOOL */
	struct slice text; /* of a scalar: the content of a VALUE_TEXT, else as written */
	struct location where;
	VECTOR(const struct value *) items; /* of a VALUE_LIST */
	/* Of a VALUE_MAP, in the order of the file; names are unique. */
	VECTOR(struct value_entry) entries;
};

struct value_entry {
	struct slice name;
	struct location where; /* of the name */
	const struct value *value;
};

/* The name of KIND in messages: "a number", "a list". */
const char *value_kind_name(enum value_kind kind);

/* True if VALUE is neither a list nor a map. */
bool value_is_scalar(const struct value *value);

/* The entry NAME of the map, or NULL. */
const struct value_entry *value_find(const struct value *map, struct slice name);

struct strbuf;

/* How a language writes values: its keywords, and functions that write the texts of scalars. Lists
 * and maps are written as in both JSON and Python, on one line. */
struct value_language {
	const char *null, *yes, *no;
	void (*add_int)(struct strbuf *out, struct slice text);
	void (*add_float)(struct strbuf *out, struct slice text);
	void (*add_text)(struct strbuf *out, struct slice text);
};

/* Appends VALUE in LANGUAGE. */
void value_write(struct strbuf *out, const struct value *value,
                 const struct value_language *language);

/* Appends the COUNT entries as a map. */
void value_write_map(struct strbuf *out, const struct value_entry *entries, size_t count,
                     const struct value_language *language);

#endif
