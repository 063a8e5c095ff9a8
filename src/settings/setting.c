#include "settings/setting.h"

#include <stdlib.h>
#include <string.h>

bool setting_is_given(const void *base, const struct setting_row *row)
{
	const void *field = (const char *)base + row->offset;
	switch (row->type) {
	case SETTING_FLAG:
		return *(const bool *)field;
	case SETTING_CHOICE:
		return *(const int *)field != 0;
	case SETTING_LIST:
		return ((const text_list *)field)->count > 0;
	case SETTING_PARAMETERS:
		return ((const parameter_option_list *)field)->count > 0;
	case SETTING_SIZE:
	case SETTING_COUNT:
		return *(const size_t *)field != 0;
	case SETTING_SECONDS:
		return ((const struct optional_seconds *)field)->given;
	case SETTING_OPTIONAL:
		return ((const struct optional_text *)field)->given;
	case SETTING_TEXT:
		break;
	}
	return *(const char *const *)field != NULL;
}

bool setting_read_seconds(const char *text, double *out)
{
	static const char units[] = "smhd";
	static const double seconds[] = {1, 60, 3600, 86400};
	double whole = 0, scale = 1;
	const char *at = text;
	bool digits = false, point = false;
	for (; ascii_is_digit(*at) || (*at == '.' && !point); at++) {
		point |= *at == '.';
		digits |= *at != '.';
		scale *= point && *at != '.' ? 10 : 1;
		if (*at != '.')
			whole = whole * 10 + (*at - '0');
	}
	const char *unit = *at == '\0' ? units : strchr(units, *at);
	if (!digits || unit == NULL || (at[0] != '\0' && at[1] != '\0') || whole / scale > 1e9)
		return false;
	*out = whole / scale * seconds[unit - units];
	return true;
}

bool setting_read_count(const char *text, size_t *out)
{
	size_t digits = strspn(text, "0123456789");
	*out = digits > 0 && digits < 8 && text[digits] == '\0' ? strtoul(text, NULL, 10) : 0;
	return *out > 0;
}

/* The 1-based position of TEXT among the words of "a|b|c", or 0. */
static int find_choice(const char *choices, struct slice text)
{
	struct slice all = slice_from(choices);
	int number = 1;
	for (size_t at = 0; at <= all.len; number++) {
		size_t end = slice_find(all, '|', at);
		if (slice_eq(slice_sub(all, at, end), text))
			return number;
		at = end + 1;
	}
	return 0;
}

/* The power of two that UNIT means, or -1. */
static int doublings(struct slice unit)
{
	const struct slice letters = SLICE("KMG");
	if (unit.len == 0)
		return 0;
	size_t letter = unit.len == 1 ? slice_find(letters, unit.ptr[0], 0) : letters.len;
	return letter == letters.len ? -1 : 10 * ((int)letter + 1);
}

static int set_size(const char *text, size_t *out, struct strbuf *error)
{
	size_t value = 0, at = 0;
	bool fits = true;
	for (; ascii_is_digit(text[at]); at++)
		fits = fits && !__builtin_mul_overflow(value, 10, &value) &&
		       !__builtin_add_overflow(value, (size_t)(text[at] - '0'), &value);
	int shift = doublings(slice_from(text + at));
	if (fits && value > 0 && shift >= 0 &&
	    !__builtin_mul_overflow(value, (size_t)1 << shift, out) && *out <= SETTING_SIZE_MAX)
		return 0;
	strbuf_printf(error, "requires a number from 1 to %dM, such as 5000 or 64M, not '%s'",
	              SETTING_SIZE_MAX_M, text);
	return -1;
}

int setting_set(struct arena *arena, const struct setting_row *row, const char *text, void *base,
                struct strbuf *error)
{
	void *field = (char *)base + row->offset;
	const char *given = text == NULL ? "" : text;
	struct optional_seconds *time = field;
	int choice;
	switch (row->type) {
	case SETTING_FLAG:
		*(bool *)field = true;
		return 0;
	case SETTING_TEXT:
		*(const char **)field = given;
		return 0;
	case SETTING_OPTIONAL:
		*(struct optional_text *)field = (struct optional_text){true, text};
		return 0;
	case SETTING_LIST:
		vec_push(arena, (text_list *)field, given);
		return 0;
	case SETTING_CHOICE:
		choice = find_choice(row->argument, slice_from(given));
		if (choice == 0)
			strbuf_printf(error, "must be one of %s, not '%s'", row->argument, given);
		else
			*(int *)field = choice;
		return choice == 0 ? -1 : 0;
	case SETTING_SIZE:
		return set_size(given, field, error);
	case SETTING_COUNT:
		if (setting_read_count(given, field))
			return 0;
		strbuf_printf(error, "requires a whole number from 1 to 9999999, not '%s'", given);
		return -1;
	case SETTING_SECONDS:
		time->given = setting_read_seconds(given, &time->seconds);
		if (time->given)
			return 0;
		strbuf_printf(error, "expects seconds, not '%s'", given);
		return -1;
	case SETTING_PARAMETERS:
		break;
	}
	return 0;
}
