/* The JSON schema (draft-07) of nbscorep.yaml, from the tables that its reader has. */
#include "base/json_writer.h"
#include "cli/cli.h"
#include "settings/config.h"
#include "settings/settings.h"

/* Members of the schema of a key, by its shape. CONFIG_OPTIONS is put together of the options. */
static const char *const shapes[] = {
        [CONFIG_TEXT] = "'type': ['string', 'null'], 'pattern': '\\S'", /* not empty */
        [CONFIG_COUNT] = "'type': ['integer', 'null'], 'minimum': 1, 'maximum': 9999999",
        [CONFIG_FLAG] = "'type': ['boolean', 'null']",
        [CONFIG_ANY] =
                "'type': ['array', 'object', 'null'], 'minItems': 1, 'items': {'type': ['object']},"
                "'minProperties': 1, 'properties': {"
                "'list': {'type': ['array'], 'minItems': 1, 'items': {'type': ['object']}},"
                "'zip': {'type': ['object'], 'minProperties': 1,"
                "        'additionalProperties': {'type': ['array'], 'minItems': 1}},"
                "'grid': {'type': ['object'], 'minProperties': 1,"
                "         'additionalProperties': {'type': ['array'], 'minItems': 1}},"
                "'limit': {'type': ['integer'], 'minimum': 1, 'maximum': 999999}},"
                "'additionalProperties': false",
        [CONFIG_WORDS] = "'type': ['array', 'string', 'null'],"
                         "'items': {'type': ['string', 'number', 'boolean']}",
        [CONFIG_NAMES] = "'type': ['array', 'string', 'null'], 'items': {'type': ['string']}",
        [CONFIG_LINES] = "'type': ['array', 'string', 'null'], 'items': {'type': ['string']}",
        [CONFIG_VARIABLES] =
                "'type': ['object', 'null'], 'propertyNames': {'pattern': "
                "'^[A-Za-z_][A-Za-z0-9_]*$'},"
                "'additionalProperties': {'type': ['string', 'number', 'boolean', 'null']}",
        [CONFIG_SETTINGS] = "'type': ['object', 'null'],"
                            "'additionalProperties': {'type': ['string', 'number', 'boolean', "
                            "'array', 'null']}",
        [CONFIG_VALUES] = "'type': ['object', 'null']",
};

static void add_options(struct json_writer *json)
{
	json_put(json, "'type': ['object', 'null'], 'properties': {");
	for (size_t i = 0; i < option_row_count; i++) {
		const struct option_row *row = &option_rows[i];
		enum setting_type type = row->type;
		if (row->build_text == BUILD_TEXT_NONE)
			continue;
		json_put(json, "?: {'description': ?", J(row->name), J(row->help));
		if (type == SETTING_CHOICE) {
			struct slice rest = slice_from(row->argument), word;
			json_put(json, "'enum': [");
			while (slice_next_part(&rest, '|', &word))
				json_put(json, "?", J(word));
			json_put(json, "null]");
		} else if (type == SETTING_LIST)
			json_put(json, "'type': ['string', 'number', 'boolean', 'array', 'null'],"
			               "'items': {'type': ['string', 'number', 'boolean']}");
		else if (type == SETTING_TEXT || type == SETTING_SECONDS)
			json_put(json, "'type': ['string', 'number', 'boolean', 'null']");
		else
			json_put(json, "'type': ['boolean', 'null']");
		json_put(json, "}");
	}
	json_put(json, "}, 'additionalProperties': false");
}

static void add_keys(struct json_writer *json)
{
	for (size_t i = 0; i < config_key_count; i++) {
		const struct config_key *key = &config_keys[i];
		json_put(json, "?: {'description': ?", J(key->name), J(key->doc));
		if (key->shape == CONFIG_OPTIONS)
			add_options(json);
		else
			json_put(json, shapes[key->shape]);
		json_put(json, "}");
	}
}

int command_schema(struct arena *arena, struct options *options)
{
	if (options->operands.count > 0)
		return message_usage(arena, "'schema' takes no operand");
	struct strbuf out = {.arena = arena};
	struct json_writer json = {.out = &out};
	json_put(&json, "{'$schema': 'http://json-schema.org/draft-07/schema#',"
	                "'title': 'nbscorep.yaml', 'type': ['object', 'null'], 'properties': {");
	add_keys(&json);
	json_put(&json,
	         "'profiles': {'description': ?, 'type': ['object', 'null'],"
	         "'additionalProperties': {'type': ['object', 'null'], 'properties': {"
	         "'inherits': {'description': ?, 'type': ['string', 'array', 'null'],"
	         "'items': {'type': ['string']}}",
	         J(CONFIG_PROFILES_DOC), J(CONFIG_INHERITS_DOC));
	add_keys(&json);
	json_put(&json, "}, 'additionalProperties': false}}}, 'additionalProperties': false}");
	strbuf_addc(&out, '\n');
	return message_print(arena, strbuf_slice(&out));
}
