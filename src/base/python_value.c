#include "base/python_value.h"

#include "base/quote.h"

static bool has_sign(struct slice text)
{
	return text.len > 0 && (text.ptr[0] == '+' || text.ptr[0] == '-');
}

static struct slice without_sign(struct slice text)
{
	return slice_sub(text, has_sign(text) ? 1 : 0, text.len);
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

static bool is_int(struct slice text)
{
	text = without_sign(text);
	return text.len > 0 && digits_length(text, 0) == text.len;
}

/* inf, infinity or nan in any case, as float() accepts them, also with the dot of YAML before
 * them. */
static struct slice special_float(struct slice text)
{
	static const struct slice infinite[] = {SLICE_INIT("inf"), SLICE_INIT("infinity")};
	text = without_sign(text);
	text = slice_sub(text, slice_starts_with(text, SLICE(".")) ? 1 : 0, text.len);
	if (slice_is_one_of_nocase(text, infinite, 2))
		return SLICE("inf");
	return slice_eq_nocase(text, SLICE("nan")) ? SLICE("nan") : slice_make("", 0);
}

static bool is_float(struct slice text)
{
	if (special_float(text).len > 0)
		return slice_find(text, '.', 0) == text.len;
	text = without_sign(text);
	size_t before = digits_length(text, 0), at = before, behind = 0;
	if (at < text.len && text.ptr[at] == '.') {
		behind = digits_length(text, at + 1);
		at += 1 + behind;
	}
	if (before + behind == 0)
		return false;
	if (at < text.len && ascii_lower(text.ptr[at]) == 'e') {
		at += at + 1 < text.len && has_sign(slice_sub(text, at + 1, text.len)) ? 2 : 1;
		size_t exponent = digits_length(text, at);
		return exponent > 0 && at + exponent == text.len;
	}
	return at == text.len;
}

/* True if the digits begin with "0x", "0o" or "0b". */
static bool has_base(struct slice digits)
{
	return digits.len > 2 && digits.ptr[0] == '0' && ascii_is_alpha(digits.ptr[1]);
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

/* Python rejects leading zeros. */
static void add_int(struct strbuf *out, struct slice text)
{
	struct slice digits = without_sign(text);
	if (slice_starts_with(text, SLICE("-")))
		strbuf_addc(out, '-');
	while (!has_base(digits) && digits.len > 1 &&
	       (digits.ptr[0] == '0' || digits.ptr[0] == '_'))
		digits = slice_sub(digits, 1, digits.len);
	add_digits(out, digits);
}

static void add_float(struct strbuf *out, struct slice text)
{
	struct slice special = special_float(text);
	bool negative = slice_starts_with(text, SLICE("-"));
	if (special.len > 0) {
		strbuf_printf(out, "float(\"%s%.*s\")", negative ? "-" : "", SLICE_ARG(special));
		return;
	}
	size_t start = out->len;
	add_digits(out, text);
	struct slice written = slice_sub(strbuf_slice(out), start, out->len);
	if (slice_find(written, '.', 0) == written.len &&
	    slice_find(written, 'e', 0) == written.len &&
	    slice_find(written, 'E', 0) == written.len)
		strbuf_puts(out, ".0");
}

static const struct value_language python = {"None",  "True",    "False",
                                             add_int, add_float, python_string};

void python_value(struct strbuf *out, const struct value *value)
{
	value_write(out, value, &python);
}

/* The most digits after "0x", "0o" or "0b" that have at most PYTHON_DIGITS_MAX decimal digits. */
static size_t most_digits(char prefix)
{
	enum { BITS_MAX = 14283 }; /* PYTHON_DIGITS_MAX / log10(2) */
	char letter = ascii_lower(prefix);
	return letter == 'x' ? BITS_MAX / 4 : letter == 'o' ? BITS_MAX / 3 : BITS_MAX;
}

static bool number_fits(const struct value *value)
{
	size_t count = 0, most = PYTHON_DIGITS_MAX;
	struct slice digits = without_sign(value->text);
	if (value->kind != VALUE_INT)
		return true;
	if (has_base(digits)) {
		most = most_digits(digits.ptr[1]);
		digits = slice_sub(digits, 2, digits.len);
	}
	for (size_t i = 0; i < digits.len; i++)
		count += digits.ptr[i] != '_';
	return count <= most;
}

bool python_value_fits(const struct value *value)
{
	for (size_t i = 0; i < value->items.count; i++) {
		if (!python_value_fits(value->items.items[i]))
			return false;
	}
	for (size_t i = 0; i < value->entries.count; i++) {
		if (!python_value_fits(value->entries.items[i].value))
			return false;
	}
	return number_fits(value);
}

const struct value *python_value_of_word(struct arena *arena, struct slice text)
{
	struct value *value = ARENA_NEW(arena, struct value);
	struct slice trimmed = slice_trim(text);
	value->kind = VALUE_TEXT;
	value->text = text;
	value->boolean = slice_eq(text, SLICE("True"));
	if (value->boolean || slice_eq(text, SLICE("False")))
		value->kind = VALUE_BOOL;
	else if (slice_eq(text, SLICE("None")))
		value->kind = VALUE_NULL;
	else if (is_int(trimmed))
		value->kind = VALUE_INT;
	else if (is_float(trimmed))
		value->kind = VALUE_FLOAT;
	if (value->kind == VALUE_INT || value->kind == VALUE_FLOAT)
		value->text = trimmed;
	return value;
}
