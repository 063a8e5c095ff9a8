#include "base/value_json.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/json_writer.h"

enum { DOUBLE_TEXT = 32, DOUBLE_DIGITS = 15, DOUBLE_DIGITS_MAX = 17 };

/* Removes the prefix of a base from *REST and returns the base; 10 without a prefix. */
static unsigned take_base(struct slice *rest)
{
	static const struct {
		struct slice prefix;
		unsigned base;
	} bases[] = {
	        {SLICE_INIT("0x"), 16},
	        {SLICE_INIT("0o"), 8},
	        {SLICE_INIT("0b"), 2},
	};
	for (size_t i = 0; i < sizeof bases / sizeof *bases; i++) {
		if (!slice_starts_with(*rest, bases[i].prefix))
			continue;
		*rest = slice_sub(*rest, bases[i].prefix.len, rest->len);
		return bases[i].base;
	}
	return 10;
}

static unsigned digit_of(char c)
{
	return ascii_is_digit(c) ? (unsigned)(c - '0') : (unsigned)(ascii_lower(c) - 'a') + 10;
}

/* Replaces NUMBER, decimal digits in reverse order, by NUMBER * BASE + DIGIT. */
static void append_digit(struct strbuf *number, unsigned base, unsigned digit)
{
	unsigned carry = digit;
	for (size_t i = 0; i < number->len; i++) {
		unsigned all = (unsigned)(number->ptr[i] - '0') * base + carry;
		number->ptr[i] = (char)('0' + all % 10);
		carry = all / 10;
	}
	for (; carry > 0; carry /= 10)
		strbuf_addc(number, (char)('0' + carry % 10));
}

static void add_in_base(struct strbuf *out, struct slice digits, unsigned base)
{
	struct strbuf number;
	strbuf_init(&number, out->arena);
	for (size_t i = 0; i < digits.len; i++) {
		if (digits.ptr[i] != '_')
			append_digit(&number, base, digit_of(digits.ptr[i]));
	}
	for (size_t i = number.len; i-- > 0;)
		strbuf_addc(out, number.ptr[i]);
	if (number.len == 0)
		strbuf_addc(out, '0');
}

static void add_int(struct strbuf *out, struct slice text)
{
	if (text.len > 0 && (text.ptr[0] == '-' || text.ptr[0] == '+')) {
		if (text.ptr[0] == '-')
			strbuf_addc(out, '-');
		text = slice_sub(text, 1, text.len);
	}
	unsigned base = take_base(&text);
	if (base != 10) {
		add_in_base(out, text, base);
		return;
	}
	for (size_t i = 0; i < text.len; i++) {
		if (text.ptr[i] != '_')
			strbuf_addc(out, text.ptr[i]);
	}
}

/* Appends the shortest text that reads back as the same double. */
static void add_double(struct strbuf *out, double number)
{
	char text[DOUBLE_TEXT];
	for (int digits = DOUBLE_DIGITS; digits <= DOUBLE_DIGITS_MAX; digits++) {
		snprintf(text, sizeof text, "%.*g", digits, number);
		if (strtod(text, NULL) == number)
			break;
	}
	strbuf_puts(out, text);
	if (strpbrk(text, ".e") == NULL)
		strbuf_puts(out, ".0");
}

/* Accepts YAML's ".inf" and ".nan", too. */
static void add_float(struct strbuf *out, struct slice text)
{
	struct strbuf plain;
	strbuf_init(&plain, out->arena);
	for (size_t i = 0; i < text.len; i++) {
		bool is_word = text.ptr[i] == '.' && i + 1 < text.len &&
		               ascii_is_alpha(text.ptr[i + 1]) &&
		               ascii_lower(text.ptr[i + 1]) != 'e';
		if (text.ptr[i] != '_' && !is_word)
			strbuf_addc(&plain, text.ptr[i]);
	}
	double number = strtod(arena_cstr(out->arena, strbuf_slice(&plain)), NULL);
	if (isnan(number))
		strbuf_puts(out, "NaN");
	else if (isinf(number))
		strbuf_puts(out, number < 0 ? "-Infinity" : "Infinity");
	else
		add_double(out, number);
}

static const struct value_language json = {"null", "true", "false", add_int, add_float, json_quote};

void value_json_entries(struct strbuf *out, const struct value_entry *entries, size_t count)
{
	value_write_map(out, entries, count, &json);
}

void value_json(struct strbuf *out, const struct value *value)
{
	value_write(out, value, &json);
}
