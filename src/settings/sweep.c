#include "settings/sweep.h"

#include "base/name_set.h"

enum { LIMIT_MAX = 999999 };

struct reader {
	struct arena *arena;
	struct diags *diags;
	struct name_set names; /* of the parameters so far */
	struct sweep *out;
	size_t values; /* in all sets */
};

/* Reports that VALUE is not WANTED. */
static int refuse(struct reader *reader, const struct value *value, const char *what,
                  const char *wanted)
{
	return diag_add(reader->diags, DIAG_CONFIG_VALUE, value->where, "%s requires %s, not %s",
	                what, wanted, value_kind_name(value->kind));
}

static int refuse_empty(struct reader *reader, const struct value *value, const char *what)
{
	return diag_add(reader->diags, DIAG_CONFIG_VALUE, value->where,
	                "%s is empty: nothing would run", what);
}

static void add_values(struct reader *reader, struct sweep_set *set, const struct sweep_set *more)
{
	for (size_t i = 0; i < more->values.count; i++)
		vec_push(reader->arena, &set->values, more->values.items[i]);
}

/* Combines every set so far with every set of FACTOR. */
static int combine(struct reader *reader, const struct value *where, const sweep_set_list *factor)
{
	sweep_set_list all = {0};
	size_t before = reader->out->sets.count, values = reader->values * factor->count;
	for (size_t k = 0; k < factor->count; k++)
		values += before * factor->items[k].values.count;
	bool has_too_many = before * factor->count > SWEEP_MAX_SETS;
	if (has_too_many || values > SWEEP_MAX_VALUES)
		return diag_add(reader->diags, DIAG_CONFIG_VALUE, where->where,
		                "the sweep has more than %d %s",
		                has_too_many ? SWEEP_MAX_SETS : SWEEP_MAX_VALUES,
		                has_too_many ? "sets" : "values in its sets");
	reader->values = values;
	/* Without this, many parameters of one value each would make as many copies of all sets. */
	for (size_t i = 0; factor->count == 1 && i < before; i++)
		add_values(reader, &reader->out->sets.items[i], &factor->items[0]);
	if (factor->count == 1)
		return 0;
	for (size_t i = 0; i < before; i++) {
		for (size_t k = 0; k < factor->count; k++) {
			struct sweep_set set = {0};
			add_values(reader, &set, &reader->out->sets.items[i]);
			add_values(reader, &set, &factor->items[k]);
			vec_push(reader->arena, &all, set);
		}
	}
	reader->out->sets = all;
	return 0;
}

/* A parameter may be in only one part of the sweep. */
static int take_name(struct reader *reader, const struct value_entry *entry)
{
	size_t known = reader->names.names.count;
	if (name_set_add(&reader->names, entry->name) == known)
		return 0;
	return diag_add(reader->diags, DIAG_CONFIG_VALUE, entry->where,
	                "the sweep already has values for '%.*s'", SLICE_ARG(entry->name));
}

static int read_sets(struct reader *reader, const struct value *list)
{
	sweep_set_list factor = {0};
	struct name_set own = {.arena = reader->arena};
	if (list->kind != VALUE_LIST)
		return refuse(reader, list, "'list'", "a list of maps, one for each run");
	if (list->items.count == 0)
		return refuse_empty(reader, list, "'list'");
	for (size_t i = 0; i < list->items.count; i++) {
		const struct value *item = list->items.items[i];
		struct sweep_set set = {0};
		if (item->kind != VALUE_MAP)
			return refuse(reader, item, "a set", "a map of parameters");
		vec_each(const struct value_entry, entry, &item->entries) {
			if (!name_set_has(&own, entry->name) && take_name(reader, entry) < 0)
				return -1;
			name_set_add(&own, entry->name);
			vec_push(reader->arena, &set.values, *entry);
		}
		vec_push(reader->arena, &factor, set);
	}
	return combine(reader, list, &factor);
}

