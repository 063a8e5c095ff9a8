#include "notebook/convert.h"

#include "base/utf8.h"

const json_t *convert_member(const json_t *value, const char *key)
{
	return json_object_get(value, key);
}

struct slice convert_text(const json_t *value)
{
	if (!json_is_string(value))
		return (struct slice){0};
	return slice_make(json_string_value(value), json_string_length(value));
}

struct slice convert_shown(struct slice text)
{
	enum { SHOWN = 60 };
	return slice_sub(text, 0, utf8_start(text, SHOWN));
}
