#include "lex/fields.h"

/* The end of the field that begins at FROM: its "}", or the end of TEXT. */
static size_t field_end(struct slice text, size_t from)
{
	size_t depth = 1, at = from;
	for (; at < text.len; at++) {
		depth += text.ptr[at] == '{';
		depth -= text.ptr[at] == '}';
		if (depth == 0)
			break;
	}
	return at;
}

bool field_next(struct slice *rest, struct slice *field)
{
	struct slice text = *rest;
	for (size_t at = slice_find(text, '{', 0); at < text.len;
	     at = slice_find(text, '{', at + 2)) {
		if (at + 1 < text.len && text.ptr[at + 1] == '{')
			continue;
		size_t end = field_end(text, at + 1);
		*field = slice_sub(text, at + 1, end);
		*rest = slice_sub(text, end + 1, text.len);
		return true;
	}
	*rest = slice_sub(text, text.len, text.len);
	return false;
}
