#include "base/base64.h"

#include <stdint.h>

void base64_put(struct strbuf *out, struct slice bytes)
{
	static const char digits[] =
	        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	for (size_t i = 0; i < bytes.len; i += 3) {
		size_t left = bytes.len - i;
		const unsigned char *at = (const unsigned char *)bytes.ptr + i;
		uint32_t bits = (uint32_t)at[0] << 16;
		bits |= left > 1 ? (uint32_t)at[1] << 8 : 0;
		bits |= left > 2 ? at[2] : 0;
		char four[] = {digits[bits >> 18], digits[bits >> 12 & 63], digits[bits >> 6 & 63],
		               digits[bits & 63]};
		if (left < 3)
			four[3] = '=';
		if (left < 2)
			four[2] = '=';
		strbuf_add(out, slice_make(four, sizeof four));
	}
}
