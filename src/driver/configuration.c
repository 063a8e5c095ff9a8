#include "driver/configuration.h"

#include <stdlib.h>

#include "base/utf8.h"
#include "driver/config_files.h"
#include "driver/read_sweep.h"
#include "process/process.h"
#include "settings/config.h"
#include "settings/merge.h"
#include "settings/yaml_reader.h"

/* ---- settings that run code ---- */

/* The values of a configuration that decide which code runs: the rows of runs_code.def. */

/* A value that decides which code runs. */
struct code_setting {
	struct slice name; /* "setup", "env.LD_PRELOAD" */
	struct slice text; /* of the value; of a list: of its first item */
	size_t more;       /* number of other items of the list */
	const struct config_value *value;
};

typedef VECTOR(struct code_setting) code_setting_list;

struct row {
	const char *key, *name, *begins;
};

static const struct row rows[] = {
#define RUNS_CODE(key, name, begins) {key, name, begins},
#include "settings/runs_code.def"
#undef RUNS_CODE
};
enum { ROW_COUNT = sizeof rows / sizeof *rows };

struct finder {
	struct arena *arena;
	enum config_source source;
	code_setting_list *out;
};

static bool is_name(const struct row *row, struct slice name)
{
	struct slice wanted = slice_from(row->name);
	if (!slice_ends_with(wanted, SLICE("*")))
		return slice_eq(name, wanted);
	return slice_starts_with(name, slice_sub(wanted, 0, wanted.len - 1));
}

/* True if a row is about this entry of a map. */
static bool is_code_entry(const struct config_key *key, struct slice name, struct slice text)
{
	for (size_t i = 0; i < ROW_COUNT; i++) {
		const struct row *row = &rows[i];
		if (strcmp(row->key, key->name) == 0 && row->name != NULL && is_name(row, name) &&
		    (row->begins == NULL || slice_starts_with(text, slice_from(row->begins))))
			return true;
	}
	return false;
}

/* True if a row is about the key as a whole. */
static bool is_code_key(const struct config_key *key)
{
	for (size_t i = 0; i < ROW_COUNT; i++) {
		if (strcmp(rows[i].key, key->name) == 0 && rows[i].name == NULL)
			return true;
	}
	return false;
}

static void add(struct finder *finder, struct slice name, const struct value *value,
                const struct config_value *owner)
{
	struct code_setting setting = {.name = name, .text = value->text, .value = owner};
	if (value->kind == VALUE_LIST && value->items.count > 0) {
		setting.text = value->items.items[0]->text;
		setting.more = value->items.count - 1;
	}
	vec_push(finder->arena, finder->out, setting);
}

static void find_in_map(struct finder *finder, const struct config_key *key,
                        const config_pair_list *list)
{
	for (size_t i = 0; i < list->count; i++) {
		const struct config_pair *pair = &list->items[i];
		const struct value *value = pair->value.value;
		if (pair->value.source == finder->source &&
		    is_code_entry(key, pair->name, value->text))
			add(finder,
			    arena_printf(finder->arena, "%s.%.*s", key->name,
			                 SLICE_ARG(pair->name)),
			    value, &pair->value);
	}
}

/* All items of a list come from one layer, because a stronger layer replaces the whole list. */
static void find_in_list(struct finder *finder, const struct config_key *key,
                         const config_value_list *list)
{
	if (list->count == 0 || list->items[0].source != finder->source || !is_code_key(key))
		return;
	add(finder, slice_from(key->name), list->items[0].value, &list->items[0]);
	finder->out->items[finder->out->count - 1].more = list->count - 1;
}

/* True if a row is about the text of a word of KEY. */
static bool is_code_word(const struct config_key *key, struct slice word)
{
	for (size_t i = 0; i < ROW_COUNT; i++) {
		if (strcmp(rows[i].key, key->name) == 0 &&
		    slice_find_slice(word, slice_from(rows[i].name), 0) < word.len)
			return true;
	}
	return false;
}

/* Adds the first such word of a list, or the text that is split into words. */
static void find_in_words(struct finder *finder, const struct config_key *key,
                          const struct config_value *words)
{
	const struct value *value = words->value;
	const struct value *found = is_code_word(key, value->text) ? value : NULL;
	for (size_t i = 0; i < value->items.count && found == NULL; i++) {
		if (is_code_word(key, value->items.items[i]->text))
			found = value->items.items[i];
	}
	if (found != NULL)
		add(finder, slice_from(key->name), found, words);
}

