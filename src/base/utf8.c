#include "base/utf8.h"

int32_t utf8_decode(struct slice s, size_t *len)
{
	unsigned char lead = (unsigned char)s.ptr[0];
	*len = 1;
	if (lead < 0x80)
		return lead;
	size_t need = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
	if (lead < 0xC2 || lead > 0xF4 || s.len < need)
		return UTF8_INVALID;
	int32_t value = lead & (0x7F >> need);
	for (size_t i = 1; i < need; i++) {
		unsigned char c = (unsigned char)s.ptr[i];
		if ((c & 0xC0) != 0x80)
			return UTF8_INVALID;
		value = (int32_t)((uint32_t)value << 6) | (c & 0x3F);
	}
	static const int32_t smallest[] = {0, 0, 0x80, 0x800, 0x10000};
	if (value < smallest[need] || value > 0x10FFFF || (value >= 0xD800 && value <= 0xDFFF))
		return UTF8_INVALID;
	*len = need;
	return value;
}

size_t utf8_put(char out[4], uint32_t codepoint)
{
	if (codepoint < 0x80) {
		out[0] = (char)codepoint;
		return 1;
	}
	size_t len = codepoint < 0x800 ? 2 : codepoint < 0x10000 ? 3 : 4;
	for (size_t i = len - 1; i > 0; i--) {
		out[i] = (char)(0x80 | (codepoint & 0x3F));
		codepoint >>= 6;
	}
	static const unsigned char lead[] = {0, 0, 0xC0, 0xE0, 0xF0};
	out[0] = (char)(lead[len] | codepoint);
	return len;
}

size_t utf8_check(struct slice s)
{
	for (size_t at = 0, len; at < s.len; at += len) {
		if ((signed char)s.ptr[at] >= 0)
			len = 1;
		else if (utf8_decode(slice_tail(s, at), &len) == UTF8_INVALID)
			return at;
	}
	return s.len;
}

size_t utf8_length(struct slice s)
{
	size_t count = 0;
	for (size_t at = 0, len; at < s.len; at += len, count++)
		utf8_decode(slice_tail(s, at), &len);
	return count;
}

size_t utf8_skip(struct slice s, size_t at, size_t count)
{
	for (size_t len; count > 0 && at < s.len; count--, at += len)
		utf8_decode(slice_tail(s, at), &len);
	return at;
}

static bool is_continuation(struct slice s, size_t at)
{
	return at < s.len && ((unsigned char)s.ptr[at] & 0xC0) == 0x80;
}

size_t utf8_start(struct slice s, size_t at)
{
	size_t start = at;
	while (start > 0 && at - start < 3 && is_continuation(s, start))
		start--;
	return is_continuation(s, start) ? at : start;
}

struct range {
	int32_t first, last;
};

static bool in_ranges(int32_t cp, const struct range *ranges, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (cp >= ranges[i].first && cp <= ranges[i].last)
			return true;
	}
	return false;
}

bool utf8_acts(int32_t cp)
{
	return cp < 0x20 || (cp >= 0x7F && cp <= 0x9F) || cp == 0x061C || cp == 0x200E ||
	       cp == 0x200F || (cp >= 0x2028 && cp <= 0x202E) || (cp >= 0x2066 && cp <= 0x2069);
}

unsigned utf8_width(int32_t codepoint)
{
	static const struct range zero[] = {{0x00, 0x1F},     {0x7F, 0x9F},      {0x300, 0x36F},
	                                    {0x483, 0x489},   {0x591, 0x5BD},    {0x610, 0x61A},
	                                    {0x64B, 0x65F},   {0x200B, 0x200F},  {0x2028, 0x202E},
	                                    {0x20D0, 0x20F0}, {0xFE00, 0xFE0F},  {0xFE20, 0xFE2F},
	                                    {0xFEFF, 0xFEFF}, {0xE0100, 0xE01EF}};
	static const struct range wide[] = {
	        {0x1100, 0x115F},   {0x231A, 0x231B},  {0x23E9, 0x23EC},   {0x2E80, 0x303E},
	        {0x3041, 0x33FF},   {0x3400, 0x4DBF},  {0x4E00, 0x9FFF},   {0xA000, 0xA4CF},
	        {0xA960, 0xA97C},   {0xAC00, 0xD7A3},  {0xF900, 0xFAFF},   {0xFE30, 0xFE6F},
	        {0xFF00, 0xFF60},   {0xFFE0, 0xFFE6},  {0x1F300, 0x1F64F}, {0x1F680, 0x1F6FF},
	        {0x1F900, 0x1F9FF}, {0x20000, 0x3FFFD}};
	if (codepoint < 0)
		return 1;
	if (in_ranges(codepoint, zero, sizeof zero / sizeof *zero))
		return 0;
	return in_ranges(codepoint, wide, sizeof wide / sizeof *wide) ? 2 : 1;
}
