#include "base/value.h"

#include <math.h>

#include "base/json_writer.h"
#include "base/quote.h"

enum { DOUBLE_TEXT = 32, DOUBLE_DIGITS = 15, DOUBLE_DIGITS_MAX = 17 };

const char *value_kind_name(enum value_kind kind)
{
	static const char *const names[] = {
	        [VALUE_NULL] = "null",          [VALUE_BOOL] = "a boolean",
	        [VALUE_INT] = "a whole number", [VALUE_FLOAT] = "a number",
	        [VALUE_TEXT] = "a text",        [VALUE_LIST] = "a list",
	        [VALUE_MAP] = "a map",
	};
	return names[kind];
}

bool value_is_scalar(const struct value *value)
{
	return value->kind != VALUE_LIST && value->kind != VALUE_MAP;
}

const struct value_entry *value_find(const struct value *map, struct slice name)
{
	for (size_t i = 0; i < map->entries.count; i++) {
		if (slice_eq(map->entries.items[i].name, name))
			return &map->entries.items[i];
	}
	return NULL;
}

/* ---- numbers ---- */

static bool has_sign(struct slice text)
{
	return text.len > 0 && (text.ptr[0] == '+' || text.ptr[0] == '-');
}

static struct slice without_sign(struct slice text)
{
	return slice_tail(text, has_sign(text) ? 1 : 0);
}

/* The length of the digits at AT, which may have single underscores between them. */
static size_t digits_length(struct slice text, size_t at)
{
	size_t end = at;
	while (end < text.len && (ascii_is_digit(text.ptr[end]) ||
	                          (text.ptr[end] == '_' && end > at && text.ptr[end - 1] != '_' &&
	                           end + 1 < text.len && ascii_is_digit(text.ptr[end + 1]))))
		end++;
	return end - at;
}

/* inf, infinity or nan in any case, as float() accepts them, also with the dot of YAML before
 * them. */
static struct slice special_float(struct slice text)
{
	text = without_sign(text);
	(void)slice_cut_prefix(&text, SLICE("."));
	if (slice_is_word_of_nocase(text, "inf infinity"))
		return SLICE("inf");
	return slice_eq_nocase(text, SLICE("nan")) ? SLICE("nan") : slice_make("", 0);
}

static void add_digits(struct strbuf *out, struct slice text)
{
	for (size_t i = 0; i < text.len; i++) {
		bool belongs = ascii_is_alnum(text.ptr[i]) || text.ptr[i] == '.' ||
		               text.ptr[i] == '-' || text.ptr[i] == '+';
		if (belongs)
			strbuf_addc(out, text.ptr[i]);
	}
}

/* Neither language has leading zeros; JSON has decimal numbers only. */
static void add_int(struct strbuf *out, struct slice text, bool is_json)
{
	struct slice digits = without_sign(text);
	unsigned bits = 0; /* of a digit, after "0x", "0o" or "0b" */
	if (digits.len > 2 && digits.ptr[0] == '0' && ascii_is_alpha(digits.ptr[1])) {
		char letter = ascii_lower(digits.ptr[1]);
		bits = letter == 'x' ? 4 : letter == 'o' ? 3 : 1;
	}
	if (slice_starts_with(text, SLICE("-")))
		strbuf_addc(out, '-');
	if (bits > 0 && is_json) {
		strbuf_printf(
		        out, "%llu",
		        strtoull(arena_cstr(out->arena, slice_tail(digits, 2)), NULL, 1 << bits));
		return;
	}
	while (bits == 0 && digits.len > 1 && (digits.ptr[0] == '0' || digits.ptr[0] == '_'))
		digits = slice_tail(digits, 1);
	add_digits(out, digits);
}

/* Adds the shortest text that reads back as the same double, or a word. */
static void add_json_float(struct strbuf *out, struct slice text)
{
	struct slice special = special_float(text);
	char shown[DOUBLE_TEXT];
	struct strbuf plain = {.arena = out->arena};
	if (special.len == 0)
		add_digits(&plain, text);
	else
		strbuf_printf(&plain, "%s%.*s", slice_starts_with(text, SLICE("-")) ? "-" : "",
		              SLICE_ARG(special));
	double number = strtod(arena_cstr(out->arena, strbuf_slice(&plain)), NULL);
	if (!isfinite(number)) {
		strbuf_puts(out, isnan(number) ? "NaN" : number < 0 ? "-Infinity" : "Infinity");
		return;
	}
	for (int digits = DOUBLE_DIGITS; digits <= DOUBLE_DIGITS_MAX; digits++) {
		snprintf(shown, sizeof shown, "%.*g", digits, number);
		if (strtod(shown, NULL) == number)
			break;
	}
	strbuf_puts(out, shown);
	if (strpbrk(shown, ".e") == NULL)
		strbuf_puts(out, ".0");
}

