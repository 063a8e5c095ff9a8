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

/* ---- keys ---- */

static const struct config_key rows[] = {
#define CONFIG_KEY(field, name, shape, initial, example, doc)                                      \
	{name, CONFIG_##shape, initial, example, doc, offsetof(struct config, field)},
#include "settings/keys.def"
#undef CONFIG_KEY
};
enum { ROW_COUNT = sizeof rows / sizeof *rows };

const struct config_key *config_keys(size_t *count)
{
	*count = ROW_COUNT;
	return rows;
}

const struct config_key *config_key_find(struct slice name)
{
	for (size_t i = 0; i < ROW_COUNT; i++) {
		if (slice_eq(slice_from(rows[i].name), name))
			return &rows[i];
	}
	return NULL;
}

bool config_shape_is_map(enum config_shape shape)
{
	return shape == CONFIG_VARIABLES || shape == CONFIG_SETTINGS || shape == CONFIG_VALUES ||
	       shape == CONFIG_OPTIONS;
}