/* Combines the COUNT parameters from ENTRY on, which have lists of the same length. */
static int read_zip(struct reader *reader, const struct value *where,
                    const struct value_entry *entry, size_t count)
{
	sweep_set_list factor = {0};
	for (size_t i = 0; i < count; i++) {
		const struct value *values = entry[i].value;
		const char *what =
		        arena_printf(reader->arena, "'%.*s'", SLICE_ARG(entry[i].name)).ptr;
		if (values->kind != VALUE_LIST)
			return refuse(reader, values, what, "a list of values");
		if (values->items.count == 0)
			return refuse_empty(reader, values, what);
		if (take_name(reader, &entry[i]) < 0)
			return -1;
		if (i > 0 && values->items.count != factor.count)
			return diag_add(reader->diags, DIAG_CONFIG_VALUE, values->where,
			                "%s has %zu values, but '%.*s' has %zu; a zip requires "
			                "lists of the same length",
			                what, values->items.count, SLICE_ARG(entry->name),
			                factor.count);
		for (size_t k = 0; k < values->items.count; k++) {
			struct value_entry one = {entry[i].name, entry[i].where,
			                          values->items.items[k]};
			if (i == 0)
				vec_push(reader->arena, &factor, (struct sweep_set){0});
			vec_push(reader->arena, &factor.items[k].values, one);
		}
	}
	return combine(reader, where, &factor);
}

static int read_limit(struct reader *reader, const struct value *value)
{
	struct slice text = value->text;
	if (value->kind != VALUE_INT)
		return refuse(reader, value, "'limit'", "a whole number");
	uint64_t number;
	if (!slice_read_number(text, LIMIT_MAX, &number) || text.ptr[0] == '0')
		return diag_add(reader->diags, DIAG_CONFIG_VALUE, value->where,
		                "'limit' requires a number of runs, at least 1, not '%.*s'",
		                SLICE_ARG(text));
	reader->out->limit = text;
	return 0;
}

static const struct slice parts[] = {
        SLICE_INIT("list"),
        SLICE_INIT("zip"),
        SLICE_INIT("grid"),
        SLICE_INIT("limit"),
};
enum { PART_LIST, PART_ZIP, PART_GRID, PART_LIMIT, PART_COUNT };

int sweep_read(struct arena *arena, const struct value *written, struct diags *diags,
               struct sweep *out)
{
	struct reader reader = {.arena = arena, .diags = diags, .out = out, .names.arena = arena};
	*out = (struct sweep){0};
	vec_push(arena, &out->sets, (struct sweep_set){0});
	if (written->kind == VALUE_LIST)
		return read_sets(&reader, written);
	if (written->kind != VALUE_MAP)
		return refuse(&reader, written, "a sweep", "a map with list, zip or grid");
	bool any = false;
	vec_each(const struct value_entry, entry, &written->entries) {
		if (slice_is_one_of(entry->name, parts, PART_COUNT))
			continue;
		diag_add(reader.diags, DIAG_CONFIG_KEY, entry->where,
		         "a sweep has only list, zip, grid and limit, not '%.*s'",
		         SLICE_ARG(entry->name));
		(void)diag_suggest(reader.diags, DIAG_CONFIG_KEY, entry->name, parts, PART_COUNT);
		return -1;
	}
	for (size_t part = 0; part < PART_COUNT; part++) {
		const struct value_entry *entry = value_find(written, parts[part]);
		if (entry == NULL)
			continue;
		const struct value *value = entry->value;
		const char *name = part == PART_ZIP ? "'zip'" : "'grid'";
		int status = 0;
		if (part == PART_LIMIT)
			status = read_limit(&reader, value);
		else if (part == PART_LIST)
			status = read_sets(&reader, value);
		else if (value->kind != VALUE_MAP)
			status = refuse(&reader, value, name,
			                "a map from parameters to lists of values");
		else if (value->entries.count == 0)
			status = refuse_empty(&reader, value, name);
		else if (part == PART_ZIP)
			status = read_zip(&reader, value, value->entries.items,
			                  value->entries.count);
		for (size_t i = 0; part == PART_GRID && status == 0 && i < value->entries.count;
		     i++)
			status = read_zip(&reader, value->entries.items[i].value,
			                  &value->entries.items[i], 1);
		if (status < 0)
			return -1;
		any |= part != PART_LIMIT;
	}
	return any ? 0 : refuse_empty(&reader, written, "the sweep");
}
