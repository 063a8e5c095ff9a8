#include "base/json_writer.h"

#include "base/utf8.h"

void json_writer_init(struct json_writer *json, struct strbuf *out)
{
	*json = (struct json_writer){.out = out};
}

static void new_line(struct json_writer *json)
{
	strbuf_addc(json->out, '\n');
	strbuf_fill(json->out, ' ', (size_t)json->depth * 2);
}

/* Writes the separator between the previous element and this one. */
static void json_separate(struct json_writer *json)
{
	if (json->after_key) {
		json->after_key = false;
		return;
	}
	if (json->filled)
		strbuf_addc(json->out, ',');
	if (json->depth > 0)
		new_line(json);
	json->filled = true;
}

void json_begin(struct json_writer *json, char bracket)
{
	json_separate(json);
	strbuf_addc(json->out, bracket);
	json->depth++;
	json->filled = false;
}

void json_end(struct json_writer *json, char bracket)
{
	json->depth--;
	if (json->filled)
		new_line(json);
	strbuf_addc(json->out, bracket);
	json->filled = true;
}

void json_put_key(struct json_writer *json, const char *key)
{
	json_separate(json);
	json_quote(json->out, slice_from(key));
	strbuf_puts(json->out, ": ");
	json->after_key = true;
}

void json_put_string(struct json_writer *json, struct slice value)
{
	json_separate(json);
	json_quote(json->out, value);
}

void json_put_number(struct json_writer *json, long long value)
{
	char text[SLICE_DECIMAL_MAX];
	json_put_decimal(json, slice_decimal(text, value, 0));
}

void json_member_string(struct json_writer *json, const char *key, struct slice value)
{
	json_put_key(json, key);
	json_put_string(json, value);
}

void json_member_number(struct json_writer *json, const char *key, long long value)
{
	json_put_key(json, key);
	json_put_number(json, value);
}

void json_put_decimal(struct json_writer *json, struct slice digits)
{
	json_separate(json);
	strbuf_add(json->out, digits);
}

void json_put_bool(struct json_writer *json, bool value)
{
	json_separate(json);
	strbuf_puts(json->out, value ? "true" : "false");
}

void json_put_source(struct json_writer *json, const char *text)
{
	static const char words[] = "abcdefghijklmnopqrstuvwxyz0123456789.-";
	for (size_t len; *text != '\0'; text += len) {
		len = 1;
		if (*text == '{' || *text == '[') {
			json_begin(json, *text);
		} else if (*text == '}' || *text == ']') {
			json_end(json, *text);
		} else if (*text == '\'') {
			size_t inner = strcspn(text + 1, "'");
			struct slice string = slice_make(text + 1, inner);
			len = inner + 2;
			json_separate(json);
			json_quote(json->out, string);
			json->after_key = text[len] == ':';
			if (json->after_key)
				strbuf_puts(json->out, ": ");
		} else if ((len = strspn(text, words)) > 0) {
			json_put_decimal(json, slice_make(text, len));
		} else {
			len = 1; /* a blank, a comma, the colon of a key */
		}
	}
}

/* JSON requires escapes for the C0 controls. The output is also shown on terminals, where other
 * characters act, too. YAML 1.1 and 1.2 call the code points below not printable, or use one as a
 * byte order mark (YAML 1.2, chapter 5.1). */
static bool needs_escape(int32_t c)
{
	return utf8_acts(c) || c == 0xFEFF || c == 0xFFFE || c == 0xFFFF;
}

void json_quote(struct strbuf *out, struct slice value)
{
	static const char from[] = "\"\\\b\f\n\r\t", to[] = "\"\\bfnrt";
	strbuf_addc(out, '"');
	for (size_t at = 0, len; at < value.len; at += len) {
		int32_t c = utf8_decode(slice_sub(value, at, value.len), &len);
		const char *hit = c > 0 && c < 0x80 ? strchr(from, (char)c) : NULL;
		if (hit != NULL)
			strbuf_printf(out, "\\%c", to[hit - from]);
		else if (c == UTF8_INVALID)
			strbuf_puts(out, "\xEF\xBF\xBD");
		else if (needs_escape(c))
			strbuf_printf(out, "\\u%04x", (unsigned)c);
		else
			strbuf_add(out, slice_sub(value, at, at + len));
	}
	strbuf_addc(out, '"');
}
