#include "lex/scan.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include "base/utf8.h"

/* ---- patterns ---- */

/* IPython searches for (%{0,2}(?!\d)[\w*]+(\.(?!\d)[\w*]+)*), which takes quadratic time. A match that fails cannot
 * succeed from a later place in the same dotted name, except after digits that a part of the name begins with. */
#define HELP_NAME(word, digit)                                                                     \
	"(?:%{1,2}|(?<![" word "*])(?:[" digit "]++\\.?+\\K|(?<![" word "*]\\.)))"                 \
	"(?![" digit "])[" word "*]++(?:\\.(?![" digit "])[" word "*]++)*+\\z"

/* The second is for a library that lacks what the first needs. */
static const char *const sources[SCAN_PATTERN_COUNT][2] = {
        /* PCRE2 before 10.40 has no boolean properties, and it can lack all. */
        [SCAN_NAME_START] = {"\\A\\p{XID_Start}", "\\A[\\p{L}\\p{Nl}]"},
        [SCAN_NAME_CONTINUE] = {"\\A\\p{XID_Continue}",
                                "\\A[\\p{L}\\p{Nl}\\p{Mn}\\p{Mc}\\p{Nd}\\p{Pc}]"},
        [SCAN_HEAD_HELP] = {"\\A%%[\\p{L}\\p{N}_]++\\?", "\\A%%[\\w\\x80-\\xff]++\\?"},
        [SCAN_HELP_NAME] = {HELP_NAME("\\p{L}\\p{N}_", "\\p{Nd}"),
                            HELP_NAME("\\w\\x80-\\xff", "0-9")},
        [SCAN_FIRST_PROMPT] = {"\\A>>>(?: |\\z)"},
        [SCAN_PROMPT] = {"\\A(?:>>>|\\.\\.\\.)(?: |\\z)"},
        [SCAN_IPYTHON_PROMPT] = {"\\A(?:(?:\\[(?:ins|nav)\\] | )?In \\[[0-9]+\\]: "
                                 "|[ \t-\r]*+\\.{3,}+: ?)"},
};

/* Lives as long as the process. */
static struct pattern {
	bool is_prepared;
	pcre2_code *code; /* NULL: the library lacks what it needs */
	pcre2_match_data *match;
} patterns[SCAN_PATTERN_COUNT];

static const struct pattern *prepare(struct arena *arena, enum scan_pattern index)
{
	struct pattern *pattern = &patterns[index];
	if (pattern->is_prepared)
		return pattern;
	/* There is code if the match data failed before. */
	for (size_t i = 0; i < 2 && pattern->code == NULL && sources[index][i] != NULL; i++) {
		const char *source = sources[index][i];
		int error = 0;
		PCRE2_SIZE offset = 0;
		pattern->code = pcre2_compile((PCRE2_SPTR)source, PCRE2_ZERO_TERMINATED,
		                              strstr(source, "\\p") != NULL ? PCRE2_UTF : 0, &error,
		                              &offset, NULL);
		if (pattern->code == NULL && error == PCRE2_ERROR_HEAP_FAILED)
			arena_fail(arena);
	}
	if (pattern->code != NULL)
		pattern->match = pcre2_match_data_create_from_pattern(pattern->code, NULL);
	if (pattern->code != NULL && pattern->match == NULL)
		arena_fail(arena);
	pattern->is_prepared = true;
	return pattern;
}

bool scan_find(struct arena *arena, enum scan_pattern index, struct slice text, size_t *from,
               size_t *to)
{
	const struct pattern *pattern = prepare(arena, index);
	int found = pattern->code == NULL ? PCRE2_ERROR_NOMATCH
	                                  : pcre2_match(pattern->code, (PCRE2_SPTR)text.ptr,
	                                                text.len, 0, 0, pattern->match, NULL);
	if (found == PCRE2_ERROR_NOMEMORY)
		arena_fail(arena);
	if (found < 0)
		return false;
	*from = pcre2_get_ovector_pointer(pattern->match)[0];
	*to = pcre2_get_ovector_pointer(pattern->match)[1];
	return true;
}

/* ---- tokens ---- */

size_t scan_blanks(struct slice rest)
{
	size_t n = 0;
	while (n < rest.len && (rest.ptr[n] == ' ' || rest.ptr[n] == '\t' || rest.ptr[n] == '\f'))
		n++;
	return n;
}

size_t scan_line_end(struct slice rest)
{
	if (rest.len == 0)
		return 0;
	if (rest.ptr[0] == '\n')
		return 1;
	if (rest.ptr[0] != '\r')
		return 0;
	return rest.len > 1 && rest.ptr[1] == '\n' ? 2 : 1;
}

size_t scan_to_line_end(struct slice rest)
{
	size_t n = 0;
	while (n < rest.len && rest.ptr[n] != '\n' && rest.ptr[n] != '\r')
		n++;
	return n;
}

size_t scan_line_ends(struct slice text)
{
	size_t count = 0;
	const char *end = text.ptr + text.len;
	for (struct slice line; slice_next_line(&text, &line);)
		count += line.ptr + line.len < end;
	return count;
}

