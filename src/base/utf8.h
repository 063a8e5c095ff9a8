/* UTF-8 (RFC 3629): decoding, checking, and the columns that text takes on a terminal. */
#pragma once

#include "base/base.h"

enum { UTF8_INVALID = -1 };

/* Decodes the character at the start of S, which must not be empty. Returns its code point, or
 * UTF8_INVALID if it is malformed, overlong, a surrogate or truncated. *LEN is the number of bytes
 * taken, at least 1. */
int32_t utf8_decode(struct slice s, size_t *len);

/* Writes CODEPOINT (a scalar value) to OUT. Returns the number of bytes, 1 to 4. */
size_t utf8_put(char out[4], uint32_t codepoint);

/* The offset of the first malformed byte, or s.len. */
size_t utf8_check(struct slice s);

/* The number of characters; each malformed byte counts as one. */
size_t utf8_length(struct slice s);

/* The offset COUNT characters after AT, or s.len. */
size_t utf8_skip(struct slice s, size_t at, size_t count);

/* AT, or the start of the character that a cut of S at AT would split. */
size_t utf8_start(struct slice s, size_t at);

/* True if the code point acts on a terminal or on the order of text instead of being shown:
 * controls, line separators, and the bidirectional controls that make code appear different from
 * what it is (CVE-2021-42574). Also true for UTF8_INVALID. */
bool utf8_acts(int32_t codepoint);

/* Terminal columns of one code point: 0 for combining marks and controls, 2 for wide East Asian
 * characters and emoji, else 1 (the wide ranges of Unicode's EastAsianWidth.txt, merged). */
unsigned utf8_width(int32_t codepoint);