static void find_in_key(struct finder *finder, const struct config_key *key, const void *field)
{
	const struct config_value *value = field;
	if (config_shape_is_map(key->shape))
		find_in_map(finder, key, field);
	else if (key->shape == CONFIG_NAMES || key->shape == CONFIG_LINES)
		find_in_list(finder, key, field);
	else if (value->value == NULL || value->source != finder->source)
		return;
	else if (key->shape == CONFIG_WORDS)
		find_in_words(finder, key, value);
	else if (is_code_key(key))
		add(finder, slice_from(key->name), value->value, value);
}

/* ---- all settings ---- */

/* What the values of --set have in place of a file's name. */
#define SET_NAME SLICE("--set")

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
	diag_add(&c->diags, DIAG_CONFIG_SYNTAX, where, "'--set' requires KEY=VALUE, %s", problem);
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
static void add_metadata(struct compilation *c, const struct build_settings *given,
                         config_layer_list *layers)
{
	const struct value *map = c->notebook.config;
	if (map == NULL)
		return;
	if (!given->untrusted.given && !given->no_notebook_config) {
		vec_push(c->arena, layers, (struct config_layer){CONFIG_NOTEBOOK, map});
		return;
	}
	diag_add(&c->diags, DIAG_METADATA_IGNORED, map->where,
	         "the configuration in the notebook's metadata is ignored (%s)",
	         given->untrusted.given ? "--untrusted" : "--no-notebook-config");
}

/* A project's file and the notebook do not decide whether the notebook is trusted. */
static void refuse_trust(struct compilation *c, const struct value *map)
{
	static const struct slice name = SLICE_INIT("trust-notebooks");
	for (size_t i = 0; i < map->entries.count; i++) {
		const struct value_entry *entry = &map->entries.items[i];
		if (slice_eq(entry->name, name)) {
			diag_add(&c->diags, DIAG_CONFIG_KEY, entry->where,
			         "'%.*s' is a key of the user's and the system's file only",
			         SLICE_ARG(name));
			diag_hint(&c->diags, DIAG_CONFIG_KEY,
			          "set it there, or use --set trust-notebooks=false");
		} else if (slice_eq(entry->name, CONFIG_PROFILES)) {
			for (size_t k = 0; k < entry->value->entries.count; k++)
				refuse_trust(c, entry->value->entries.items[k].value);
		}
	}
}

static int check_trust(struct compilation *c, const config_layer_list *layers)
{
	size_t errors = c->diags.errors;
	for (size_t i = 0; i < layers->count; i++) {
		enum config_source source = layers->items[i].source;
		if (source == CONFIG_PROJECT || source == CONFIG_NOTEBOOK)
			refuse_trust(c, layers->items[i].map);
	}
	return c->diags.errors > errors ? -1 : 0;
}

static void report_code(struct compilation *c, enum diag_kind kind,
                        const struct code_setting *setting)
{
	enum { SHOWN = 100 }; /* bytes of a value */
	struct slice text = setting->text, more = slice_make("", 0);
	size_t shown = text.len > SHOWN ? utf8_start(text, SHOWN) : text.len;
	if (setting->more > 0)
		more = arena_printf(c->arena, " (and %zu more)", setting->more);
	diag_add(&c->diags, kind, setting->value->value->where,
	         "the notebook's metadata sets '%.*s' to '%.*s%s'%.*s, which runs code besides the "
	         "cells",
	         SLICE_ARG(setting->name), SLICE_ARG(slice_sub(text, 0, shown)),
	         shown < text.len ? "..." : "", SLICE_ARG(more));
}

/* Reports the notebook's own settings that decide which code runs. Returns -1 if they are refused. */
static int check_code(struct compilation *c)
{
	const struct value *trust = c->config.trust_notebooks.value;
	enum diag_kind kind = trust != NULL ? DIAG_CODE_REFUSED : DIAG_NOTEBOOK_CODE;
	code_setting_list found = {0};
	if (trust != NULL && trust->boolean)
		return 0;
	struct finder finder = {c->arena, CONFIG_NOTEBOOK, &found};
	size_t count;
	const struct config_key *keys = config_keys(&count);
	for (size_t i = 0; i < count; i++)
		find_in_key(&finder, &keys[i], (const char *)&c->config + keys[i].offset);
	for (size_t i = 0; i < found.count; i++) {
		report_code(c, kind, &found.items[i]);
		if (i == 0)
			diag_hint(&c->diags, kind,
			          "use --no-notebook-config to ignore the metadata, or --set "
			          "trust-notebooks=true to trust it");
	}
	return kind == DIAG_CODE_REFUSED && found.count > 0 ? -1 : 0;
}

