#include "base/value.h"

#include "base/strbuf.h"

const char *value_kind_name(enum value_kind kind)
{
	static const char *const names[] = {
	        [VALUE_NULL] = "null",          [VALUE_BOOL] = "a boolean",
	        [VALUE_INT] = "a whole number", [VALUE_FLOAT] = "a number",
	        [VALUE_TEXT] = "a text",        [VALUE_LIST] = "a list",
	        [VALUE_MAP] = "a map",
	};
	return names[kind];
}

bool value_is_scalar(const struct value *value)
{
	return value->kind != VALUE_LIST && value->kind != VALUE_MAP;
}

const struct value_entry *value_find(const struct value *map, struct slice name)
{
	for (size_t i = 0; i < map->entries.count; i++) {
		if (slice_eq(map->entries.items[i].name, name))
			return &map->entries.items[i];
	}
	return NULL;
}

void value_write_map(struct strbuf *out, const struct value_entry *entries, size_t count,
                     const struct value_language *language)
{
	strbuf_addc(out, '{');
	for (size_t i = 0; i < count; i++) {
		strbuf_puts(out, i > 0 ? ", " : "");
		language->add_text(out, entries[i].name);
		strbuf_puts(out, ": ");
		value_write(out, entries[i].value, language);
	}
	strbuf_addc(out, '}');
}

void value_write(struct strbuf *out, const struct value *value,
                 const struct value_language *language)
{
	switch (value->kind) {
	case VALUE_NULL:
		strbuf_puts(out, language->null);
		break;
	case VALUE_BOOL:
		strbuf_puts(out, value->boolean ? language->yes : language->no);
		break;
	case VALUE_INT:
		language->add_int(out, value->text);
		break;
	case VALUE_FLOAT:
		language->add_float(out, value->text);
		break;
	case VALUE_TEXT:
		language->add_text(out, value->text);
		break;
	case VALUE_LIST:
		strbuf_addc(out, '[');
		for (size_t i = 0; i < value->items.count; i++) {
			strbuf_puts(out, i > 0 ? ", " : "");
			value_write(out, value->items.items[i], language);
		}
		strbuf_addc(out, ']');
		break;
	case VALUE_MAP:
		value_write_map(out, value->entries.items, value->entries.count, language);
		break;
	}
}
