#include "base/base.h"

void strbuf_reserve(struct strbuf *buf, size_t more)
{
	size_t need;
	if (__builtin_add_overflow(buf->len, more, &need))
		arena_fail(buf->arena);
	if (need <= buf->capacity)
		return;
	size_t capacity = buf->capacity < 64 ? 128 : buf->capacity * 2;
	if (capacity < need)
		capacity = need;
	buf->ptr = arena_grow(buf->arena, buf->ptr, buf->capacity, capacity);
	buf->capacity = capacity;
}

void strbuf_add(struct strbuf *buf, struct slice s)
{
	if (s.len == 0)
		return;
	strbuf_reserve(buf, s.len);
	memcpy(buf->ptr + buf->len, s.ptr, s.len);
	buf->len += s.len;
}

void strbuf_addc(struct strbuf *buf, char c)
{
	strbuf_add(buf, slice_make(&c, 1));
}

void strbuf_puts(struct strbuf *buf, const char *text)
{
	strbuf_add(buf, slice_from(text));
}

void strbuf_fill(struct strbuf *buf, char byte, size_t count)
{
	if (count == 0)
		return;
	strbuf_reserve(buf, count);
	memset(buf->ptr + buf->len, byte, count);
	buf->len += count;
}

void strbuf_printf(struct strbuf *buf, const char *format, ...)
{
	/* Most results fit. One more byte is for vsnprintf's NUL, which LEN does not include. */
	enum { EXPECTED = 64 };
	strbuf_reserve(buf, EXPECTED);
	va_list args, again;
	va_start(args, format);
	va_copy(again, args);
	size_t room = buf->capacity - buf->len;
	int len = vsnprintf(buf->ptr + buf->len, room, format, args);
	va_end(args);
	if (len > 0 && (size_t)len >= room) {
		strbuf_reserve(buf, (size_t)len + 1);
		vsnprintf(buf->ptr + buf->len, (size_t)len + 1, format, again);
	}
	if (len > 0)
		buf->len += (size_t)len;
	va_end(again);
}

struct slice strbuf_slice(const struct strbuf *buf)
{
	return slice_make(buf->ptr, buf->len);
}
