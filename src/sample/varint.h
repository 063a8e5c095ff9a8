/* Whole numbers in as few bytes as they need: seven bits in each byte, the least ones first, and
 * the highest bit where another byte follows (LEB128). Signed ones are folded, so that small ones
 * of either sign are short. */
#pragma once

#include "base/base.h"

enum { VARINT_MAX = 10 };

static inline void varint_put(struct strbuf *out, uint64_t number)
{
	char bytes[VARINT_MAX];
	size_t len = 0;
	for (; number > 0x7F; number >>= 7)
		bytes[len++] = (char)(number | 0x80);
	bytes[len++] = (char)number;
	strbuf_add(out, slice_make(bytes, len));
}

/* 0, -1, 1, -2 become 0, 1, 2, 3. */
static inline void varint_put_signed(struct strbuf *out, int64_t number)
{
	varint_put(out, ((uint64_t)number << 1) ^ (number < 0 ? UINT64_MAX : 0));
}

/* Cuts a number off the beginning of REST. Returns false without one, or for one of more than 64
 * bits. */
static inline bool varint_take(struct slice *rest, uint64_t *number)
{
	*number = 0;
	for (size_t i = 0; i < rest->len && i < VARINT_MAX; i++) {
		uint64_t part = (unsigned char)rest->ptr[i] & 0x7F;
		if (i == VARINT_MAX - 1 && part > 1)
			return false;
		*number |= part << (7 * i);
		if (((unsigned char)rest->ptr[i] & 0x80) == 0) {
			*rest = slice_tail(*rest, i + 1);
			return true;
		}
	}
	return false;
}

static inline bool varint_take_signed(struct slice *rest, int64_t *number)
{
	uint64_t folded;
	if (!varint_take(rest, &folded))
		return false;
	*number = (int64_t)((folded >> 1) ^ (0 - (folded & 1)));
	return true;
}
