#include "base/value.h"

const char *value_kind_name(enum value_kind kind)
{
	static const char *const names[] = {
	        [VALUE_NULL] = "nothing",       [VALUE_BOOL] = "a truth value",
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
