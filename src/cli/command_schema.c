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

static void add_description(struct json_writer *json, const char *text)
{
	json_put_key(json, "description");
	json_put_string(json, slice_from(text));
}

static void add_options(struct json_writer *json)
{
	size_t count;
	const struct option_row *rows = build_option_rows(&count);
	json_put_source(json, "'type': ['object', 'null'], 'properties': {");
	for (size_t i = 0; i < count; i++) {
		enum setting_type type = rows[i].type;
		json_put_key(json, rows[i].name);
		json_put_source(json, "{");
		add_description(json, rows[i].help);
		if (type == SETTING_CHOICE) {
			struct slice rest = slice_from(rows[i].argument), word;
			json_put_source(json, "'enum': [");
			while (slice_next_part(&rest, '|', &word))
				json_put_string(json, word);
			json_put_source(json, "null]");
		} else if (type == SETTING_LIST)
			json_put_source(json,
			                "'type': ['string', 'number', 'boolean', 'array', 'null'],"
			                "'items': {'type': ['string', 'number', 'boolean']}");
		else if (type == SETTING_TEXT || type == SETTING_SECONDS)
			json_put_source(json, "'type': ['string', 'number', 'boolean', 'null']");
		else
			json_put_source(json, "'type': ['boolean', 'null']");
		json_put_source(json, "}");
	}
	json_put_source(json, "}, 'additionalProperties': false");
}

static void add_keys(struct json_writer *json)
{
	size_t count;
	const struct config_key *keys = config_keys(&count);
	for (size_t i = 0; i < count; i++) {
		json_put_key(json, keys[i].name);
		json_put_source(json, "{");
		add_description(json, keys[i].doc);
		if (keys[i].shape == CONFIG_OPTIONS)
			add_options(json);
		else
			json_put_source(json, shapes[keys[i].shape]);
		json_put_source(json, "}");
	}
}

int command_schema(struct invocation *invocation)
{
	if (invocation->options->operands.count > 0)
		return message_usage(invocation->arena, "'schema' takes no operand");
	struct strbuf out = {.arena = invocation->arena};
	struct json_writer json = {.out = &out};
	json_put_source(&json,
	                "{'$schema': 'http://json-schema.org/draft-07/schema#',"
	                "'title': 'nbscorep.yaml', 'type': ['object', 'null'], 'properties': {");
	add_keys(&json);
	json_put_source(&json, "'profiles': {");
	add_description(&json, CONFIG_PROFILES_DOC);
	json_put_source(&json,
	                "'type': ['object', 'null'],"
	                "'additionalProperties': {'type': ['object', 'null'], 'properties': {"
	                "'inherits': {");
	add_description(&json, CONFIG_INHERITS_DOC);
	json_put_source(&json,
	                "'type': ['string', 'array', 'null'], 'items': {'type': ['string']}}");
	add_keys(&json);
	json_put_source(&json,
	                "}, 'additionalProperties': false}}}, 'additionalProperties': false}");
	strbuf_addc(&out, '\n');
	return message_print(invocation->arena, strbuf_slice(&out));
}