static void add_python_float(struct strbuf *out, struct slice text)
{
	struct slice special = special_float(text);
	bool negative = slice_starts_with(text, SLICE("-"));
	if (special.len > 0) {
		strbuf_printf(out, "float(\"%s%.*s\")", negative ? "-" : "", SLICE_ARG(special));
		return;
	}
	size_t start = out->len;
	add_digits(out, text);
	struct slice written = slice_tail(strbuf_slice(out), start);
	if (!slice_has(written, '.') && !slice_has(written, 'e') && !slice_has(written, 'E'))
		strbuf_puts(out, ".0");
}

/* ---- both languages ---- */

static void value_write(struct strbuf *out, const struct value *value, bool is_json);

static void write_map(struct strbuf *out, const struct value_entry *entries, size_t count,
                      bool is_json)
{
	strbuf_addc(out, '{');
	for (size_t i = 0; i < count; i++) {
		strbuf_puts(out, i > 0 ? ", " : "");
		(is_json ? json_quote : python_string)(out, entries[i].name);
		strbuf_puts(out, ": ");
		value_write(out, entries[i].value, is_json);
	}
	strbuf_addc(out, '}');
}

static void value_write(struct strbuf *out, const struct value *value, bool is_json)
{
	static const char *const words[2][2] = {{"False", "True"}, {"false", "true"}};
	switch (value->kind) {
	case VALUE_NULL:
		strbuf_puts(out, is_json ? "null" : "None");
		break;
	case VALUE_BOOL:
		strbuf_puts(out, words[is_json][value->boolean]);
		break;
	case VALUE_INT:
		add_int(out, value->text, is_json);
		break;
	case VALUE_FLOAT:
		(is_json ? add_json_float : add_python_float)(out, value->text);
		break;
	case VALUE_TEXT:
		(is_json ? json_quote : python_string)(out, value->text);
		break;
	case VALUE_LIST:
		strbuf_addc(out, '[');
		for (size_t i = 0; i < value->items.count; i++) {
			strbuf_puts(out, i > 0 ? ", " : "");
			value_write(out, value->items.items[i], is_json);
		}
		strbuf_addc(out, ']');
		break;
	case VALUE_MAP:
		write_map(out, value->entries.items, value->entries.count, is_json);
		break;
	}
}

void value_json_entries(struct strbuf *out, const struct value_entry *entries, size_t count)
{
	write_map(out, entries, count, true);
}

void python_value(struct strbuf *out, const struct value *value)
{
	value_write(out, value, false);
}

/* ---- what Python reads ---- */

static bool is_float(struct slice text)
{
	if (special_float(text).len > 0)
		return slice_find(text, '.', 0) == text.len;
	text = without_sign(text);
	size_t before = digits_length(text, 0), at = before, after = 0;
	if (at < text.len && text.ptr[at] == '.') {
		after = digits_length(text, at + 1);
		at += 1 + after;
	}
	if (before + after == 0)
		return false;
	if (at < text.len && ascii_lower(text.ptr[at]) == 'e') {
		at += at + 1 < text.len && has_sign(slice_tail(text, at + 1)) ? 2 : 1;
		size_t exponent = digits_length(text, at);
		return exponent > 0 && at + exponent == text.len;
	}
	return at == text.len;
}

const struct value *python_value_of_word(struct arena *arena, struct slice text)
{
	struct value *value = ARENA_NEW(arena, struct value);
	struct slice trimmed = slice_trim(text), digits = without_sign(trimmed);
	value->kind = VALUE_TEXT;
	value->text = text;
	value->boolean = slice_eq(text, SLICE("True"));
	if (value->boolean || slice_eq(text, SLICE("False")))
		value->kind = VALUE_BOOL;
	else if (slice_eq(text, SLICE("None")))
		value->kind = VALUE_NULL;
	else if (digits.len > 0 && digits_length(digits, 0) == digits.len)
		value->kind = VALUE_INT;
	else if (is_float(trimmed))
		value->kind = VALUE_FLOAT;
	if (value->kind == VALUE_INT || value->kind == VALUE_FLOAT)
		value->text = trimmed;
	return value;
}
