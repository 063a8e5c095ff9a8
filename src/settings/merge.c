/* Merges the layers of a configuration. */
#include "settings/merge.h"

#include "settings/keys.h"
#include "settings/profiles.h"

struct merger {
	struct arena *arena;
	struct diags *diags;
	struct config *out;
	enum config_source source; /* of the layer */
	struct slice profile;
};

static struct config_value made(const struct merger *m, const struct value *value)
{
	return (struct config_value){m->source, m->profile, value};
}

static void set_pair(struct merger *m, config_pair_list *list, const struct value_entry *entry,
                     bool null_removes)
{
	struct config_pair pair = {entry->name, entry->where, made(m, entry->value)};
	size_t at = 0;
	while (at < list->count && !slice_eq(list->items[at].name, entry->name))
		at++;
	if (null_removes && entry->value->kind == VALUE_NULL) {
		if (at < list->count)
			memmove(&list->items[at], &list->items[at + 1],
			        (--list->count - at) * sizeof *list->items);
	} else if (at < list->count) {
		list->items[at] = pair;
	} else {
		vec_push(m->arena, list, pair);
	}
}

static void merge_map(struct merger *m, const struct config_key *key, config_pair_list *list,
                      const struct value *value)
{
	if (value->kind == VALUE_NULL)
		list->count = 0;
	for (size_t i = 0; i < value->entries.count; i++) {
		const struct value_entry *entry = &value->entries.items[i];
		set_pair(m, list, entry, key->shape != CONFIG_VALUES);
		if (list->count > CONFIG_MAX_ENTRIES) {
			diag_add(m->diags, DIAG_CONFIG_VALUE, entry->where,
			         "'%s' has more than %d entries", key->name, CONFIG_MAX_ENTRIES);
			return;
		}
	}
}

/* Adds a part of a text as a value of its own. */
static void add_part(struct merger *m, config_value_list *list, const struct value *whole,
                     struct slice part)
{
	struct value *value = ARENA_NEW(m->arena, struct value);
	*value = (struct value){.kind = VALUE_TEXT, .text = part, .where = whole->where};
	vec_push(m->arena, list, made(m, value));
}

static void replace_list(struct merger *m, enum config_shape shape, config_value_list *list,
                         const struct value *value)
{
	struct slice rest = value->text, part;
	/* A new list: others may still use the memory of the weaker layer's. */
	*list = (config_value_list){0};
	for (size_t i = 0; i < value->items.count; i++)
		vec_push(m->arena, list, made(m, value->items.items[i]));
	if (value->kind != VALUE_TEXT)
		return;
	if (shape == CONFIG_LINES) {
		while (slice_next_line(&rest, &part))
			add_part(m, list, value, part);
	} else {
		while ((part = slice_next_word(&rest)).len > 0)
			add_part(m, list, value, part);
	}
}

static void merge_key(struct merger *m, const struct config_key *key, const struct value *value)
{
	char *field = (char *)m->out + key->offset;
	switch (key->shape) {
	case CONFIG_TEXT:
	case CONFIG_COUNT:
	case CONFIG_FLAG:
	case CONFIG_ANY:
	case CONFIG_WORDS:
		*(struct config_value *)(void *)field =
		        made(m, value->kind == VALUE_NULL ? NULL : value);
		break;
	case CONFIG_NAMES:
	case CONFIG_LINES:
		replace_list(m, key->shape, (config_value_list *)(void *)field, value);
		break;
	case CONFIG_VARIABLES:
	case CONFIG_SETTINGS:
	case CONFIG_VALUES:
	case CONFIG_OPTIONS:
		merge_map(m, key, (config_pair_list *)(void *)field, value);
		break;
	}
}

static void merge_keys(struct merger *m, const struct value *map)
{
	for (size_t i = 0; i < map->entries.count; i++) {
		const struct value_entry *entry = &map->entries.items[i];
		const struct config_key *key = config_key_find(entry->name);
		if (key != NULL)
			merge_key(m, key, entry->value);
	}
}

int config_merge(struct arena *arena, struct diags *diags, const config_layer_list *layers,
                 struct slice profile, struct config *out)
{
	config_names active = {0};
	size_t errors = diags->errors;
	if (profile.len > 0 && config_profiles_find(arena, diags, layers, profile, &active) < 0)
		return -1;
	for (size_t i = 0; i < layers->count; i++) {
		const struct config_layer *layer = &layers->items[i];
		struct merger m = {
		        .arena = arena, .diags = diags, .out = out, .source = layer->source};
		merge_keys(&m, layer->map);
		for (size_t k = 0; k < active.count; k++) {
			const struct value *own = config_profile_of(layer, active.items[k]);
			m.profile = active.items[k];
			if (own != NULL)
				merge_keys(&m, own);
		}
		if (diags->errors > errors)
			return -1;
	}
	return 0;
}
