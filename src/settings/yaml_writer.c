#include "settings/yaml_writer.h"

#include <stdio.h>
#include <yaml.h>

#include "base/utf8.h"

struct yaml_writer {
	yaml_emitter_t emitter;
	struct strbuf *out;
};

static int append(void *data, unsigned char *bytes, size_t size)
{
	struct yaml_writer *yaml = data;
	strbuf_add(yaml->out, slice_make((const char *)bytes, size));
	return 1;
}

static void emit_event(struct yaml_writer *yaml, int made, yaml_event_t *event)
{
	/* yaml_emitter_emit() takes ownership of the event, even if it fails. */
	if (!made || !yaml_emitter_emit(&yaml->emitter, event))
		arena_fail(yaml->out->arena);
}

static void write_document(struct strbuf *out, void (*body)(struct yaml_writer *, void *),
                           void *data, bool ascii)
{
	struct yaml_writer yaml = {.out = out};
	yaml_event_t event;
	if (!yaml_emitter_initialize(&yaml.emitter))
		arena_fail(out->arena);
	jmp_buf failed;
	jmp_buf *outer = arena_set_handler(out->arena, &failed);
	if (setjmp(failed) != 0) {
		arena_set_handler(out->arena, outer);
		yaml_emitter_delete(&yaml.emitter);
		arena_fail(out->arena);
	}
	yaml_emitter_set_output(&yaml.emitter, append, &yaml);
	yaml_emitter_set_unicode(&yaml.emitter, !ascii);
	yaml_emitter_set_width(&yaml.emitter, -1);
	emit_event(&yaml, yaml_stream_start_event_initialize(&event, YAML_UTF8_ENCODING), &event);
	emit_event(&yaml, yaml_document_start_event_initialize(&event, NULL, NULL, NULL, 1),
	           &event);
	body(&yaml, data);
	emit_event(&yaml, yaml_document_end_event_initialize(&event, 1), &event);
	emit_event(&yaml, yaml_stream_end_event_initialize(&event), &event);
	arena_set_handler(out->arena, outer);
	yaml_emitter_delete(&yaml.emitter);
}

/* True if a terminal would act on TEXT. */
static bool acts(struct slice text)
{
	for (size_t at = 0, len; at < text.len; at += len) {
		int32_t c = utf8_decode(slice_sub(text, at, text.len), &len);
		if (c != '\n' && utf8_acts(c))
			return true;
	}
	return false;
}

void yaml_write_document(struct strbuf *out, void (*body)(struct yaml_writer *yaml, void *data),
                         void *data)
{
	size_t begin = out->len;
	write_document(out, body, data, false);
	/* libyaml escapes either everything that is not ASCII, or only what YAML cannot print. The
	 * latter does not include direction marks. */
	if (!acts(slice_sub(strbuf_slice(out), begin, out->len)))
		return;
	out->len = begin;
	write_document(out, body, data, true);
}

void yaml_begin(struct yaml_writer *yaml, char bracket)
{
	yaml_event_t event;
	int made = bracket == '{' ? yaml_mapping_start_event_initialize(&event, NULL, NULL, 1,
	                                                                YAML_BLOCK_MAPPING_STYLE)
	                          : yaml_sequence_start_event_initialize(&event, NULL, NULL, 1,
	                                                                 YAML_BLOCK_SEQUENCE_STYLE);
	emit_event(yaml, made, &event);
}

void yaml_end(struct yaml_writer *yaml, char bracket)
{
	yaml_event_t event;
	int made = bracket == '}' ? yaml_mapping_end_event_initialize(&event)
	                          : yaml_sequence_end_event_initialize(&event);
	emit_event(yaml, made, &event);
}

static void add_scalar(struct yaml_writer *yaml, struct slice value, yaml_scalar_style_t style)
{
	yaml_event_t event;
	emit_event(
	        yaml,
	        yaml_scalar_event_initialize(&event, NULL, NULL,
	                                     (const yaml_char_t *)(value.len > 0 ? value.ptr : ""),
	                                     (int)value.len, 1, 1, style),
	        &event);
}

/* libyaml refuses malformed UTF-8. */
static struct slice valid_utf8(struct arena *arena, struct slice value)
{
	if (utf8_check(value) == value.len)
		return value;
	struct strbuf out;
	strbuf_init(&out, arena);
	for (size_t at = 0, len; at < value.len; at += len) {
		if (utf8_decode(slice_sub(value, at, value.len), &len) == UTF8_INVALID)
			strbuf_puts(&out, "\xEF\xBF\xBD");
		else
			strbuf_add(&out, slice_sub(value, at, at + len));
	}
	return strbuf_slice(&out);
}

/* Texts are always quoted: a plain `no` or `1.0` would be read as something else. */
void yaml_text(struct yaml_writer *yaml, struct slice value)
{
	add_scalar(yaml, valid_utf8(yaml->out->arena, value), YAML_DOUBLE_QUOTED_SCALAR_STYLE);
}

void yaml_key(struct yaml_writer *yaml, const char *name)
{
	add_scalar(yaml, slice_from(name), YAML_PLAIN_SCALAR_STYLE);
}

void yaml_number(struct yaml_writer *yaml, long long value)
{
	char text[32];
	snprintf(text, sizeof text, "%lld", value);
	add_scalar(yaml, slice_from(text), YAML_PLAIN_SCALAR_STYLE);
}

void yaml_bool(struct yaml_writer *yaml, bool value)
{
	add_scalar(yaml, value ? SLICE("true") : SLICE("false"), YAML_PLAIN_SCALAR_STYLE);
}
