/* Checks a configuration against the table of keys. It checks everything before use, so that a profile
 * for another cluster is correct when it is first needed. */
#include "settings/config_check.h"

#include "base/quote.h"
#include "base/suggest.h"
#include "settings/build_settings.h"
#include "settings/keys.h"

static void wrong_value(struct diags *diags, const struct value *value, struct slice key,
                        const char *wanted)
{
	diag_add(diags, DIAG_CONFIG_VALUE, value->where, "'%.*s' requires %s, not %s",
	         SLICE_ARG(key), wanted, value_kind_name(value->kind));
}

static bool is_set_scalar(const struct value *value)
{
	return value_is_scalar(value) && value->kind != VALUE_NULL;
}

static bool is_text(const struct value *value)
{
	return value->kind == VALUE_TEXT;
}

/* The first element of LIST for which IS is false, or NULL. */
static const struct value *first_other(const struct value *list, bool (*is)(const struct value *))
{
	for (size_t i = 0; i < list->items.count; i++) {
		if (!is(list->items.items[i]))
			return list->items.items[i];
	}
	return NULL;
}

/* Accepts a text, or a list if IS is true for all of its elements. */
static void check_list(struct diags *diags, const struct value_entry *entry,
                       bool (*is)(const struct value *), const char *wanted)
{
	const struct value *value = entry->value;
	const struct value *wrong = value->kind == VALUE_LIST ? first_other(value, is) : value;
	if (!is_text(value) && wrong != NULL)
		wrong_value(diags, wrong, entry->name, wanted);
}

static void check_variable(struct diags *diags, const struct value_entry *entry)
{
	if (!bash_is_name(entry->name))
		diag_add(diags, DIAG_CONFIG_VALUE, entry->where,
		         "'%.*s' is not a variable name: use letters, digits and '_'",
		         SLICE_ARG(entry->name));
	else if (bash_is_read_only(entry->name))
		diag_add(diags, DIAG_CONFIG_VALUE, entry->where, "'%.*s' is read-only in bash",
		         SLICE_ARG(entry->name));
	else if (bash_is_own(entry->name))
		diag_add(diags, DIAG_CONFIG_VALUE, entry->where,
		         "'%.*s' is reserved by the run script", SLICE_ARG(entry->name));
	else if (!value_is_scalar(entry->value))
		wrong_value(diags, entry->value, entry->name, "a text or a number");
}

static void check_setting(struct diags *diags, const struct value_entry *entry)
{
	const struct value *value = entry->value;
	const struct value *other =
	        value->kind == VALUE_LIST ? first_other(value, is_set_scalar) : NULL;
	if (value->kind == VALUE_MAP)
		wrong_value(diags, value, entry->name, "a text, a number or a list");
	else if (other != NULL)
		wrong_value(diags, other, entry->name, "a list of texts or numbers");
}

static void check_map(struct diags *diags, enum config_shape shape, const struct value_entry *entry)
{
	if (entry->value->kind != VALUE_MAP) {
		wrong_value(diags, entry->value, entry->name, "a map");
		diag_hint(diags, DIAG_CONFIG_VALUE, "write 'NAME: VALUE' lines below '%.*s:'",
		          SLICE_ARG(entry->name));
		return;
	}
	for (size_t i = 0; i < entry->value->entries.count; i++) {
		const struct value_entry *one = &entry->value->entries.items[i];
		if (shape == CONFIG_VARIABLES)
			check_variable(diags, one);
		else if (shape == CONFIG_SETTINGS)
			check_setting(diags, one);
		else if (shape == CONFIG_OPTIONS)
			build_option_check(diags, one);
	}
}

