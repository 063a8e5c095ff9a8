/* The kind of a plain YAML scalar: https://yaml.org/spec/1.2.2/#103-core-schema, and the words of YAML
 * 1.1 for booleans except y and n, as in PyYAML. */
#include "settings/yaml_scalar.h"
#include "settings/yaml_reader.h"

static bool is_one_of(struct slice text, const struct slice *words)
{
	for (; words->len > 0; words++) {
		if (slice_eq(text, *words))
			return true;
	}
	return false;
}

/* The number of characters from FROM on that are in DIGITS. */
static size_t run_of(struct slice text, size_t from, const char *digits)
{
	size_t at = from;
	while (at < text.len && text.ptr[at] != '\0' && strchr(digits, text.ptr[at]) != NULL)
		at++;
	return at - from;
}

static const char DECIMAL[] = "0123456789";

/* 0x1F, 0o17 */
static bool is_prefixed_int(struct slice text)
{
	const char *digits = slice_starts_with(text, SLICE("0x"))   ? "0123456789abcdefABCDEF"
	                     : slice_starts_with(text, SLICE("0o")) ? "01234567"
	                                                            : NULL;
	return digits != NULL && text.len > 2 && run_of(text, 2, digits) == text.len - 2;
}

/* The kind of TEXT, which is without its sign. */
static enum value_kind number_kind(struct slice text)
{
	size_t whole = run_of(text, 0, DECIMAL), at = whole, fraction = 0;
	if (whole > 1 && text.ptr[0] == '0')
		return VALUE_TEXT;
	if (whole > 0 && at == text.len)
		return VALUE_INT;
	if (at < text.len && text.ptr[at] == '.') {
		fraction = run_of(text, at + 1, DECIMAL);
		at += 1 + fraction;
	}
	if (whole + fraction == 0)
		return VALUE_TEXT;
	if (at < text.len && (text.ptr[at] == 'e' || text.ptr[at] == 'E')) {
		at++;
		if (at < text.len && (text.ptr[at] == '-' || text.ptr[at] == '+'))
			at++;
		size_t exponent = run_of(text, at, DECIMAL);
		at = exponent == 0 ? text.len + 1 : at + exponent;
	}
	return at == text.len ? VALUE_FLOAT : VALUE_TEXT;
}

enum value_kind yaml_plain_kind(struct slice text, bool *boolean)
{
#define WORD(word) SLICE_INIT(word)
	static const struct slice
	        nulls[] = {WORD("~"), WORD("null"), WORD("Null"), WORD("NULL"), {0}},
	        trues[] = {WORD("true"), WORD("True"), WORD("TRUE"), WORD("yes"), WORD("Yes"),
	                   WORD("YES"),  WORD("on"),   WORD("On"),   WORD("ON"),  {0}},
	        falses[] = {WORD("false"), WORD("False"), WORD("FALSE"), WORD("no"),  WORD("No"),
	                    WORD("NO"),    WORD("off"),   WORD("Off"),   WORD("OFF"), {0}},
	        infinities[] = {WORD(".inf"), WORD(".Inf"), WORD(".INF"), {0}},
	        nans[] = {WORD(".nan"), WORD(".NaN"), WORD(".NAN"), {0}};
#undef WORD
	if (text.len == 0 || is_one_of(text, nulls))
		return VALUE_NULL;
	*boolean = is_one_of(text, trues);
	if (*boolean || is_one_of(text, falses))
		return VALUE_BOOL;
	if (is_prefixed_int(text))
		return VALUE_INT;
	struct slice unsigned_text = (text.len > 0 && (text.ptr[0] == '-' || text.ptr[0] == '+'))
	                                     ? slice_sub(text, 1, text.len)
	                                     : text;
	if (is_one_of(unsigned_text, infinities) || is_one_of(text, nans))
		return VALUE_FLOAT;
	return number_kind(unsigned_text);
}
