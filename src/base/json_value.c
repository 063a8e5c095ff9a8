#include "base/json_value.h"

#include <jansson.h>

enum { DEPTH_MAX = 64 };

struct maker {
	struct arena *arena;
	struct location where;
	const char *problem; /* NULL until there is one */
};

/* The source of jansson's memory; it passes no context to its allocators. If an allocation fails,
 * jansson 2.14 continues without the bytes of a text, and then reads and writes past its end. So a
 * failure must jump out at once, and jansson's memory is released with the arena. */
static struct arena *tree_arena;

static void *tree_alloc(size_t size)
{
	return arena_alloc(tree_arena, size);
}

static void tree_free(void *memory)
{
	(void)memory;
}

struct usual_memory {
	json_malloc_t take;
	json_free_t give;
};

static void restore_memory(void *data)
{
	const struct usual_memory *usual = data;
	json_set_alloc_funcs(usual->take, usual->give);
	tree_arena = NULL;
}

/* Writes the number with as few digits as keep its value. */
static struct slice number_text(struct arena *arena, const json_t *json)
{
	char text[64];
	size_t len = 0;
	for (size_t digits = 15; digits <= 17; digits++) {
		len = json_dumpb(json, text, sizeof text - 1,
		                 JSON_ENCODE_ANY | JSON_REAL_PRECISION(digits));
		text[len < sizeof text ? len : 0] = '\0';
		if (json_is_integer(json) || strtod(text, NULL) == json_real_value(json))
			break;
	}
	return arena_dup(arena, slice_from(text));
}

static const struct value *make_value(struct maker *m, json_t *json, unsigned depth)
{
	struct value *out = ARENA_NEW(m->arena, struct value);
	out->where = m->where;
	if (depth > DEPTH_MAX)
		m->problem = "values nest too deeply";
	if (json_is_object(json)) {
		out->kind = VALUE_MAP;
		for (void *at = json_object_iter(json); at != NULL && m->problem == NULL;
		     at = json_object_iter_next(json, at)) {
			struct slice name = slice_from(json_object_iter_key(at));
			struct value_entry entry = {
			        arena_dup(m->arena, name), m->where,
			        make_value(m, json_object_iter_value(at), depth + 1)};
			vec_push(m->arena, &out->entries, entry);
		}
	} else if (json_is_array(json)) {
		out->kind = VALUE_LIST;
		for (size_t i = 0; i < json_array_size(json) && m->problem == NULL; i++) {
			const struct value *item =
			        make_value(m, json_array_get(json, i), depth + 1);
			vec_push(m->arena, &out->items, item);
		}
	} else if (json_is_string(json)) {
		out->kind = VALUE_TEXT;
		out->text = arena_dup(
		        m->arena, slice_make(json_string_value(json), json_string_length(json)));
	} else if (json_is_number(json)) {
		out->kind = json_is_integer(json) ? VALUE_INT : VALUE_FLOAT;
		out->text = number_text(m->arena, json);
	} else if (json_is_boolean(json)) {
		out->kind = VALUE_BOOL;
		out->boolean = json_is_true(json);
		out->text = out->boolean ? SLICE("true") : SLICE("false");
	}
	return out;
}

const struct value *json_value_read(struct arena *arena, struct slice text, unsigned rules,
                                    struct location *where, const char **problem)
{
	struct arena scratch;
	struct usual_memory usual;
	struct arena_guard guard;
	json_error_t error;
	struct maker maker = {.arena = arena, .where = *where};
	const struct value *value = NULL;
	size_t flags = JSON_DECODE_ANY | ((rules & JSON_VALUE_NUL) != 0 ? JSON_ALLOW_NUL : 0) |
	               ((rules & JSON_VALUE_UNIQUE) != 0 ? JSON_REJECT_DUPLICATES : 0);
	arena_init_inner(&scratch, arena);
	json_get_alloc_funcs(&usual.take, &usual.give);
	arena_guard(arena, &guard, restore_memory, &usual);
	json_set_alloc_funcs(tree_alloc, tree_free);
	tree_arena = &scratch;
	json_t *json = json_loadb(text.ptr, text.len, flags, &error);
	if (json != NULL)
		value = make_value(&maker, json, 0);
	else if (json_error_code(&error) == json_error_null_character)
		maker.problem = "a text cannot contain a NUL character";
	else
		maker.problem = arena_cstr(arena, slice_from(error.text));
	if (json == NULL && error.line > 0)
		where->line += (unsigned)error.line - 1;
	arena_unguard(arena);
	arena_unguard(arena);
	*problem = maker.problem;
	return maker.problem == NULL ? value : NULL;
}
