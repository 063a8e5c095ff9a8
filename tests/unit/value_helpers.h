/* Values as text, for tests. */
#pragma once

#include "base/strbuf.h"
#include "base/value.h"

static inline void show_scalar(struct strbuf *out, const struct value *value)
{
	static const char marks[] = {
	        [VALUE_NULL] = 'n',  [VALUE_BOOL] = 'b', [VALUE_INT] = 'i',
	        [VALUE_FLOAT] = 'f', [VALUE_TEXT] = 't',
	};
	strbuf_printf(out, "%c'%.*s'", marks[value->kind], SLICE_ARG(value->text));
}

/* {key: i'5', list: [t'x', n'']} */
static inline void show_value(struct strbuf *out, const struct value *value)
{
	if (value == NULL) {
		strbuf_puts(out, "nothing was read");
		return;
	}
	if (value_is_scalar(value)) {
		show_scalar(out, value);
		return;
	}
	bool is_map = value->kind == VALUE_MAP;
	size_t count = is_map ? value->entries.count : value->items.count;
	strbuf_addc(out, is_map ? '{' : '[');
	for (size_t i = 0; i < count; i++) {
		strbuf_puts(out, i > 0 ? ", " : "");
		if (is_map)
			strbuf_printf(out, "%.*s: ", SLICE_ARG(value->entries.items[i].name));
		show_value(out, is_map ? value->entries.items[i].value : value->items.items[i]);
	}
	strbuf_addc(out, is_map ? '}' : ']');
}
