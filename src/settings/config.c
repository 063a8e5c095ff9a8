#include "settings/config.h"

struct slice config_text(const struct config_value *value)
{
	return value->value == NULL ? slice_make("", 0) : value->value->text;
}

bool config_has_steps(const struct config *config)
{
	return config->modules.count + config->setup.count > 0;
}

const struct config_pair *config_find(const config_pair_list *list, struct slice name)
{
	for (size_t i = 0; i < list->count; i++) {
		if (slice_eq(list->items[i].name, name))
			return &list->items[i];
	}
	return NULL;
}
