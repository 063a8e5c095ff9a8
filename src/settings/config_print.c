#include "settings/config_print.h"

#include "base/json_writer.h"
#include "base/quote.h"

struct printer {
	struct strbuf *out;
	struct slice notebook;
};

/* Adds a key in quotes, after the mark that YAML requires for a key of more than 1024 characters (YAML
 * 1.2, 7.4.2). Returns true if it has the mark. */
static bool add_key(struct strbuf *out, struct slice name)
{
	enum { MOST = 1000 };
	struct strbuf key;
	strbuf_init(&key, out->arena);
	json_quote(&key, name);
	bool is_long = key.len > MOST;
	strbuf_puts(out, is_long ? "? " : "");
	strbuf_add(out, strbuf_slice(&key));
	return is_long;
}

/* Adds any value on one line. Texts are quoted, because a plain `no` is not a text. */
static void add_value(struct strbuf *out, const struct value *value)
{
	bool is_map = value->kind == VALUE_MAP;
	size_t count = is_map ? value->entries.count : value->items.count;
	if (value->kind == VALUE_TEXT) {
		json_quote(out, value->text);
		return;
	}
	if (value_is_scalar(value)) {
		strbuf_add(out, value->kind == VALUE_NULL ? SLICE("~") : value->text);
		return;
	}
	strbuf_addc(out, is_map ? '{' : '[');
	for (size_t i = 0; i < count; i++) {
		strbuf_puts(out, i > 0 ? ", " : "");
		if (is_map) {
			add_key(out, value->entries.items[i].name);
			strbuf_puts(out, ": ");
		}
		add_value(out, is_map ? value->entries.items[i].value : value->items.items[i]);
	}
	strbuf_addc(out, is_map ? '}' : ']');
}

static void add_origin(struct printer *p, const struct config_value *value)
{
	const struct location *where = &value->value->where;
	bool is_notebooks = value->source == CONFIG_NOTEBOOK;
	strbuf_puts(p->out, "  # ");
	if (value->source == CONFIG_COMMAND_LINE) {
		strbuf_puts(p->out, "command line");
	} else {
		comment_inline(p->out, is_notebooks ? p->notebook : where->file);
		strbuf_printf(p->out, ":%u%s", where->line,
		              is_notebooks ? ", notebook metadata" : "");
	}
	if (value->profile.len > 0) {
		strbuf_puts(p->out, ", profile ");
		comment_inline(p->out, value->profile);
	}
	strbuf_addc(p->out, '\n');
}

static void add_one(struct printer *p, const char *name, const struct config_value *value,
                    const char *initial)
{
	if (value->value != NULL) {
		strbuf_printf(p->out, "%s: ", name);
		add_value(p->out, value->value);
		add_origin(p, value);
	} else if (initial != NULL) {
		strbuf_printf(p->out, "%s: %s  # built in\n", name, initial);
	}
}

static void add_list(struct printer *p, const char *name, const struct config_value *list)
{
	value_list items = config_items(list);
	if (items.count > 0)
		strbuf_printf(p->out, "%s:\n", name);
	for (size_t i = 0; i < items.count; i++) {
		struct config_value item = {list->source, list->profile, items.items[i]};
		strbuf_puts(p->out, "  - ");
		add_value(p->out, item.value);
		add_origin(p, &item);
	}
}

static void add_pairs(struct printer *p, const char *name, const config_pair_list *list)
{
	if (list->count > 0)
		strbuf_printf(p->out, "%s:\n", name);
	for (size_t i = 0; i < list->count; i++) {
		strbuf_puts(p->out, "  ");
		bool is_long = add_key(p->out, list->items[i].name);
		strbuf_puts(p->out, is_long ? "\n  : " : ": ");
		add_value(p->out, list->items[i].value.value);
		add_origin(p, &list->items[i].value);
	}
}

void config_print(struct strbuf *out, const struct config *config, struct slice notebook)
{
	struct printer p = {out, notebook};
	size_t count;
	const struct config_key *keys = config_keys(&count);
	for (size_t i = 0; i < count; i++) {
		const void *field = (const char *)config + keys[i].offset;
		if (config_shape_is_map(keys[i].shape))
			add_pairs(&p, keys[i].name, field);
		else if (keys[i].shape == CONFIG_NAMES || keys[i].shape == CONFIG_LINES)
			add_list(&p, keys[i].name, field);
		else
			add_one(&p, keys[i].name, field, keys[i].initial);
	}
}
