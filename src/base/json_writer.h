/* Writes JSON: for diagnostics, SARIF, the IR dump and the source map. The indentation is two
 * blanks per level. The caller must balance its brackets. Malformed UTF-8 becomes U+FFFD, so the
 * output is always JSON. */
#pragma once

#include <math.h>

#include "base/base.h"

/* {.out = out} is one that has written nothing. */
struct json_writer {
	struct strbuf *out;
	unsigned depth;
	bool filled; /* there is an element in the innermost object or array */
	bool after_key;
};

/* A value of a template. A zeroed one is null. */
struct json_item {
	enum json_item_kind {
		JSON_ITEM_WORD, /* of JSON; empty: null */
		JSON_ITEM_TEXT,
		JSON_ITEM_TEXTS, /* NUMBER of them */
		JSON_ITEM_NUMBER,
		JSON_ITEM_DECIMAL,
	} kind;
	int digits; /* after the point */
	struct slice text;
	const struct slice *texts;
	long long number;
	double decimal;
};

/* The item for a slice, a C string (NULL: null) or an integer. A bool needs json_bool(), because a comparison is
 * an int in C. */
#define J(value)                                                                                   \
	_Generic((value), struct slice                                                             \
	         : json_of_slice, char *                                                           \
	         : json_of_chars, const char *                                                     \
	         : json_of_chars, int                                                              \
	         : json_of_integer, unsigned                                                       \
	         : json_of_integer, long                                                           \
	         : json_of_integer, long long                                                      \
	         : json_of_integer, unsigned long                                                  \
	         : json_of_unsigned, unsigned long long                                            \
	         : json_of_unsigned)(value)

static inline struct json_item json_of_slice(struct slice text)
{
	return (struct json_item){.kind = JSON_ITEM_TEXT, .text = text};
}

static inline struct json_item json_of_chars(const char *text)
{
	return text != NULL ? json_of_slice(slice_from(text)) : (struct json_item){0};
}

/* NUMBER, of which so many DIGITS come after the point. */
static inline struct json_item json_fixed(long long number, int digits)
{
	return (struct json_item){.kind = JSON_ITEM_NUMBER, .number = number, .digits = digits};
}

static inline struct json_item json_of_integer(long long number)
{
	return json_fixed(number, 0);
}

static inline struct json_item json_of_unsigned(unsigned long long number)
{
	return json_of_integer((long long)number);
}

static inline struct json_item json_bool(bool value)
{
	return (struct json_item){.text = value ? SLICE("true") : SLICE("false")};
}

/* ITEM, or null if it is not GIVEN. */
static inline struct json_item json_if(bool given, struct json_item item)
{
	return given ? item : (struct json_item){0};
}

/* NUMBER, or null if it is not above 0. */
static inline struct json_item json_positive(long long number)
{
	return json_if(number > 0, J(number));
}

/* A number with so many DIGITS after the point; null if it is not finite. */
static inline struct json_item json_decimal(double number, int digits)
{
	return json_if(
	        isfinite(number),
	        (struct json_item){.kind = JSON_ITEM_DECIMAL, .decimal = number, .digits = digits});
}

/* An array of COUNT strings. */
static inline struct json_item json_texts(const struct slice *texts, size_t count)
{
	return (struct json_item){
	        .kind = JSON_ITEM_TEXTS, .texts = texts, .number = (long long)count};
}

/* Puts a part of a JSON text: the tokens of TEXT, in which ' replaces ". It can open more than it closes, or put
 * members of an object that is open. Each ? takes the next of the items that follow, as a value or as a key; after a
 * key, ?* leaves the member out if the item is null or an empty text or array. A wrong number of items aborts. This puts
 * {"cell": 3, "share": 0.50, "runs": [:
 *
 *	json_put(&json, "{'cell': ?, 'title': ?*, 'share': ?*, ?: [", J(3), J(SLICE("")),
 *	         json_decimal(0.5, 2), J("runs"));
 */
#define json_put(json, text, ...)                                                                  \
	json_put_items((json), (text), (const struct json_item[]){__VA_ARGS__},                    \
	               sizeof((const struct json_item[]){__VA_ARGS__}) / sizeof(struct json_item))
void json_put_items(struct json_writer *json, const char *text, const struct json_item *items,
                    size_t count);

/* Appends VALUE as a JSON string literal, including the quotes. The literal is also a valid
 * double-quoted YAML scalar. */
void json_quote(struct strbuf *out, struct slice value);
