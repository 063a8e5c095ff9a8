#include "settings/yaml_writer.h"

#include <yaml.h>

struct yaml_writer {
	yaml_parser_t parser;
	yaml_emitter_t emitter;
	struct strbuf *out;
};

static int append(void *out, unsigned char *bytes, size_t size)
{
	strbuf_add(out, slice_make((const char *)bytes, size));
	return 1;
}

/* Copies the next value, or a start or end outside of it, and all that a map or list contains. Returns false at the
 * end of a map, of a list and of all. */
static bool copy_event(struct yaml_writer *yaml, bool is_key)
{
	yaml_event_t event;
	if (!yaml_parser_parse(&yaml->parser, &event))
		arena_fail(yaml->out->arena);
	bool is_map = event.type == YAML_MAPPING_START_EVENT,
	     is_list = event.type == YAML_SEQUENCE_START_EVENT,
	     ends = event.type == YAML_MAPPING_END_EVENT || event.type == YAML_SEQUENCE_END_EVENT ||
	            event.type == YAML_STREAM_END_EVENT;
	if (is_map)
		event.data.mapping_start.style = YAML_BLOCK_MAPPING_STYLE;
	if (is_list)
		event.data.sequence_start.style = YAML_BLOCK_SEQUENCE_STYLE;
	if (is_key && event.type == YAML_SCALAR_EVENT) {
		event.data.scalar.style = YAML_PLAIN_SCALAR_STYLE;
		event.data.scalar.plain_implicit = 1;
	}
	/* yaml_emitter_emit() takes ownership of the event, even if it fails. */
	if (!yaml_emitter_emit(&yaml->emitter, &event))
		arena_fail(yaml->out->arena);
	bool key = is_map;
	while ((is_map || is_list) && copy_event(yaml, key))
		key = is_map && !key;
	return !ends;
}

static void delete_both(void *data)
{
	struct yaml_writer *yaml = data;
	yaml_emitter_delete(&yaml->emitter);
	yaml_parser_delete(&yaml->parser);
}

void yaml_write_json(struct strbuf *out, struct slice json)
{
	/* libyaml escapes either everything that is not ASCII, or only what YAML cannot print. The latter does not
	 * include direction marks, which JSON has escaped. */
	bool ascii = slice_find_slice(json, SLICE("\\u"), 0) < json.len;
	struct yaml_writer yaml = {.out = out};
	struct arena_guard guard;
	arena_guard(out->arena, &guard, delete_both, &yaml);
	if (!yaml_emitter_initialize(&yaml.emitter) || !yaml_parser_initialize(&yaml.parser))
		arena_fail(out->arena);
	yaml_parser_set_input_string(&yaml.parser, (const unsigned char *)json.ptr, json.len);
	yaml_emitter_set_output(&yaml.emitter, append, out);
	yaml_emitter_set_unicode(&yaml.emitter, !ascii);
	yaml_emitter_set_width(&yaml.emitter, -1);
	while (copy_event(&yaml, false))
		;
	arena_unguard(out->arena);
}