static int read_layers(struct compilation *c, const struct build_settings *given,
                       config_layer_list *layers)
{
	int status = config_files_read(c, given, layers);
	add_metadata(c, given, layers);
	for (size_t i = 0; i < given->set.count; i++)
		status |= add_set(c, slice_from(given->set.items[i]), layers);
	if (config_check(&c->diags, layers) < 0 || check_trust(c, layers) < 0)
		return -1;
	return status;
}

static struct slice profile_of(const struct build_settings *given)
{
	const char *variable = getenv("NBSCOREP_PROFILE");
	if (given->profile != NULL)
		return slice_from(given->profile);
	return slice_from(variable != NULL ? variable : "");
}

static void put_option(struct compilation *c, const char *name, const char *text,
                       enum value_kind kind, struct config_value *out)
{
	if (text == NULL)
		return;
	struct value *value = ARENA_NEW(c->arena, struct value);
	*value = (struct value){
	        .kind = kind, .text = slice_from(text), .where.file = slice_from(name)};
	*out = (struct config_value){.source = CONFIG_COMMAND_LINE, .value = value};
}

/* As the options --launcher and --tag-output exclude each other. */
static int check_launcher(struct compilation *c, const struct build_settings *configured)
{
	const struct value *launcher = c->config.launcher.value;
	if (launcher == NULL || !configured->tag_output)
		return 0;
	diag_add(&c->diags, DIAG_CONFIG_VALUE, launcher->where,
	         "'tag-output' is for a launcher that is found; give '%.*s' its own option",
	         SLICE_ARG(launcher->text));
	return -1;
}

/* Lets bash read the lines of LIST without running them: after a quote or here-document that is not
 * closed, bash would take the rest of the run script for text, and end with status 0. Where bash is
 * not installed, nothing is checked. */
static int check_shell(struct compilation *c, const config_value_list *list)
{
	static const char *const argv[] = {"bash", "-n", NULL};
	struct process_result result = {0};
	struct strbuf text;
	strbuf_init(&text, c->arena);
	for (size_t i = 0; i < list->count; i++)
		strbuf_printf(&text, "%.*s\n", SLICE_ARG(config_text(&list->items[i])));
	struct process_order order = {
	        .argv = argv,
	        .input = strbuf_slice(&text),
	        .limit = 1 << 16,
	        .limits.seconds = 10,
	        .own_group = true,
	};
	if (list->count == 0 || c->tree.limit == TREE_CLOSED ||
	    process_run(c->arena, &order, &result) != 0 ||
	    (result.status == 0 && result.err.len == 0))
		return 0;
	struct slice said = slice_trim(slice_sub(result.err, 0, slice_find(result.err, '\n', 0)));
	diag_add(&c->diags, DIAG_CONFIG_SHELL, list->items[0].value->where,
	         "bash cannot read these lines: %.*s", SLICE_ARG(said));
	return -1;
}

static int apply_build(struct compilation *c, const struct build_settings *given,
                       struct build_settings *configured)
{
	struct build_option_report report = {.set_by_notebook = &c->set_by_notebook};
	int status = build_options_apply(c->arena, &c->diags, &c->config, c->path, given,
	                                 configured, &report);
	c->output_folder = report.output_folder;
	return status;
}

int configuration_make(struct compilation *c, const struct build_settings *given,
                       struct build_settings *configured)
{
	config_layer_list layers = {0};
	*configured = *given;
	if (read_layers(c, given, &layers) < 0 ||
	    config_merge(c->arena, &c->diags, &layers, profile_of(given), &c->config) < 0)
		return -1;
	put_option(c, "--ranks",
	           given->ranks == 0 ? NULL : arena_printf(c->arena, "%zu", given->ranks).ptr,
	           VALUE_INT, &c->config.ranks);
	put_option(c, "--launcher", given->launcher, VALUE_TEXT, &c->config.launcher);
	put_option(c, "--python", given->python, VALUE_TEXT, &c->config.python);
	if (check_code(c) < 0 || apply_build(c, given, configured) < 0 ||
	    check_launcher(c, configured) < 0 || check_shell(c, &c->config.setup) < 0 ||
	    check_shell(c, &c->config.teardown) < 0)
		return -1;
	return sweep_configure(c, configured);
}
