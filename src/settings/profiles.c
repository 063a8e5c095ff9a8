#include "settings/profiles.h"

#include "base/strbuf.h"
#include "base/suggest.h"
#include "settings/keys.h"

/* The maximum depth of inheritance, which limits the recursion. */
enum { MAX_DEPTH = 100 };

struct finder {
	struct arena *arena;
	struct diags *diags;
	const config_layer_list *layers;
	config_names *out;
	config_names open; /* profiles whose inherited profiles are being searched */
};

const struct value *config_profile_of(const struct config_layer *layer, struct slice name)
{
	if (layer->map->kind != VALUE_MAP)
		return NULL;
	const struct value_entry *profiles = value_find(layer->map, CONFIG_PROFILES);
	if (profiles == NULL || profiles->value->kind != VALUE_MAP)
		return NULL;
	const struct value_entry *profile = value_find(profiles->value, name);
	return profile == NULL ? NULL : profile->value;
}

static void add_names(struct finder *f, const struct config_layer *layer, config_names *names)
{
	if (layer->map->kind != VALUE_MAP)
		return;
	const struct value_entry *profiles = value_find(layer->map, CONFIG_PROFILES);
	for (size_t i = 0; profiles != NULL && i < profiles->value->entries.count; i++) {
		struct slice name = profiles->value->entries.items[i].name;
		if (!slice_is_one_of(name, names->items, names->count))
			vec_push(f->arena, names, name);
	}
}

static int unknown_profile(struct finder *f, struct slice name, struct location where)
{
	config_names names = {0};
	struct strbuf all;
	strbuf_init(&all, f->arena);
	for (size_t i = 0; i < f->layers->count; i++)
		add_names(f, &f->layers->items[i], &names);
	for (size_t i = 0; i < names.count; i++)
		strbuf_printf(&all, "%s'%.*s'", i > 0 ? ", " : "", SLICE_ARG(names.items[i]));
	struct slice near = suggest(name, names.items, names.count);
	diag_add(f->diags, DIAG_CONFIG_VALUE, where, "unknown profile '%.*s'%s%.*s",
	         SLICE_ARG(name), names.count > 0 ? "; profiles are " : "; no file has profiles",
	         SLICE_ARG(strbuf_slice(&all)));
	if (near.len > 0)
		diag_hint(f->diags, DIAG_CONFIG_VALUE, "did you mean '%.*s'?", SLICE_ARG(near));
	return -1;
}

static int inherits_itself(struct finder *f, struct slice name, struct location where)
{
	struct strbuf way;
	strbuf_init(&way, f->arena);
	size_t first = 0;
	while (first < f->open.count && !slice_eq(f->open.items[first], name))
		first++;
	for (size_t i = first; i < f->open.count; i++)
		strbuf_printf(&way, "%.*s -> ", SLICE_ARG(f->open.items[i]));
	diag_add(f->diags, DIAG_CONFIG_VALUE, where, "the profile inherits from itself: %.*s%.*s",
	         SLICE_ARG(strbuf_slice(&way)), SLICE_ARG(name));
	return -1;
}

static int find(struct finder *f, struct slice name, struct location where);

static int find_inherited(struct finder *f, const struct value *profile)
{
	const struct value_entry *entry =
	        profile->kind == VALUE_MAP ? value_find(profile, CONFIG_INHERITS) : NULL;
	if (entry == NULL)
		return 0;
	const struct value *inherits = entry->value;
	if (inherits->kind == VALUE_TEXT)
		return find(f, inherits->text, inherits->where);
	for (size_t i = 0; i < inherits->items.count; i++) {
		const struct value *item = inherits->items.items[i];
		if (find(f, item->text, item->where) < 0)
			return -1;
	}
	return 0;
}

static int find(struct finder *f, struct slice name, struct location where)
{
	bool known = false;
	if (slice_is_one_of(name, f->open.items, f->open.count) || f->open.count >= MAX_DEPTH)
		return inherits_itself(f, name, where);
	if (slice_is_one_of(name, f->out->items, f->out->count))
		return 0;
	vec_push(f->arena, &f->open, name);
	for (size_t i = 0; i < f->layers->count; i++) {
		const struct value *profile = config_profile_of(&f->layers->items[i], name);
		known |= profile != NULL;
		if (profile != NULL && find_inherited(f, profile) < 0)
			return -1;
	}
	f->open.count--;
	if (!known)
		return unknown_profile(f, name, where);
	vec_push(f->arena, f->out, name);
	return 0;
}

int config_profiles_find(struct arena *arena, struct diags *diags, const config_layer_list *layers,
                         struct slice name, config_names *out)
{
	struct finder f = {.arena = arena, .diags = diags, .layers = layers, .out = out};
	return find(&f, name, (struct location){0});
}
