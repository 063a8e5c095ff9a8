#include "base/base.h"

int slice_compare(struct slice a, struct slice b)
{
	size_t common = a.len < b.len ? a.len : b.len;
	int order = common == 0 ? 0 : memcmp(a.ptr, b.ptr, common);
	return order != 0 ? order : (a.len > b.len) - (a.len < b.len);
}

bool slice_starts_with(struct slice s, struct slice prefix)
{
	return s.len >= prefix.len && slice_eq(slice_sub(s, 0, prefix.len), prefix);
}

bool slice_ends_with(struct slice s, struct slice suffix)
{
	return s.len >= suffix.len && slice_eq(slice_tail(s, s.len - suffix.len), suffix);
}

bool slice_cut_prefix(struct slice *s, struct slice prefix)
{
	bool is_there = slice_starts_with(*s, prefix);
	*s = slice_tail(*s, is_there ? prefix.len : 0);
	return is_there;
}

size_t slice_find(struct slice s, char byte, size_t from)
{
	if (from >= s.len)
		return s.len;
	const char *hit = memchr(s.ptr + from, byte, s.len - from);
	return hit == NULL ? s.len : (size_t)(hit - s.ptr);
}

size_t slice_find_slice(struct slice s, struct slice needle, size_t from)
{
	if (needle.len == 0)
		return from < s.len ? from : s.len;
	/* For most texts memmem() takes several times as long. */
	for (size_t at = slice_find(s, needle.ptr[0], from); at < s.len;
	     at = slice_find(s, needle.ptr[0], at + 1)) {
		if (slice_starts_with(slice_tail(s, at), needle))
			return at;
	}
	return s.len;
}

struct slice slice_trim_end(struct slice s)
{
	while (s.len > 0 && ascii_is_blank(s.ptr[s.len - 1]))
		s.len--;
	return s;
}

struct slice slice_unquote(struct slice s)
{
	bool is_quoted =
	        s.len >= 2 && (s.ptr[0] == '"' || s.ptr[0] == '\'') && s.ptr[s.len - 1] == s.ptr[0];
	return is_quoted ? slice_sub(s, 1, s.len - 1) : s;
}

struct slice slice_trim(struct slice s)
{
	while (s.len > 0 && ascii_is_blank(s.ptr[0]))
		s = slice_tail(s, 1);
	return slice_trim_end(s);
}

struct slice slice_next_word(struct slice *rest)
{
	struct slice s = slice_trim(*rest);
	size_t end = 0;
	while (end < s.len && !ascii_is_blank(s.ptr[end]))
		end++;
	*rest = slice_tail(s, end);
	return slice_sub(s, 0, end);
}

bool slice_next_part(struct slice *rest, char separator, struct slice *part)
{
	size_t end = slice_find(*rest, separator, 0);
	bool found = rest->len > 0;
	*part = slice_sub(*rest, 0, end);
	*rest = slice_tail(*rest, end + 1);
	return found;
}

bool slice_next_name(struct slice *rest, struct slice *name)
{
	size_t from = 0, to;
	while (from < rest->len && !is_name_byte(rest->ptr[from]))
		from++;
	for (to = from; to < rest->len && is_name_byte(rest->ptr[to]);)
		to++;
	*name = slice_sub(*rest, from, to);
	*rest = slice_tail(*rest, to);
	return to > from;
}

bool slice_next_line(struct slice *rest, struct slice *line)
{
	struct slice s = *rest;
	if (s.len == 0)
		return false;
	size_t end = 0;
	while (end < s.len && s.ptr[end] != '\n' && s.ptr[end] != '\r')
		end++;
	size_t next = end;
	if (next < s.len)
		next += s.ptr[next] == '\r' && next + 1 < s.len && s.ptr[next + 1] == '\n' ? 2 : 1;
	*line = slice_sub(s, 0, end);
	*rest = slice_tail(s, next);
	return true;
}

bool slice_eq_nocase(struct slice a, struct slice b)
{
	if (a.len != b.len)
		return false;
	for (size_t i = 0; i < a.len; i++) {
		if (ascii_lower(a.ptr[i]) != ascii_lower(b.ptr[i]))
			return false;
	}
	return true;
}

bool slice_is_one_of(struct slice s, const struct slice *words, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (slice_eq(s, words[i]))
			return true;
	}
	return false;
}

bool slice_is_word_of(struct slice s, const char *words)
{
	if (s.len == 0 || s.ptr[0] == '\0')
		return false;
	for (const char *at = words; (at = strchr(at, s.ptr[0])) != NULL; at++) {
		if ((at == words || at[-1] == ' ') && slice_eq(slice_make(at, strcspn(at, " ")), s))
			return true;
	}
	return false;
}

bool slice_is_word_of_nocase(struct slice s, const char *words)
{
	struct slice rest = slice_from(words), word;
	while ((word = slice_next_word(&rest)).len > 0) {
		if (slice_eq_nocase(word, s))
			return true;
	}
	return false;
}

bool slice_read_number(struct slice text, uint64_t most, uint64_t *out)
{
	uint64_t number = 0;
	for (size_t i = 0; i < text.len; i++) {
		uint64_t digit = (uint64_t)(text.ptr[i] - '0');
		if (!ascii_is_digit(text.ptr[i]) || digit > most || number > (most - digit) / 10)
			return false;
		number = number * 10 + digit;
	}
	if (text.len > 0)
		*out = number;
	return text.len > 0;
}

struct slice slice_decimal(char buffer[SLICE_DECIMAL_MAX], int64_t number, int decimals)
{
	size_t at = SLICE_DECIMAL_MAX;
	uint64_t rest = number < 0 ? 0 - (uint64_t)number : (uint64_t)number;
	for (int i = 0; i <= decimals || rest > 0; i++) {
		if (i == decimals && decimals > 0)
			buffer[--at] = '.';
		buffer[--at] = (char)('0' + rest % 10);
		rest /= 10;
	}
	if (number < 0)
		buffer[--at] = '-';
	return slice_make(buffer + at, SLICE_DECIMAL_MAX - at);
}
