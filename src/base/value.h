/* A value that a user wrote: in YAML, in JSON or on the command line. Each value has its place, for
 * diagnostics. Values are never changed after they were made; they live in the arena of their
 * reader. */
#pragma once

#include "base/location.h"

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

typedef VECTOR(const struct value *) value_list;

struct value {
	enum value_kind kind;
	bool boolean;      /* of a VALUE_BOOL */
	struct slice text; /* of a scalar: the content of a VALUE_TEXT, else as written */
	struct location where;
	value_list items; /* of a VALUE_LIST */
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

/* Appends the COUNT entries as a JSON object on one line, which Python's json.loads() reads as the same value. An
 * integer keeps all its digits; a float keeps its value as a double. NaN, Infinity and -Infinity are written as
 * words, which Python accepts but JSON does not. */
void value_json_entries(struct strbuf *out, const struct value_entry *entries, size_t count);

/* Appends VALUE as a Python expression on one line, made of literals, that has exactly that value.
 * Values without a literal become float("inf"), float("-inf") or float("nan"). Numbers of VALUE
 * have the syntax of Python, YAML or JSON. */
void python_value(struct strbuf *out, const struct value *value);

/* The value that papermill makes of the word TEXT after -p (papermill.cli._resolve_type): True,
 * False, None, what int() accepts, what float() accepts, else a text. In ARENA; it has no place. */
const struct value *python_value_of_word(struct arena *arena, struct slice text);
