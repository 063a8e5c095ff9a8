#include "settings/runs_code.h"

#include "settings/keys.h"

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

void config_find_code(struct arena *arena, const struct config *config, enum config_source source,
                      code_setting_list *out)
{
	struct finder finder = {arena, source, out};
	size_t count;
	const struct config_key *keys = config_keys(&count);
	for (size_t i = 0; i < count; i++)
		find_in_key(&finder, &keys[i], (const char *)config + keys[i].offset);
}
