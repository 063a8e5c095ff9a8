#include "cli/configuration.h"

#include <stdlib.h>

#include "cli/build_keys.h"
#include "cli/config_files.h"
#include "cli/sweep.h"
#include "config/keys.h"
#include "config/yaml_reader.h"

/* What the values of --set have in place of a file's name. */
#define SET_NAME SLICE("--set")

static const struct config_checks checks = {.build = build_keys_check};

/* A map of one entry. */
static struct value *map_of(struct arena *arena, struct slice name, struct location where,
                            const struct value *value)
{
	struct value *map = ARENA_NEW(arena, struct value);
	*map = (struct value){.kind = VALUE_MAP, .where = where};
	vec_push(arena, &map->entries, (struct value_entry){name, where, value});
	return map;
}

static int refuse_set(struct compilation *c, struct location where, const char *problem)
{
	diag_add(&c->diags, DIAG_CONFIG_SYNTAX, where, "'--set' wants KEY=VALUE, %s", problem);
	return -1;
}

/* KEY=VALUE, KEY.NAME=VALUE. */
static int add_set(struct compilation *c, struct slice text, config_layer_list *layers)
{
	size_t equals = slice_find(text, '=', 0), dot = slice_find(text, '.', 0);
	struct slice key = slice_sub(text, 0, dot < equals ? dot : equals);
	struct slice name = slice_sub(text, key.len + 1, equals);
	struct location where = location_in_line(0, 1, text, 0, equals);
	where.file = SET_NAME;
	if (equals == text.len)
		return refuse_set(c, where, "and there is no '='");
	if (key.len == 0 || (dot < equals && name.len == 0))
		return refuse_set(c, where, "and a part of the key is missing");
	const struct config_key *row = config_key_find(key);
	if (dot < equals && row != NULL && !config_shape_is_map(row->shape))
		return refuse_set(c, where, "and what stands in front of the '.' is no map");
	const struct value *value =
	        yaml_read(c->arena, SET_NAME, slice_sub(text, equals + 1, text.len), &c->diags);
	if (value == NULL)
		return -1;
	if (dot < equals)
		value = map_of(c->arena, name, where, value);
	struct config_layer layer = {CONFIG_COMMAND_LINE, map_of(c->arena, key, where, value)};
	vec_push(c->arena, layers, layer);
	return 0;
}

/* The notebook's own configuration, unless it does not count. */
static void add_metadata(struct compilation *c, const struct options *given,
                         config_layer_list *layers)
{
	const struct value *map = c->notebook.config;
	if (map == NULL)
		return;
	if (given->untrusted == NULL && !given->no_notebook_config) {
		vec_push(c->arena, layers, (struct config_layer){CONFIG_NOTEBOOK, map});
		return;
	}
	diag_add(&c->diags, DIAG_METADATA_IGNORED, map->where,
	         "the configuration in the notebook's metadata is ignored (%s)",
	         given->untrusted != NULL ? "--untrusted" : "--no-notebook-config");
}

static int read_layers(struct compilation *c, const struct options *given,
                       config_layer_list *layers)
{
	int status = config_files_read(c, given, layers);
	add_metadata(c, given, layers);
	for (size_t i = 0; i < given->settings.count; i++)
		status |= add_set(c, slice_from(given->settings.items[i]), layers);
	return config_check(&c->diags, layers, &checks) < 0 ? -1 : status;
}

static struct slice profile_of(const struct options *given)
{
	const char *variable = getenv("NBSCOREP_PROFILE");
	if (given->profile != NULL)
		return slice_from(given->profile);
	return slice_from(variable != NULL ? variable : "");
}

static void put_option(struct compilation *c, const char *text, enum value_kind kind,
                       struct config_value *out)
{
	if (text == NULL)
		return;
	struct value *value = ARENA_NEW(c->arena, struct value);
	*value = (struct value){.kind = kind, .text = slice_from(text)};
	*out = (struct config_value){.source = CONFIG_COMMAND_LINE, .value = value};
}

/* As the options --launcher and --tag-output exclude each other. */
static int check_launcher(struct compilation *c, const struct options *configured)
{
	const struct value *launcher = c->config.launcher.value;
	if (launcher == NULL || !configured->tag_output)
		return 0;
	diag_add(&c->diags, DIAG_CONFIG_VALUE, launcher->where,
	         "'tag-output' is for a launcher that is found; give '%.*s' its own option",
	         SLICE_ARG(launcher->text));
	return -1;
}

int configuration_make(struct compilation *c, const struct options *given,
                       struct options *configured)
{
	config_layer_list layers = {0};
	*configured = *given;
	if (read_layers(c, given, &layers) < 0 ||
	    config_merge(c->arena, &c->diags, &layers, profile_of(given), &c->config) < 0)
		return -1;
	put_option(c, given->ranks, VALUE_INT, &c->config.ranks);
	put_option(c, given->launcher, VALUE_TEXT, &c->config.launcher);
	put_option(c, given->python, VALUE_TEXT, &c->config.python);
	if (build_keys_apply(c, given, configured) < 0 || check_launcher(c, configured) < 0)
		return -1;
	return sweep_configure(c, configured);
}
