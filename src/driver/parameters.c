#include "driver/parameters.h"

#include "base/name_set.h"
#include "base/value.h"
#include "driver/needed_files.h"
#include "settings/json_reader.h"
#include "settings/yaml_reader.h"

struct collector {
	struct compilation *c;
	struct name_set names; /* of c->parameters, in their order */
};

static void set(struct collector *collector, const struct parameter *parameter)
{
	parameter_list *list = &collector->c->parameters;
	size_t at = name_set_add(&collector->names, parameter->name);
	if (at == list->count)
		vec_push(collector->c->arena, list, *parameter);
	else
		list->items[at] = *parameter;
}

static void take_config(struct collector *collector)
{
	const config_pair_list *list = &collector->c->config.parameters;
	for (size_t i = 0; i < list->count; i++) {
		const struct config_pair *pair = &list->items[i];
		struct parameter parameter = {
		        .name = pair->name,
		        .value = pair->value.value,
		        .where = pair->name_where,
		        .shared = pair->value.source < CONFIG_NOTEBOOK,
		};
		set(collector, &parameter);
	}
}

/* -p and -r. */
static void take_word(struct collector *collector, const struct parameter_option *option)
{
	struct arena *arena = collector->c->arena;
	struct slice name = slice_from(option->first), text;
	if (option->second != NULL) {
		text = slice_from(option->second);
	} else {
		size_t equals = slice_find(name, '=', 0);
		text = slice_sub(name, equals + 1, name.len);
		name = slice_sub(name, 0, equals);
	}
	struct value *raw = ARENA_NEW(arena, struct value);
	*raw = (struct value){.kind = VALUE_TEXT, .text = text};
	struct parameter parameter = {.name = name, .value = raw, .given = true};
	if (option->kind == 'p')
		parameter.value = python_value_of_word(arena, text);
	set(collector, &parameter);
}

static int take_map(struct collector *collector, const struct value *map, struct slice origin)
{
	if (map->kind == VALUE_NULL)
		return 0;
	if (map->kind != VALUE_MAP) {
		diag_add(&collector->c->diags, DIAG_PARAMETER_VALUE,
		         (struct location){.file = origin}, "expected names with values, found %s",
		         value_kind_name(map->kind));
		return -1;
	}
	for (size_t i = 0; i < map->entries.count; i++) {
		const struct value_entry *entry = &map->entries.items[i];
		struct parameter parameter = {
		        .name = entry->name,
		        .value = entry->value,
		        .where = entry->where,
		        .given = true,
		};
		set(collector, &parameter);
	}
	return 0;
}

/* -f and -y: JSON if it is that, else YAML, as the script does it. */
static int take_text(struct collector *collector, const struct parameter_option *option)
{
	struct compilation *c = collector->c;
	struct slice origin = SLICE("--parameters-yaml"), text = slice_from(option->first);
	if (option->kind == 'f') {
		origin = text;
		if (needed_file_read(c, SLICE("parameters-file"), origin, YAML_MAX_BYTES, &text) <
		    0)
			return -1;
	}
	const struct value *value = json_read(c->arena, origin, text);
	if (value == NULL)
		value = yaml_read(c->arena, origin, text, &c->diags);
	return value == NULL ? -1 : take_map(collector, value, origin);
}

int parameters_collect(struct compilation *c, const struct build_settings *given)
{
	struct collector collector = {.c = c};
	int status = 0;
	name_set_init(&collector.names, c->arena);
	take_config(&collector);
	for (size_t i = 0; i < given->parameters.count; i++) {
		const struct parameter_option *option = &given->parameters.items[i];
		if (option->kind == 'p' || option->kind == 'r')
			take_word(&collector, option);
		else if (take_text(&collector, option) < 0)
			status = -1;
	}
	return status;
}
