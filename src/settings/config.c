/* The keys of a configuration, the merging of its layers, their checks, and the printing of the result. */

#include "base/json_writer.h"
#include "base/name_set.h"
#include "base/quote.h"
#include "base/suggest.h"
#include "diag/diag.h"
#include "settings/settings.h"

struct slice config_text(const struct config_value *value)
{
	return value->value == NULL ? slice_make("", 0) : value->value->text;
}

size_t config_number(const struct config_value *value)
{
	uint64_t number = 0;
	(void)slice_read_number(config_text(value), UINT32_MAX, &number);
	return (size_t)number;
}

value_list config_items(const struct config_value *value)
{
	static const value_list none = {0};
	return value->value == NULL ? none : value->value->items;
}

bool config_has_steps(const struct config *config)
{
	return config_items(&config->modules).count + config_items(&config->setup).count > 0;
}

struct config_pair *config_find(const config_pair_list *list, struct slice name)
{
	for (size_t i = 0; i < list->count; i++) {
		if (slice_eq(list->items[i].name, name))
			return &list->items[i];
	}
	return NULL;
}

/* ---- keys ---- */

const struct config_key config_keys[] = {
#define CONFIG_KEY(field, name, shape, initial, example, doc)                                      \
	{name, CONFIG_##shape, initial, example, doc, offsetof(struct config, field)},
#include "settings/settings.def"
};
enum { KEY_COUNT = sizeof config_keys / sizeof *config_keys };
const size_t config_key_count = KEY_COUNT;

const struct config_key *config_key_find(struct slice name)
{
	for (size_t i = 0; i < KEY_COUNT; i++) {
		if (slice_eq(slice_from(config_keys[i].name), name))
			return &config_keys[i];
	}
	return NULL;
}

bool config_shape_is_map(enum config_shape shape)
{
	return shape == CONFIG_VARIABLES || shape == CONFIG_SETTINGS || shape == CONFIG_VALUES ||
	       shape == CONFIG_OPTIONS;
}

/* ---- profiles ---- */

typedef VECTOR(struct slice) config_names;

struct merger {
	struct arena *arena;
	struct diags *diags;
	const config_layer_list *layers;
	config_names active; /* profiles, weakest first */
	config_names open;   /* profiles whose inherited profiles are being searched */
	struct config *out;
	enum config_source source; /* of the layer that is merged, */
	struct slice profile;      /* and the profile in it */
};

/* The value of NAME in MAP; NULL if MAP, which may be NULL, does not have it. */
static const struct value *value_in(const struct value *map, struct slice name)
{
	const struct value_entry *entry = map == NULL ? NULL : value_find(map, name);
	return entry == NULL ? NULL : entry->value;
}

/* Adds the profile NAME and those that it inherits to M->active, each once, weakest first. They may be
 * in any layer. Returns 0, or -1 after an error. */
static int find_profile(struct merger *m, struct slice name, struct location where)
{
	bool known = false;
	enum { DEPTH_MAX = 100 }; /* limits the recursion */
	if (slice_is_one_of(name, m->open.items, m->open.count) || m->open.count >= DEPTH_MAX)
		return diag_add(m->diags, DIAG_CONFIG_VALUE, where,
		                "the profile '%.*s' inherits from itself", SLICE_ARG(name));
	if (slice_is_one_of(name, m->active.items, m->active.count))
		return 0;
	vec_push(m->arena, &m->open, name);
	for (size_t i = 0; i < m->layers->count; i++) {
		const struct value *profiles = value_in(m->layers->items[i].map, CONFIG_PROFILES);
		const struct value *profile = value_in(profiles, name);
		known |= profile != NULL;
		const struct value *inherits = value_in(profile, CONFIG_INHERITS);
		if (inherits == NULL)
			continue;
		const value_list one = {.items = &inherits, .count = 1};
		value_list names = inherits->kind == VALUE_TEXT ? one : inherits->items;
		for (size_t k = 0; k < names.count; k++) {
			if (find_profile(m, names.items[k]->text, names.items[k]->where) < 0)
				return -1;
		}
	}
	m->open.count--;
	if (known) {
		vec_push(m->arena, &m->active, name);
		return 0;
	}
	struct name_set set = {.arena = m->arena};
	struct strbuf all = {.arena = m->arena};
	for (size_t i = 0; i < m->layers->count; i++) {
		const struct value *profiles = value_in(m->layers->items[i].map, CONFIG_PROFILES);
		for (size_t k = 0; profiles != NULL && k < profiles->entries.count; k++) {
			struct slice other = profiles->entries.items[k].name;
			size_t count = set.names.count;
			if (name_set_add(&set, other) == count)
				strbuf_printf(&all, "%s'%.*s'", count > 0 ? ", " : "",
				              SLICE_ARG(other));
		}
	}
	diag_add(m->diags, DIAG_CONFIG_VALUE, where, "unknown profile '%.*s'%s%.*s",
	         SLICE_ARG(name), all.len > 0 ? "; profiles are " : "; no file has profiles",
	         SLICE_ARG(strbuf_slice(&all)));
	(void)diag_suggest(m->diags, DIAG_CONFIG_VALUE, name, set.names.items, set.names.count);
	return -1;
}

/* ---- layers ---- */

static void merge_map(struct merger *m, const struct config_key *key, config_pair_list *list,
                      const struct value *value)
{
	if (value->kind == VALUE_NULL)
		list->count = 0;
	vec_each(const struct value_entry, entry, &value->entries) {
		struct config_value set = {m->source, m->profile, entry->value};
		struct config_pair pair = {entry->name, entry->where, set};
		struct config_pair *there = config_find(list, entry->name);
		if (key->shape != CONFIG_VALUES && entry->value->kind == VALUE_NULL) {
			if (there != NULL) {
				list->count--;
				size_t after = list->count - (size_t)(there - list->items);
				memmove(there, there + 1, after * sizeof *there);
			}
		} else if (there != NULL) {
			*there = pair;
		} else {
			vec_push(m->arena, list, pair);
		}
		if (list->count > CONFIG_MAX_ENTRIES) {
			diag_add(m->diags, DIAG_CONFIG_VALUE, entry->where,
			         "'%s' has more than %d entries", key->name, CONFIG_MAX_ENTRIES);
			return;
		}
	}
}

static void merge_keys(struct merger *m, const struct value *map)
{
	for (size_t i = 0; i < map->entries.count; i++) {
		const struct config_key *key = config_key_find(map->entries.items[i].name);
		const struct value *value = map->entries.items[i].value;
		if (key == NULL)
			continue;
		void *field = (char *)m->out + key->offset;
		bool is_lines = key->shape == CONFIG_LINES;
		if (config_shape_is_map(key->shape)) {
			merge_map(m, key, field, value);
			continue;
		}
		if (value->kind == VALUE_NULL) {
			value = NULL;
		} else if ((is_lines || key->shape == CONFIG_NAMES) && value->kind == VALUE_TEXT) {
			/* A text of words, or of lines, as a list of texts. */
			struct value *list = ARENA_NEW(m->arena, struct value);
			struct slice rest = value->text, part;
			*list = (struct value){.kind = VALUE_LIST, .where = value->where};
			while (is_lines ? slice_next_line(&rest, &part)
			                : (part = slice_next_word(&rest)).len > 0) {
				struct value *item = ARENA_NEW(m->arena, struct value);
				*item = (struct value){
				        .kind = VALUE_TEXT, .text = part, .where = value->where};
				vec_push(m->arena, &list->items, item);
			}
			value = list;
		}
		*(struct config_value *)field = (struct config_value){m->source, m->profile, value};
	}
}

int config_merge(struct arena *arena, struct diags *diags, const config_layer_list *layers,
                 struct slice profile, struct config *out)
{
	struct merger m = {.arena = arena, .diags = diags, .layers = layers, .out = out};
	size_t errors = diags->errors;
	if (profile.len > 0 && find_profile(&m, profile, (struct location){0}) < 0)
		return -1;
	vec_each(const struct config_layer, layer, layers) {
		const struct value *profiles = value_in(layer->map, CONFIG_PROFILES);
		m.source = layer->source;
		m.profile = slice_make(NULL, 0);
		merge_keys(&m, layer->map);
		for (size_t k = 0; k < m.active.count; k++) {
			const struct value *own = value_in(profiles, m.active.items[k]);
			m.profile = m.active.items[k];
			if (own != NULL)
				merge_keys(&m, own);
		}
		if (diags->errors > errors)
			return -1;
	}
	return 0;
}

/* ---- checks ---- */

/* Checks a configuration against the table of keys. It checks everything before use, so that a profile
 * for another cluster is correct when it is first needed. */

bool config_fits(struct diags *diags, const struct value *value, struct slice name, unsigned kinds,
                 const char *wanted, unsigned item_kinds, const char *wanted_items)
{
	const struct value *wrong = (kinds >> value->kind & 1) != 0 ? NULL : value;
	for (size_t i = 0; wrong == NULL && i < value->items.count; i++) {
		if ((item_kinds >> value->items.items[i]->kind & 1) == 0)
			wrong = value->items.items[i];
	}
	if (wrong != NULL)
		diag_add(diags, DIAG_CONFIG_VALUE, wrong->where, "'%.*s' requires %s, not %s",
		         SLICE_ARG(name), wrong == value ? wanted : wanted_items,
		         value_kind_name(wrong->kind));
	return wrong == NULL;
}

enum {
	NOTHING = 1 << VALUE_NULL,
	TEXT = 1 << VALUE_TEXT,
	LIST = 1 << VALUE_LIST,
	MAP = 1 << VALUE_MAP,
	SCALAR = CONFIG_SET_SCALAR,
};

/* What values of the shapes that are not maps must be. */
static const struct {
	unsigned kinds, item_kinds;
	const char *wanted, *wanted_items;
} shape_rules[] = {
        [CONFIG_TEXT] = {TEXT, 0, "a text", NULL},
        [CONFIG_COUNT] = {1 << VALUE_INT, 0, "a whole number", NULL},
        [CONFIG_FLAG] = {1 << VALUE_BOOL, 0, "true or false", NULL},
        [CONFIG_ANY] = {TEXT | LIST | MAP, NOTHING | SCALAR | LIST | MAP, "a list or a map", NULL},
        [CONFIG_WORDS] = {TEXT | LIST, SCALAR, "a list of words, or a text", "words in its list"},
        [CONFIG_NAMES] = {TEXT | LIST, TEXT, "a list of names, or a text", "names in its list"},
        [CONFIG_LINES] = {TEXT | LIST, TEXT, "a list of lines, or a text", "lines in its list"},
};

static void check_entry(struct diags *diags, enum config_shape shape,
                        const struct value_entry *entry)
{
	const char *problem = shape != CONFIG_VARIABLES ? NULL
	                      : !bash_is_name(entry->name)
	                              ? "is not a variable name: use letters, digits and '_'"
	                      : bash_is_read_only(entry->name) ? "is read-only in bash"
	                      : bash_is_own(entry->name)       ? "is reserved by the run script"
	                                                       : NULL;
	if (problem != NULL)
		diag_add(diags, DIAG_CONFIG_VALUE, entry->where, "'%.*s' %s",
		         SLICE_ARG(entry->name), problem);
	else if (shape == CONFIG_VARIABLES)
		(void)config_fits(diags, entry->value, entry->name, NOTHING | SCALAR,
		                  "a text or a number", 0, NULL);
	else if (shape == CONFIG_OPTIONS)
		build_option_check(diags, entry);
	else if (shape == CONFIG_SETTINGS)
		(void)config_fits(diags, entry->value, entry->name, NOTHING | SCALAR | LIST,
		                  "a text, a number or a list", SCALAR,
		                  "a list of texts or numbers");
}

static void check_value(struct diags *diags, const struct config_key *key,
                        const struct value_entry *entry)
{
	const struct value *value = entry->value;
	enum config_shape shape = key->shape;
	if (config_shape_is_map(shape)) {
		if (!config_fits(diags, value, entry->name, NOTHING | MAP, "a map", 0, NULL))
			diag_hint(diags, DIAG_CONFIG_VALUE,
			          "write 'NAME: VALUE' lines below '%.*s:'",
			          SLICE_ARG(entry->name));
		for (size_t i = 0; i < value->entries.count; i++)
			check_entry(diags, shape, &value->entries.items[i]);
		return;
	}
	if (!config_fits(diags, value, entry->name, NOTHING | shape_rules[shape].kinds,
	                 shape_rules[shape].wanted, shape_rules[shape].item_kinds,
	                 shape_rules[shape].wanted_items) ||
	    value->kind == VALUE_NULL)
		return;
	if (shape == CONFIG_TEXT && slice_trim(value->text).len == 0)
		diag_add(diags, DIAG_CONFIG_VALUE, value->where, "'%.*s' is empty",
		         SLICE_ARG(entry->name));
	else if (shape == CONFIG_COUNT && /* at most seven digits, as in the option */
	         (!ascii_is_digit(value->text.ptr[0]) || value->text.len >= 8 ||
	          value->text.ptr[0] == '0'))
		diag_add(diags, DIAG_CONFIG_VALUE, value->where,
		         "'%.*s' requires a number of processes, not '%.*s'",
		         SLICE_ARG(entry->name), SLICE_ARG(value->text));
}

static void unknown_key(struct diags *diags, const struct value_entry *entry, struct slice own)
{
	struct slice names[KEY_COUNT + 1] = {[KEY_COUNT] = own};
	for (size_t i = 0; i < KEY_COUNT; i++)
		names[i] = slice_from(config_keys[i].name);
	struct slice near = suggest(entry->name, names, KEY_COUNT + 1);
	for (size_t i = 0; near.len == 0 && i < KEY_COUNT; i++) {
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
	vec_each(const struct value_entry, entry, &map->entries) {
		const struct config_key *key = config_key_find(entry->name);
		if (key != NULL)
			check_value(diags, key, entry);
		else if (!slice_eq(entry->name, own))
			unknown_key(diags, entry, own);
		else if (!is_profile)
			check_profiles(diags, entry);
		else
			(void)config_fits(diags, entry->value, entry->name, NOTHING | TEXT | LIST,
			                  "a profile's name, or a list of them", TEXT,
			                  "names in its list");
	}
}

static void check_profiles(struct diags *diags, const struct value_entry *entry)
{
	const struct value *profiles = entry->value;
	(void)config_fits(diags, profiles, entry->name, NOTHING | MAP, "a map of profiles", 0,
	                  NULL);
	if (profiles->entries.count > CONFIG_MAX_ENTRIES)
		diag_add(diags, DIAG_CONFIG_VALUE, entry->where, "more than %d profiles",
		         CONFIG_MAX_ENTRIES);
	vec_each(const struct value_entry, profile, &profiles->entries) {
		if (config_fits(diags, profile->value, profile->name, NOTHING | MAP,
		                "a map of keys", 0, NULL))
			check_keys(diags, profile->value, true);
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

/* ---- printing ---- */

/* Adds any value on one line. Texts are quoted, because a plain `no` is not a text. */
static void add_value(struct strbuf *out, const struct value *value)
{
	bool is_map = value->kind == VALUE_MAP;
	size_t count = is_map ? value->entries.count : value->items.count;
	if (value->kind == VALUE_TEXT) {
		json_quote(out, value->text);
		return;
	}
	if (value_is_scalar(value)) {
		strbuf_add(out, value->kind == VALUE_NULL ? SLICE("~") : value->text);
		return;
	}
	strbuf_addc(out, is_map ? '{' : '[');
	for (size_t i = 0; i < count; i++) {
		strbuf_puts(out, i > 0 ? ", " : "");
		if (is_map) {
			json_quote(out, value->entries.items[i].name);
			strbuf_puts(out, ": ");
		}
		add_value(out, is_map ? value->entries.items[i].value : value->items.items[i]);
	}
	strbuf_addc(out, is_map ? '}' : ']');
}

void config_print(struct strbuf *out, const struct config *config, struct slice notebook)
{
	for (size_t i = 0; i < KEY_COUNT; i++) {
		const struct config_key *key = &config_keys[i];
		const void *field = (const char *)config + key->offset;
		const struct config_value *value = field;
		const config_pair_list *pairs = field;
		bool is_map = config_shape_is_map(key->shape);
		bool is_list = key->shape == CONFIG_NAMES || key->shape == CONFIG_LINES;
		size_t count = is_map    ? pairs->count
		               : is_list ? config_items(value).count
		                         : value->value != NULL;
		if (count > 0)
			strbuf_printf(out, "%s:%s", key->name, is_map || is_list ? "\n" : " ");
		else if (key->initial != NULL)
			strbuf_printf(out, "%s: %s  # built in\n", key->name, key->initial);
		for (size_t k = 0; k < count; k++) {
			const struct config_value *whole = is_map ? &pairs->items[k].value : value;
			const struct value *one =
			        is_list ? whole->value->items.items[k] : whole->value;
			strbuf_puts(out, is_list ? "  - " : is_map ? "  " : "");
			if (is_map) {
				json_quote(out, pairs->items[k].name);
				strbuf_puts(out, ": ");
			}
			add_value(out, one);
			bool is_notebooks = whole->source == CONFIG_NOTEBOOK;
			strbuf_puts(out, "  # ");
			if (whole->source == CONFIG_COMMAND_LINE) {
				strbuf_puts(out, "command line");
			} else {
				comment_inline(out, is_notebooks ? notebook : one->where.file);
				strbuf_printf(out, ":%u%s", one->where.line,
				              is_notebooks ? ", notebook metadata" : "");
			}
			if (whole->profile.len > 0) {
				strbuf_puts(out, ", profile ");
				comment_inline(out, whole->profile);
			}
			strbuf_addc(out, '\n');
		}
	}
}