size_t scan_continuation(struct slice rest)
{
	if (rest.len == 0 || rest.ptr[0] != '\\')
		return 0;
	size_t end = scan_line_end(slice_tail(rest, 1));
	return end > 0 || rest.len == 1 ? 1 + end : 0;
}

/* The offset after digits, each with at most one underscore before it. If LEADING, the first must
 * be a digit. */
static size_t scan_digits(struct slice s, size_t at, unsigned base, bool leading)
{
	while (at < s.len) {
		size_t digit = !leading && s.ptr[at] == '_' ? at + 1 : at;
		char c = slice_at(s, digit);
		bool is_letter = base == 16 && ascii_lower(c) >= 'a' && ascii_lower(c) <= 'f';
		if (!is_letter && (c < '0' || c >= '0' + (char)(base < 10 ? base : 10)))
			break;
		at = digit + 1;
		leading = false;
	}
	return at;
}

size_t scan_number(struct slice rest)
{
	char first = slice_at(rest, 0);
	if (!ascii_is_digit(first) && !(first == '.' && ascii_is_digit(slice_at(rest, 1))))
		return 0;
	char letter = ascii_lower(slice_at(rest, 1));
	unsigned base = letter == 'x' ? 16 : letter == 'o' ? 8 : letter == 'b' ? 2 : 0;
	size_t based = first == '0' && base > 0 ? scan_digits(rest, 2, base, false) : 0;
	if (based > 2)
		return based;
	size_t whole = scan_digits(rest, 0, 10, true), end = whole;
	if (slice_at(rest, end) == '.')
		end = scan_digits(rest, end + 1, 10, true);
	if (ascii_lower(slice_at(rest, end)) == 'e') {
		char sign = slice_at(rest, end + 1);
		size_t digits = end + 1 + (sign == '+' || sign == '-');
		size_t exponent = scan_digits(rest, digits, 10, true);
		end = exponent > digits ? exponent : end;
	}
	if (ascii_lower(slice_at(rest, end)) == 'j')
		return end + 1;
	/* tokenize reads 007 as the number 00 and the number 7. */
	if (first == '0' && end == whole) {
		size_t zeros = 0;
		for (size_t digit = 0; zeros < whole && slice_at(rest, digit) == '0';
		     digit = zeros + (slice_at(rest, zeros) == '_'))
			zeros = digit + 1;
		return zeros;
	}
	return end;
}

static bool is_one_of(char c, const char *set)
{
	return c != '\0' && strchr(set, c) != NULL;
}

size_t scan_operator(struct slice rest)
{
	char a = slice_at(rest, 0), b = slice_at(rest, 1), c = slice_at(rest, 2);
	if (a == '.')
		return b == '.' && c == '.' ? 3 : 1;
	if (a == b && is_one_of(a, "*/<>"))
		return c == '=' ? 3 : 2;
	if ((a == '-' && b == '>') || (a == '<' && b == '>'))
		return 2;
	if (b == '=' && is_one_of(a, "+-*/%@&|^=<>:!"))
		return 2;
	return is_one_of(a, "()[]{},:;@=~+-*/%&|^<>") ? 1 : 0;
}

size_t scan_name(struct slice rest, struct arena *arena)
{
	size_t n = 0;
	if (rest.len == 0 || ascii_is_digit(rest.ptr[0]))
		return 0;
	while (n < rest.len) {
		char c = rest.ptr[n];
		size_t from, to, step = ascii_is_alnum(c) || c == '_' ? 1 : 0;
		if ((unsigned char)c >= 0x80) {
			enum scan_pattern class = n == 0 ? SCAN_NAME_START : SCAN_NAME_CONTINUE;
			bool is_valid = utf8_decode(slice_tail(rest, n), &step) >= 0;
			if (!is_valid ||
			    (prepare(arena, class)->code != NULL &&
			     !scan_find(arena, class, slice_sub(rest, n, n + step), &from, &to)))
				break;
		}
		if (step == 0)
			break;
		n += step;
	}
	return n;
}

size_t scan_unicode_blank(struct slice rest)
{
	size_t len;
	if (rest.len == 0 || (signed char)rest.ptr[0] >= 0)
		return 0;
	int32_t c = utf8_decode(rest, &len);
	bool is = c == 0x85 || c == 0xA0 || c == 0x1680 || (c >= 0x2000 && c <= 0x200A) ||
	          c == 0x2028 || c == 0x2029 || c == 0x202F || c == 0x205F || c == 0x3000;
	return is ? len : 0;
}

bool scan_is_blank(struct slice s)
{
	size_t step = 0;
	for (size_t at = 0; at < s.len; at += step) {
		char c = s.ptr[at];
		bool ascii = ascii_is_blank(c) || (c >= 0x1C && c <= 0x1F);
		step = ascii ? 1 : scan_unicode_blank(slice_tail(s, at));
		if (step == 0)
			return false;
	}
	return true;
}

struct slice scan_trim_end(struct slice s)
{
	for (size_t n = 1; n > 0; s.len -= n) {
		s = slice_trim_end(s);
		n = s.len >= 2 && scan_unicode_blank(slice_tail(s, s.len - 2)) == 2   ? 2
		    : s.len >= 3 && scan_unicode_blank(slice_tail(s, s.len - 3)) == 3 ? 3
		                                                                      : 0;
	}
	return s;
}
