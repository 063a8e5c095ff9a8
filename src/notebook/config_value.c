/* Converts metadata.nbscorep, which is configuration, to a value. */
#include "notebook/config_value.h"

#include <stdlib.h>

#include "notebook/convert.h"
#include "notebook/notebook.h"

enum { MAX_DEPTH = 64 };

struct maker {
	struct arena *arena;
	struct diags *diags;
	struct location where; /* of all values: only the line of metadata.nbscorep is known */
};

static const struct value *make(struct maker *m, const json_t *json, unsigned depth);

static int refuse(struct maker *m, const char *problem)
{
	diag_add(m->diags, DIAG_CONFIG_SYNTAX, m->where, "metadata.nbscorep: %s", problem);
	return -1;
}

static struct slice copy(struct maker *m, const char *text, size_t len)
{
	return arena_dup(m->arena, slice_make(text, len));
}

static int fill_list(struct maker *m, const json_t *json, unsigned depth, struct value *out)
{
	out->kind = VALUE_LIST;
	for (size_t i = 0; i < json_array_size(json); i++) {
		const struct value *item = make(m, json_array_get(json, i), depth + 1);
		if (item == NULL)
			return -1;
		/* NOLINTNEXTLINE(bugprone-sizeof-expression): a list of pointers */
		vec_push(m->arena, &out->items, item);
	}
	return 0;
}

static int fill_map(struct maker *m, json_t *json, unsigned depth, struct value *out)
{
	out->kind = VALUE_MAP;
	for (void *at = json_object_iter(json); at != NULL; at = json_object_iter_next(json, at)) {
		const char *name = json_object_iter_key(at);
		const struct value *value = make(m, json_object_iter_value(at), depth + 1);
		if (value == NULL)
			return -1;
		struct value_entry entry = {copy(m, name, strlen(name)), m->where, value};
		vec_push(m->arena, &out->entries, entry);
	}
	return 0;
}

static int fill_text(struct maker *m, const json_t *json, struct value *out)
{
	struct slice text = convert_text(json);
	if (slice_find(text, '\0', 0) < text.len)
		return refuse(m, "a text cannot contain a NUL character");
	out->kind = VALUE_TEXT;
	out->text = copy(m, text.ptr, text.len);
	return 0;
}

/* Writes the number with as few digits as keep its value. */
static size_t write_number(const json_t *json, char *text, size_t size)
{
	size_t len = 0;
	for (size_t digits = 15; digits <= 17; digits++) {
		len = json_dumpb(json, text, size - 1,
		                 JSON_ENCODE_ANY | JSON_REAL_PRECISION(digits));
		text[len < size ? len : 0] = '\0';
		if (json_is_integer(json) || strtod(text, NULL) == json_real_value(json))
			break;
	}
	return len;
}

static void fill_number(struct maker *m, const json_t *json, struct value *out)
{
	char text[64];
	size_t len = write_number(json, text, sizeof text);
	if (len == 0 || len >= sizeof text)
		arena_fail(m->arena);
	out->kind = json_is_integer(json) ? VALUE_INT : VALUE_FLOAT;
	out->text = copy(m, text, len);
}

static void fill_bool(const json_t *json, struct value *out)
{
	out->kind = VALUE_BOOL;
	out->boolean = json_is_true(json);
	out->text = out->boolean ? SLICE("true") : SLICE("false");
}

static const struct value *make(struct maker *m, const json_t *json, unsigned depth)
{
	struct value *out = ARENA_NEW(m->arena, struct value);
	int status = 0;
	out->where = m->where;
	if (depth > MAX_DEPTH)
		status = refuse(m, "values nest too deeply");
	else if (json_is_object(json))
		status = fill_map(m, (json_t *)json, depth, out);
	else if (json_is_array(json))
		status = fill_list(m, json, depth, out);
	else if (json_is_string(json))
		status = fill_text(m, json, out);
	else if (json_is_number(json))
		fill_number(m, json, out);
	else if (json_is_boolean(json))
		fill_bool(json, out);
	return status < 0 ? NULL : out;
}

int convert_config(struct conversion *c, const json_t *json)
{
	struct maker m = {
	        .arena = c->arena, .diags = c->diags, .where = {.line = c->skim->config_line}};
	if (json == NULL)
		return 0;
	c->out->config = make(&m, json, 0);
	return c->out->config == NULL ? -1 : 0;
}
