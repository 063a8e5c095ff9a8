/* Reads JSON (RFC 8259) into values through jansson. */
#pragma once

#include "base/value.h"

/* What is permitted or refused beyond JSON's syntax. */
enum {
	JSON_VALUE_NUL = 1,    /* a text may contain U+0000 */
	JSON_VALUE_UNIQUE = 2, /* an object must not repeat a name; else the last one counts */
};

/* Returns the value of TEXT under RULES. It lives in ARENA, and all its parts have the place WHERE, where TEXT begins. A
 * number is written with as few digits as keep its value. Returns NULL, adds to the line of WHERE and sets *PROBLEM,
 * which is constant or in ARENA, if TEXT is not JSON, breaks a rule, nests more than 64 levels deep, or has a lone
 * surrogate, an integer of more than 64 bits or a number beyond the range of a double. */
const struct value *json_value_read(struct arena *arena, struct slice text, unsigned rules,
                                    struct location *where, const char **problem);
