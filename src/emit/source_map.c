#include "emit/source_map.h"

#include "base/json_writer.h"
#include "emit/emit.h"

static void put_name(struct json_writer *json, const char *key, struct slice name)
{
	if (name.len == 0)
		return;
	json_put_key(json, key);
	json_put_string(json, name);
}

static void emit_entry(struct json_writer *json, const struct source_map_entry *entry)
{
	json_begin_object(json);
	json_put_key(json, "cell");
	json_put_number(json, entry->cell);
	put_name(json, "notebook", entry->notebook);
	put_name(json, "text", entry->text);
	put_name(json, "id", entry->id);
	json_put_key(json, "kind");
	json_put_string(json, entry->kind);
	if (entry->first_line > 1) {
		json_put_key(json, "first_line");
		json_put_number(json, (long long)entry->first_line);
	}
	json_put_key(json, "script_line");
	json_put_number(json, (long long)entry->script_line);
	json_put_key(json, "lines");
	json_put_number(json, (long long)entry->lines);
	json_put_key(json, "indent");
	json_put_number(json, (long long)entry->indent);
	json_end_object(json);
}

void emit_source_map(struct strbuf *out, const struct source_map *map,
                     const struct emit_names *names, struct slice build)
{
	struct json_writer json;
	json_writer_init(&json, out);
	json_begin_object(&json);
	json_put_key(&json, "generator");
	json_put_string(&json, SLICE("compiled by nbscorep"));
	json_put_key(&json, "version");
	json_put_number(&json, 1);
	json_put_key(&json, "notebook");
	json_put_string(&json, names->notebook);
	json_put_key(&json, "script");
	json_put_string(&json, names->script);
	json_put_key(&json, "build");
	json_put_string(&json, build);
	json_put_key(&json, "cells");
	json_begin_array(&json);
	for (size_t i = 0; i < map->entries.count; i++)
		emit_entry(&json, &map->entries.items[i]);
	json_end_array(&json);
	json_end_object(&json);
	strbuf_addc(out, '\n');
}
