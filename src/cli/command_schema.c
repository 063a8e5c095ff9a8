/* The JSON schema (draft-07) of nbscorep.yaml, from the tables that its reader has. */
#include "base/json_writer.h"
#include "cli/cli.h"
#include "settings/build_settings.h"
#include "settings/keys.h"

struct schema {
	struct arena *arena;
	struct json_writer json;
};

static void add_text(struct schema *s, const char *key, const char *text)
{
	json_put_key(&s->json, key);
	json_put_string(&s->json, slice_from(text));
}

/* "type": WORDS, which blanks part. */
static void add_types(struct schema *s, const char *words)
{
	struct slice rest = slice_from(words), word;
	json_put_key(&s->json, "type");
	json_begin_array(&s->json);
	while ((word = slice_next_word(&rest)).len > 0)
		json_put_string(&s->json, word);
	json_end_array(&s->json);
}

/* KEY: a schema of TYPES only. */
static void add_inner(struct schema *s, const char *key, const char *types)
{
	json_put_key(&s->json, key);
	json_begin_object(&s->json);
	add_types(s, types);
	json_end_object(&s->json);
}

static void close_object(struct schema *s)
{
	json_put_key(&s->json, "additionalProperties");
	json_put_bool(&s->json, false);
}

static void add_choices(struct schema *s, const char *choices)
{
	struct slice all = slice_from(choices);
	json_put_key(&s->json, "enum");
	json_begin_array(&s->json);
	for (size_t at = 0, end; at <= all.len; at = end + 1) {
		end = slice_find(all, '|', at);
		json_put_string(&s->json, slice_sub(all, at, end));
	}
	json_put_null(&s->json);
	json_end_array(&s->json);
}

static void add_option(struct schema *s, const struct setting_row *row)
{
	json_put_key(&s->json, row->name);
	json_begin_object(&s->json);
	add_text(s, "description", row->help);
	if (row->type == SETTING_CHOICE) {
		add_choices(s, row->argument);
	} else if (row->type == SETTING_LIST) {
		add_types(s, "string number boolean array null");
		add_inner(s, "items", "string number boolean");
	} else if (row->type == SETTING_TEXT || row->type == SETTING_SECONDS) {
		add_types(s, "string number boolean null");
	} else {
		add_types(s, "boolean null");
	}
	json_end_object(&s->json);
}

static void add_options(struct schema *s)
{
	size_t count;
	const struct setting_row *rows = build_option_rows(&count);
	add_types(s, "object null");
	json_put_key(&s->json, "properties");
	json_begin_object(&s->json);
	for (size_t i = 0; i < count; i++)
		add_option(s, &rows[i]);
	json_end_object(&s->json);
	close_object(s);
}

static void add_variables(struct schema *s)
{
	add_types(s, "object null");
	json_put_key(&s->json, "propertyNames");
	json_begin_object(&s->json);
	add_text(s, "pattern", "^[A-Za-z_][A-Za-z0-9_]*$");
	json_end_object(&s->json);
	add_inner(s, "additionalProperties", "string number boolean null");
}

static void add_bound(struct schema *s, const char *key, long long number)
{
	json_put_key(&s->json, key);
	json_put_number(&s->json, number);
}

/* zip and grid */
static void add_lists(struct schema *s, const char *key)
{
	json_put_key(&s->json, key);
	json_begin_object(&s->json);
	add_types(s, "object");
	add_bound(s, "minProperties", 1);
	json_put_key(&s->json, "additionalProperties");
	json_begin_object(&s->json);
	add_types(s, "array");
	add_bound(s, "minItems", 1);
	json_end_object(&s->json);
	json_end_object(&s->json);
}

static void add_sweep_list(struct schema *s)
{
	add_bound(s, "minItems", 1);
	add_inner(s, "items", "object");
}

