#include "base/json_writer.h"

#include "base/utf8.h"

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

/* Puts what is neither a value nor a key: a bracket; nothing for a blank or a comma. */
static void put_bracket(struct json_writer *json, char c)
{
	bool opens = c == '{' || c == '[', closes = c == '}' || c == ']';
	if (opens) {
		json_separate(json);
		json->depth++;
	} else if (closes) {
		json->depth--;
		if (json->filled)
			new_line(json);
	}
	if (opens || closes) {
		strbuf_addc(json->out, c);
		json->filled = closes;
	}
}

static void put_item(struct json_writer *json, const struct json_item *item)
{
	char digits[SLICE_DECIMAL_MAX];
	if (item->kind == JSON_ITEM_TEXTS) {
		put_bracket(json, '[');
		for (long long i = 0; i < item->number; i++)
			json_put(json, "?", J(item->texts[i]));
		put_bracket(json, ']');
		return;
	}
	json_separate(json);
	if (item->kind == JSON_ITEM_TEXT)
		json_quote(json->out, item->text);
	else if (item->kind == JSON_ITEM_NUMBER)
		strbuf_add(json->out, slice_decimal(digits, item->number, item->digits));
	else if (item->kind == JSON_ITEM_DECIMAL)
		strbuf_add(json->out, arena_decimal(json->out->arena, item->decimal, item->digits));
	else
		strbuf_add(json->out, item->text.len > 0 ? item->text : SLICE("null"));
}

void json_put_items(struct json_writer *json, const char *text, const struct json_item *items,
                    size_t count)
{
	static const char words[] = "abcdefghijklmnopqrstuvwxyz0123456789.-";
	const struct json_item *end = items + count;
	for (size_t len; *text != '\0'; text += len) {
		struct json_item item = {.text = slice_make(text, strspn(text, words))};
		len = item.text.len;
		if (*text == '\'') {
			item = json_of_slice(slice_make(text + 1, strcspn(text + 1, "'")));
			len = item.text.len + 2;
		} else if (*text == '?' && items < end) {
			item = *items++;
			len = 1;
		} else if (*text == '?') {
			abort();
		} else if (len == 0) {
			put_bracket(json, *text);
			len = 1;
			continue;
		}
		bool is_key = text[len] == ':';
		const char *value = text + len + strspn(text + len, ": ");
		bool may_lack = is_key && items < end && strncmp(value, "?*", 2) == 0;
		if (may_lack && items->kind <= JSON_ITEM_TEXTS && items->text.len == 0 &&
		    items->number == 0) {
			items++;
			len = (size_t)(value - text) + 2;
			continue;
		}
		put_item(json, &item);
		strbuf_puts(json->out, is_key ? ": " : "");
		json->after_key = is_key;
	}
	if (items < end)
		abort();
}

/* JSON requires escapes for the C0 controls. The output is also shown on terminals, where other
 * characters act, too. YAML 1.1 and 1.2 call U+FFFE and U+FFFF not printable, and use U+FEFF as a byte
 * order mark (YAML 1.2, chapter 5.1). */
void json_quote(struct strbuf *out, struct slice value)
{
	static const char from[] = "\"\\\b\f\n\r\t", to[] = "\"\\bfnrt";
	strbuf_addc(out, '"');
	for (size_t at = 0, len; at < value.len; at += len) {
		int32_t c = utf8_decode(slice_tail(value, at), &len);
		const char *hit = c > 0 && c < 0x80 ? strchr(from, (char)c) : NULL;
		if (hit != NULL)
			strbuf_printf(out, "\\%c", to[hit - from]);
		else if (c == UTF8_INVALID)
			strbuf_puts(out, "\xEF\xBF\xBD");
		else if (utf8_acts(c) || c == 0xFEFF || c == 0xFFFE || c == 0xFFFF)
			strbuf_printf(out, "\\u%04x", (unsigned)c);
		else
			strbuf_add(out, slice_sub(value, at, at + len));
	}
	strbuf_addc(out, '"');
}
