#include "settings/json_reader.h"

#include <stdint.h>

#include "base/name_set.h"
#include "base/strbuf.h"
#include "base/utf8.h"
#include "settings/yaml_reader.h"

struct json_reader {
	struct arena *arena;
	struct location where; /* of values */
	struct slice text;
	size_t at, depth, values;
	struct slice line; /* of the last place that was computed */
	unsigned line_number;
	struct line_mark mark;
	size_t next_line; /* the offset of the line after it */
};

/* Takes C, if it is the next character. */
static bool take_char(struct json_reader *r, char c)
{
	if (r->at >= r->text.len || r->text.ptr[r->at] != c)
		return false;
	r->at++;
	return true;
}

/* The next character, or NUL after the last one. */
static char next_char(const struct json_reader *r)
{
	if (r->at < r->text.len)
		return r->text.ptr[r->at];
	return '\0';
}

static void skip_blanks(struct json_reader *r)
{
	while (next_char(r) != '\0' && strchr(" \t\r\n", next_char(r)) != NULL)
		r->at++;
}

static bool take_word(struct json_reader *r, struct slice word)
{
	if (!slice_starts_with(slice_sub(r->text, r->at, r->text.len), word))
		return false;
	r->at += word.len;
	return true;
}

static size_t take_digits(struct json_reader *r)
{
	size_t start = r->at;
	while (r->at < r->text.len && ascii_is_digit(r->text.ptr[r->at]))
		r->at++;
	return r->at - start;
}

static int read_number(struct json_reader *r, struct value *out)
{
	size_t start = r->at;
	out->kind = VALUE_INT;
	(void)take_char(r, '-');
	bool zero = r->at < r->text.len && r->text.ptr[r->at] == '0';
	size_t digits = take_digits(r);
	if (digits == 0 || (zero && digits > 1))
		return -1;
	if (take_char(r, '.')) {
		out->kind = VALUE_FLOAT;
		if (take_digits(r) == 0)
			return -1;
	}
	if (take_char(r, 'e') || take_char(r, 'E')) {
		out->kind = VALUE_FLOAT;
		if (!take_char(r, '+'))
			(void)take_char(r, '-');
		if (take_digits(r) == 0)
			return -1;
	}
	out->text = slice_sub(r->text, start, r->at);
	return 0;
}

/* Reads the four digits after "\u". */
static int read_unit(struct json_reader *r, uint32_t *out)
{
	static const char digits[] = "0123456789abcdef";
	*out = 0;
	for (int i = 0; i < 4; i++, r->at++) {
		char c = next_char(r);
		const char *digit = c == '\0' ? NULL : strchr(digits, ascii_lower(c));
		if (digit == NULL)
			return -1;
		*out = *out * 16 + (uint32_t)(digit - digits);
	}
	return 0;
}

static bool is_surrogate(uint32_t unit, uint32_t first)
{
	return unit >= first && unit < first + 0x400;
}

static int read_codepoint(struct json_reader *r, struct strbuf *out)
{
	uint32_t unit, low;
	char bytes[4];
	if (read_unit(r, &unit) < 0 || is_surrogate(unit, 0xDC00))
		return -1;
	if (is_surrogate(unit, 0xD800)) {
		if (!take_word(r, SLICE("\\u")) || read_unit(r, &low) < 0 ||
		    !is_surrogate(low, 0xDC00))
			return -1;
		unit = 0x10000 + ((unit - 0xD800) << 10) + (low - 0xDC00);
	}
	strbuf_add(out, slice_make(bytes, utf8_put(bytes, unit)));
	return 0;
}

static int read_escape(struct json_reader *r, struct strbuf *out)
{
	static const char letters[] = "\"\\/bfnrt", meanings[] = "\"\\/\b\f\n\r\t";
	char c = next_char(r);
	r->at += r->at < r->text.len;
	if (c == 'u')
		return read_codepoint(r, out);
	const char *letter = c == '\0' ? NULL : strchr(letters, c);
	if (letter == NULL)
		return -1;
	strbuf_addc(out, meanings[letter - letters]);
	return 0;
}