static void add_sweep(struct schema *s)
{
	add_types(s, "array object null");
	add_sweep_list(s);
	add_bound(s, "minProperties", 1);
	json_put_key(&s->json, "properties");
	json_begin_object(&s->json);
	json_put_key(&s->json, "list");
	json_begin_object(&s->json);
	add_types(s, "array");
	add_sweep_list(s);
	json_end_object(&s->json);
	add_lists(s, "zip");
	add_lists(s, "grid");
	json_put_key(&s->json, "limit");
	json_begin_object(&s->json);
	add_types(s, "integer");
	add_bound(s, "minimum", 1);
	add_bound(s, "maximum", 999999);
	json_end_object(&s->json);
	json_end_object(&s->json);
	close_object(s);
}

static void add_shape(struct schema *s, enum config_shape shape)
{
	switch (shape) {
	case CONFIG_TEXT:
		add_types(s, "string null");
		add_text(s, "pattern", "\\S"); /* not empty */
		break;
	case CONFIG_COUNT:
		add_types(s, "integer null");
		add_bound(s, "minimum", 1);
		add_bound(s, "maximum", 9999999);
		break;
	case CONFIG_FLAG:
		add_types(s, "boolean null");
		break;
	case CONFIG_ANY:
		add_sweep(s);
		break;
	case CONFIG_WORDS:
		add_types(s, "array string null");
		add_inner(s, "items", "string number boolean");
		break;
	case CONFIG_NAMES:
	case CONFIG_LINES:
		add_types(s, "array string null");
		add_inner(s, "items", "string");
		break;
	case CONFIG_VARIABLES:
		add_variables(s);
		break;
	case CONFIG_SETTINGS:
		add_types(s, "object null");
		add_inner(s, "additionalProperties", "string number boolean array null");
		break;
	case CONFIG_VALUES:
		add_types(s, "object null");
		break;
	case CONFIG_OPTIONS:
		add_options(s);
		break;
	}
}

static void add_keys(struct schema *s)
{
	size_t count;
	const struct config_key *keys = config_keys(&count);
	for (size_t i = 0; i < count; i++) {
		json_put_key(&s->json, keys[i].name);
		json_begin_object(&s->json);
		add_text(s, "description", keys[i].doc);
		add_shape(s, keys[i].shape);
		json_end_object(&s->json);
	}
}

static void add_profiles(struct schema *s)
{
	json_put_key(&s->json, "profiles");
	json_begin_object(&s->json);
	add_text(s, "description", CONFIG_PROFILES_DOC);
	add_types(s, "object null");
	json_put_key(&s->json, "additionalProperties");
	json_begin_object(&s->json);
	add_types(s, "object null");
	json_put_key(&s->json, "properties");
	json_begin_object(&s->json);
	json_put_key(&s->json, "inherits");
	json_begin_object(&s->json);
	add_text(s, "description", CONFIG_INHERITS_DOC);
	add_types(s, "string array null");
	add_inner(s, "items", "string");
	json_end_object(&s->json);
	add_keys(s);
	json_end_object(&s->json);
	close_object(s);
	json_end_object(&s->json);
	json_end_object(&s->json);
}

int command_schema(struct invocation *invocation)
{
	struct strbuf out;
	struct schema s = {.arena = invocation->arena};
	if (invocation->options->operands.count > 0)
		return message_usage(invocation->arena, "'schema' takes no operand");
	strbuf_init(&out, invocation->arena);
	json_writer_init(&s.json, &out);
	json_begin_object(&s.json);
	add_text(&s, "$schema", "http://json-schema.org/draft-07/schema#");
	add_text(&s, "title", "nbscorep.yaml");
	add_types(&s, "object null");
	json_put_key(&s.json, "properties");
	json_begin_object(&s.json);
	add_keys(&s);
	add_profiles(&s);
	json_end_object(&s.json);
	close_object(&s);
	json_end_object(&s.json);
	strbuf_addc(&out, '\n');
	return message_print(invocation->arena, strbuf_slice(&out));
}
