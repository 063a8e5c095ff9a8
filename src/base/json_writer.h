/* Writes JSON: for diagnostics, SARIF, the IR dump and the source map. The indentation is two
 * blanks per level. The caller must balance its calls. Malformed UTF-8 becomes U+FFFD, so the
 * output is always JSON. */
#ifndef NBSCOREP_BASE_JSON_WRITER_H
#define NBSCOREP_BASE_JSON_WRITER_H

#include "base/strbuf.h"

/* {.out = out} is one that has written nothing. */
struct json_writer {
	struct strbuf *out;
	unsigned depth;
	bool filled; /* there is an element in the innermost object or array */
	bool after_key;
};

void json_writer_init(struct json_writer *json, struct strbuf *out);

/* '{' and '}' for an object, '[' and ']' for an array. */
void json_begin(struct json_writer *json, char bracket);
void json_end(struct json_writer *json, char bracket);
void json_put_key(struct json_writer *json, const char *key);
void json_put_string(struct json_writer *json, struct slice value);
void json_member_string(struct json_writer *json, const char *key, struct slice value);
void json_put_number(struct json_writer *json, long long value);
void json_member_number(struct json_writer *json, const char *key, long long value);
/* DIGITS is a JSON number. */
void json_put_decimal(struct json_writer *json, struct slice digits);
void json_put_bool(struct json_writer *json, bool value);

/* Puts a part of a JSON text: the tokens of TEXT, in which ' replaces ". It can open more than it closes:
 * json_put_source(json, "{'items': [{'type': 'string'}, "), or put members of an object that is open. */
void json_put_source(struct json_writer *json, const char *text);

/* Appends VALUE as a JSON string literal, including the quotes. The literal is also a valid
 * double-quoted YAML scalar. */
void json_quote(struct strbuf *out, struct slice value);

#endif