static void check_value(struct diags *diags, const struct config_key *key,
                        const struct value_entry *entry)
{
	const struct value *value = entry->value;
	if (value->kind == VALUE_NULL)
		return;
	switch (key->shape) {
	case CONFIG_TEXT:
		if (!is_text(value))
			wrong_value(diags, value, entry->name, "a text");
		else if (slice_trim(value->text).len == 0)
			diag_add(diags, DIAG_CONFIG_VALUE, value->where, "'%.*s' is empty",
			         SLICE_ARG(entry->name));
		break;
	case CONFIG_COUNT: /* at most seven digits, as in the option */
		if (value->kind != VALUE_INT)
			wrong_value(diags, value, entry->name, "a whole number");
		else if (!ascii_is_digit(value->text.ptr[0]) || value->text.len >= 8 ||
		         value->text.ptr[0] == '0')
			diag_add(diags, DIAG_CONFIG_VALUE, value->where,
			         "'%.*s' requires a number of processes, not '%.*s'",
			         SLICE_ARG(entry->name), SLICE_ARG(value->text));
		break;
	case CONFIG_FLAG:
		if (value->kind != VALUE_BOOL)
			wrong_value(diags, value, entry->name, "true or false");
		break;
	case CONFIG_WORDS:
		check_list(diags, entry, is_set_scalar, "a list of words, or a text");
		break;
	case CONFIG_NAMES:
		check_list(diags, entry, is_text, "a list of names, or a text");
		break;
	case CONFIG_LINES:
		check_list(diags, entry, is_text, "a list of lines, or a text");
		break;
	case CONFIG_ANY:
		if (is_set_scalar(value) && !is_text(value))
			wrong_value(diags, value, entry->name, "a list or a map");
		break;
	case CONFIG_VARIABLES:
	case CONFIG_SETTINGS:
	case CONFIG_VALUES:
	case CONFIG_OPTIONS:
		check_map(diags, key->shape, entry);
		break;
	}
}

static void unknown_key(struct diags *diags, const struct value_entry *entry, struct slice own)
{
	size_t count;
	const struct config_key *keys = config_keys(&count);
	struct slice *names = arena_calloc(diags->arena, count + 1, sizeof *names);
	for (size_t i = 0; i < count; i++)
		names[i] = slice_from(keys[i].name);
	names[count] = own;
	struct slice near = suggest(entry->name, names, count + 1);
	for (size_t i = 0; near.len == 0 && i < count; i++) {
		if (slice_starts_with(entry->name, names[i])) /* "environment" for "env" */
			near = names[i];
	}
	diag_add(diags, DIAG_CONFIG_KEY, entry->where, "unknown key '%.*s'",
	         SLICE_ARG(entry->name));
	if (near.len > 0)
		diag_hint(diags, DIAG_CONFIG_KEY, "did you mean '%.*s'?", SLICE_ARG(near));
	else
		diag_hint(diags, DIAG_CONFIG_KEY, "see nbscorep.yaml(5) for the keys");
}

static void check_profiles(struct diags *diags, const struct value_entry *entry);

/* Checks the keys of a file, or of a profile. */
static void check_keys(struct diags *diags, const struct value *map, bool is_profile)
{
	struct slice own = is_profile ? CONFIG_INHERITS : CONFIG_PROFILES;
	for (size_t i = 0; i < map->entries.count; i++) {
		const struct value_entry *entry = &map->entries.items[i];
		const struct config_key *key = config_key_find(entry->name);
		if (key != NULL)
			check_value(diags, key, entry);
		else if (!slice_eq(entry->name, own))
			unknown_key(diags, entry, own);
		else if (!is_profile)
			check_profiles(diags, entry);
		else if (entry->value->kind != VALUE_NULL)
			check_list(diags, entry, is_text, "a profile's name, or a list of them");
	}
}

static void check_profiles(struct diags *diags, const struct value_entry *entry)
{
	const struct value *profiles = entry->value;
	if (profiles->kind != VALUE_MAP && profiles->kind != VALUE_NULL)
		wrong_value(diags, profiles, entry->name, "a map of profiles");
	if (profiles->entries.count > CONFIG_MAX_ENTRIES)
		diag_add(diags, DIAG_CONFIG_VALUE, entry->where, "more than %d profiles",
		         CONFIG_MAX_ENTRIES);
	for (size_t i = 0; i < profiles->entries.count; i++) {
		const struct value_entry *profile = &profiles->entries.items[i];
		if (profile->value->kind == VALUE_MAP)
			check_keys(diags, profile->value, true);
		else if (profile->value->kind != VALUE_NULL)
			wrong_value(diags, profile->value, profile->name, "a map of keys");
	}
}

int config_check(struct diags *diags, const config_layer_list *layers)
{
	size_t before = diags->errors;
	for (size_t i = 0; i < layers->count; i++) {
		const struct value *map = layers->items[i].map;
		if (map->kind == VALUE_MAP)
			check_keys(diags, map, false);
		else if (map->kind != VALUE_NULL)
			diag_add(diags, DIAG_CONFIG_VALUE, map->where,
			         "a configuration requires a map, 'KEY: VALUE' lines, not %s",
			         value_kind_name(map->kind));
	}
	return diags->errors > before ? -1 : 0;
}