/* Reads a string, from the opening quote to the closing one. */
static int read_string(struct json_reader *r, struct slice *out)
{
	struct strbuf text;
	strbuf_init(&text, r->arena);
	if (!take_char(r, '"'))
		return -1;
	while (!take_char(r, '"')) {
		if (r->at >= r->text.len || (unsigned char)r->text.ptr[r->at] < 0x20)
			return -1;
		char c = r->text.ptr[r->at++];
		if (c != '\\')
			strbuf_addc(&text, c);
		else if (read_escape(r, &text) < 0)
			return -1;
	}
	*out = strbuf_slice(&text);
	return 0;
}

static const struct value *read_value(struct json_reader *r);

static int read_list(struct json_reader *r, struct value *out)
{
	out->kind = VALUE_LIST;
	skip_blanks(r);
	if (take_char(r, ']'))
		return 0;
	do {
		const struct value *item = read_value(r);
		if (item == NULL)
			return -1;
		/* NOLINTNEXTLINE(bugprone-sizeof-expression): a list of pointers */
		vec_push(r->arena, &out->items, item);
	} while (take_char(r, ','));
	return take_char(r, ']') ? 0 : -1;
}

/* The place of LEN bytes at AT. Calls come in order, so the text is scanned once. */
static struct location place_of_name(struct json_reader *r, size_t at, size_t len)
{
	while (r->next_line <= at && r->next_line < r->text.len) {
		struct slice rest = slice_sub(r->text, r->next_line, r->text.len);
		(void)slice_next_line(&rest, &r->line);
		r->next_line = r->text.len - rest.len;
		r->line_number++;
	}
	size_t offset = at - (size_t)(r->line.ptr - r->text.ptr);
	struct location where =
	        location_in_marked_line(0, r->line_number, r->line, offset, len, &r->mark);
	where.file = r->where.file;
	return where;
}

static int read_map(struct json_reader *r, struct value *out)
{
	struct name_set names;
	name_set_init(&names, r->arena);
	out->kind = VALUE_MAP;
	skip_blanks(r);
	if (take_char(r, '}'))
		return 0;
	do {
		struct value_entry entry = {.where = r->where};
		skip_blanks(r);
		size_t at = r->at;
		if (read_string(r, &entry.name) < 0)
			return -1;
		if (r->depth == 1)
			entry.where = place_of_name(r, at, r->at - at);
		skip_blanks(r);
		if (!take_char(r, ':') || (entry.value = read_value(r)) == NULL ||
		    name_set_add(&names, entry.name) < out->entries.count)
			return -1;
		vec_push(r->arena, &out->entries, entry);
	} while (take_char(r, ','));
	return take_char(r, '}') ? 0 : -1;
}

static int read_plain(struct json_reader *r, struct value *out)
{
	size_t start = r->at;
	out->boolean = take_word(r, SLICE("true"));
	if (out->boolean || take_word(r, SLICE("false")))
		out->kind = VALUE_BOOL;
	else if (!take_word(r, SLICE("null")))
		return read_number(r, out);
	out->text = slice_sub(r->text, start, r->at);
	return 0;
}

/* Reads a value and the blanks around it. */
static const struct value *read_value(struct json_reader *r)
{
	struct value *value = ARENA_NEW(r->arena, struct value);
	int status = -1;
	value->where = r->where;
	skip_blanks(r);
	if (next_char(r) == '"') {
		value->kind = VALUE_TEXT;
		status = read_string(r, &value->text);
	} else if (r->depth < YAML_MAX_DEPTH && r->values < YAML_MAX_VALUES) {
		r->depth++;
		r->values++;
		status = take_char(r, '[')   ? read_list(r, value)
		         : take_char(r, '{') ? read_map(r, value)
		                             : read_plain(r, value);
		r->depth--;
	}
	skip_blanks(r);
	return status < 0 ? NULL : value;
}

const struct value *json_read(struct arena *arena, struct slice name, struct slice text)
{
	struct json_reader reader = {.arena = arena, .where = {.file = name}, .text = text};
	if (text.len > YAML_MAX_BYTES || utf8_check(text) < text.len)
		return NULL;
	const struct value *value = read_value(&reader);
	return reader.at == text.len ? value : NULL;
}
