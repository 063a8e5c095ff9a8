/* A slice is a view of bytes that it does not own; it is not NUL-terminated and may contain NUL.
 * All comparisons check the length first. Character classes are ASCII only and ignore the
 * locale. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct slice {
	const char *ptr;
	size_t len;
};

/* A slice of a string literal, usable in initialisers of statics through SLICE_INIT. */
#define SLICE(literal) ((struct slice){(literal), sizeof(literal) - 1})
#define SLICE_INIT(literal)                                                                        \
	{                                                                                          \
		(literal), sizeof(literal) - 1                                                     \
	}

/* printf arguments for "%.*s". */
#define SLICE_ARG(s) (int)(s).len, (s).ptr

static inline struct slice slice_make(const char *ptr, size_t len)
{
	return (struct slice){ptr, len};
}

static inline struct slice slice_from(const char *text)
{
	return (struct slice){text, strlen(text)};
}

static inline bool slice_eq(struct slice a, struct slice b)
{
	/* Most unequal slices differ in their first byte, which is cheaper to check here. */
	return a.len == b.len &&
	       (a.len == 0 || (a.ptr[0] == b.ptr[0] && memcmp(a.ptr, b.ptr, a.len) == 0));
}

/* Less than, equal to or greater than 0: the order of the bytes, as memcmp() has it. */
int slice_compare(struct slice a, struct slice b);

/* Bytes [from, to) of S; both are clamped to its length. */
static inline struct slice slice_sub(struct slice s, size_t from, size_t to)
{
	if (to > s.len)
		to = s.len;
	if (from > to)
		from = to;
	/* The pointer of an empty slice may be NULL. */
	return s.len == 0 ? s : slice_make(s.ptr + from, to - from);
}

/* The bytes of S from FROM on. */
static inline struct slice slice_tail(struct slice s, size_t from)
{
	return slice_sub(s, from, s.len);
}

/* The byte at AT, or NUL after the end. */
static inline char slice_at(struct slice s, size_t at)
{
	if (at < s.len)
		return s.ptr[at];
	return '\0';
}

bool slice_starts_with(struct slice s, struct slice prefix);
bool slice_ends_with(struct slice s, struct slice suffix);

/* Cuts PREFIX off the start of *S. Returns false if it is not there. */
bool slice_cut_prefix(struct slice *s, struct slice prefix);

/* The offset of the first BYTE at or after FROM, or s.len. */
size_t slice_find(struct slice s, char byte, size_t from);

/* True if BYTE is in S. */
static inline bool slice_has(struct slice s, char byte)
{
	return slice_find(s, byte, 0) < s.len;
}

/* The offset of the first occurrence of NEEDLE at or after FROM, or s.len. */
size_t slice_find_slice(struct slice s, struct slice needle, size_t from);

/* S without blanks (space, tab, CR, LF, VT, FF) at both ends, or at the end only. */
struct slice slice_trim(struct slice s);
struct slice slice_trim_end(struct slice s);

/* S without quotes, " or ', at both ends, if both are the same. */
struct slice slice_unquote(struct slice s);

/* Removes the next word (run of non-blanks) from the start of *REST; an empty slice if there is no
 * word left. */
struct slice slice_next_word(struct slice *rest);

/* Removes the next line from the start of *REST. A line ends with LF, CR LF or CR, as in Python;
 * the result does not include the line end. Returns false if *REST was empty. */
bool slice_next_line(struct slice *rest, struct slice *line);

/* Removes the text before the next SEPARATOR from the start of *REST, and the separator. Returns false
 * if *REST was empty. */
bool slice_next_part(struct slice *rest, char separator, struct slice *part);

/* Removes the next run of is_name_byte() from the start of *REST, with the bytes before it. Returns
 * false if none is left. */
bool slice_next_name(struct slice *rest, struct slice *name);

static inline bool ascii_is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static inline bool ascii_is_alpha(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static inline bool ascii_is_alnum(char c)
{
	return ascii_is_alpha(c) || ascii_is_digit(c);
}

/* True if the byte may be part of a Python name. All bytes outside of ASCII may. */
static inline bool is_name_byte(char c)
{
	return ascii_is_alnum(c) || c == '_' || (unsigned char)c >= 0x80;
}

static inline bool ascii_is_blank(char c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}

static inline char ascii_lower(char c)
{
	if (c >= 'A' && c <= 'Z')
		return (char)(c - 'A' + 'a');
	return c;
}

/* True if A and B are equal, ignoring the case of ASCII letters. */
bool slice_eq_nocase(struct slice a, struct slice b);

/* True if S is one of the COUNT slices WORDS. */
bool slice_is_one_of(struct slice s, const struct slice *words, size_t count);

/* True if S is one of WORDS, which are separated by spaces; the second ignores the case of ASCII letters. */
bool slice_is_word_of(struct slice s, const char *words);
bool slice_is_word_of_nocase(struct slice s, const char *words);

/* Reads TEXT, decimal digits for a number of at most MOST. Returns false and leaves *OUT if it is not one. */
bool slice_read_number(struct slice text, uint64_t most, uint64_t *out);

/* NUMBER, of which so many DECIMALS (at most 18) come after the point: as printf() has it, in less time. The text
 * is in BUFFER. */
enum { SLICE_DECIMAL_MAX = 24 };
struct slice slice_decimal(char buffer[SLICE_DECIMAL_MAX], int64_t number, int decimals);
