#include "settings/yaml_reader.h"

#include <yaml.h>

#include "base/json_value.h"
#include "base/name_set.h"
#include "base/utf8.h"

enum { HEX_MAX = 18 }; /* 64 bits, after "0x" */

struct reader {
	struct arena *arena;
	struct diags *diags;
	struct slice name, text;
	yaml_parser_t parser;
	yaml_event_t event; /* the current one */
	size_t values;      /* so far, with aliases expanded */
	struct name_set anchor_names;
	value_list anchors; /* the last one of each of the names; NULL until it has been read */
	/* The mark that was computed last, and its line: they come almost in order. */
	size_t index, offset;
	struct source_mark line;
};

/* ---- places ---- */

/* The offset of MARK, whose index counts characters. */
static size_t offset_of(struct reader *r, const yaml_mark_t *mark)
{
	if (mark->index < r->index)
		r->index = r->offset = 0;
	r->offset = utf8_skip(r->text, r->offset, mark->index - r->index);
	r->index = mark->index;
	return r->offset;
}

/* The place from START to END, or to the end of its line. */
static struct location place_of_marks(struct reader *r, yaml_mark_t start, yaml_mark_t end)
{
	size_t at = offset_of(r, &start);
	/* The cursor stays at the start, because the next place may be the same one. */
	size_t after = end.line == start.line ? utf8_skip(r->text, at, end.column - start.column)
	                                      : r->text.len;
	struct location where = location_in_marked_cell(0, r->text, at, after - at, &r->line);
	where.file = r->name;
	return where;
}

static struct location event_place(struct reader *r)
{
	return place_of_marks(r, r->event.start_mark, r->event.end_mark);
}

/* ---- problems ---- */

struct row {
	const char *context; /* its beginning; NULL: any */
	const char *problem; /* its beginning */
	char next;           /* the character at the problem; 0: any */
	const char *message, *hint;
	bool at_context;
};

#define QUOTE_IT "put quotes around a text that begins with this character"

/* The first row that matches is used. Contexts and problems are texts of libyaml 0.2. */
static const struct row rows[] = {
        {NULL, "found character that cannot start any token", '\t',
         "YAML requires spaces here, not a tab", "indent with spaces only", false},
        {NULL, "found character that cannot start any token", 0,
         "no value can begin with this character", QUOTE_IT, false},
        {NULL, "found a tab character", 0, "YAML requires spaces here, not a tab",
         "indent with spaces only", false},
        {"while scanning a simple key", "could not find expected ':'", 0,
         "this key has no ':' after it",
         "write 'key: value'; begin a text of several lines with '|', or put quotes "
         "around it",
         true},
        {NULL, "mapping values are not allowed", 0, "a key is not allowed here",
         "look for a second ':' in the line, too much indentation, or a missing ':' in the "
         "line above; put quotes around a text that contains ': '",
         false},
        {"while scanning a quoted scalar", "found unexpected end of stream", 0,
         "the quotes that open here are not closed", NULL, true},
        {"while parsing a quoted scalar", "found unknown escape character", 0,
         "unknown escape in double quotes",
         "write '\\\\' for a backslash, or use single quotes, which have no escapes", false},
        {"while parsing a block mapping", "did not find expected key", 0,
         "the line fits neither the map above it nor a new one",
         "begin the keys of a map in the same column, and indent their values further", false},
        {"while parsing a block collection", "did not find expected '-' indicator", 0,
         "the line fits neither the list above it nor a new one",
         "begin each element of a list with '- ' in the same column", false},
        {NULL, "did not find expected ',' or '}'", 0,
         "the map that '{' opens here is not closed, or a ',' is missing in it", NULL, true},
        {NULL, "did not find expected ',' or ']'", 0,
         "the list that '[' opens here is not closed, or a ',' is missing in it", NULL, true},
        {NULL, "did not find expected node content", 0,
         "a value is missing here, or a '[' or '{' before is not closed", NULL, false},
};

static bool fits(const char *text, const char *beginning)
{
	return slice_starts_with(slice_from(text == NULL ? "" : text), slice_from(beginning));
}

/* Reports what is wrong, as by printf(). Returns -1. */
#define fail_yaml(r, where, ...) diag_add((r)->diags, DIAG_CONFIG_SYNTAX, (where), __VA_ARGS__)

static int fail_libyaml(struct reader *r)
{
	const yaml_parser_t *parser = &r->parser;
	if (parser->error == YAML_MEMORY_ERROR || parser->problem == NULL)
		arena_fail(r->arena);
	struct slice rest = slice_sub(r->text, offset_of(r, &parser->problem_mark), r->text.len);
	/* The explanation is for users who have not read the standard. */
	const struct row *said = NULL;
	for (size_t i = 0; said == NULL && i < sizeof rows / sizeof *rows; i++) {
		if ((rows[i].context == NULL || fits(parser->context, rows[i].context)) &&
		    fits(parser->problem, rows[i].problem) &&
		    (rows[i].next == 0 || rows[i].next == slice_at(rest, 0)))
			said = &rows[i];
	}
	yaml_mark_t mark =
	        said != NULL && said->at_context ? parser->context_mark : parser->problem_mark;
	yaml_mark_t end = mark;
	end.column++;
	struct location where = place_of_marks(r, mark, end);
	if (said == NULL)
		return fail_yaml(r, where, "this is not YAML: %s", parser->problem);
	fail_yaml(r, where, "%s", said->message);
	return said->hint == NULL ? -1 : diag_hint(r->diags, DIAG_CONFIG_SYNTAX, "%s", said->hint);
}

/* Advances to the next event. */
static int next_event(struct reader *r)
{
	yaml_event_delete(&r->event);
	return yaml_parser_parse(&r->parser, &r->event) ? 0 : fail_libyaml(r);
}

/* ---- anchors and aliases ---- */

static int count_value(struct reader *r)
{
	if (++r->values <= YAML_MAX_VALUES)
		return 0;
	return fail_yaml(r, event_place(r), "more than %d keys and values, with aliases expanded",
	                 YAML_MAX_VALUES);
}

static int check_depth(struct reader *r, unsigned depth)
{
	if (depth <= YAML_MAX_DEPTH)
		return 0;
	return fail_yaml(r, event_place(r), "values nest deeper than %d levels", YAML_MAX_DEPTH);
}

/* Counts VALUE, for an alias at DEPTH, as if it were written there. */
static int count_aliased(struct reader *r, const struct value *value, unsigned depth)
{
	int status = check_depth(r, depth) < 0 ? -1 : count_value(r);
	for (size_t i = 0; status == 0 && i < value->items.count; i++)
		status = count_aliased(r, value->items.items[i], depth + 1);
	for (size_t i = 0; status == 0 && i < value->entries.count; i++)
		status = count_value(r) < 0
		                 ? -1
		                 : count_aliased(r, value->entries.items[i].value, depth + 1);
	return status;
}

static int read_alias(struct reader *r, unsigned depth, const struct value **out)
{
	struct slice name = slice_from((const char *)r->event.data.alias.anchor);
	if (!name_set_has(&r->anchor_names, name))
		return fail_yaml(r, event_place(r), "no anchor '&%.*s' above this alias",
		                 SLICE_ARG(name));
	*out = r->anchors.items[name_set_add(&r->anchor_names, name)];
	if (*out == NULL)
		return fail_yaml(r, event_place(r), "the alias '*%.*s' is inside its own anchor",
		                 SLICE_ARG(name));
	return count_aliased(r, *out, depth) < 0 ? -1 : next_event(r);
}

/* ---- values ---- */

static int fail_tag(struct reader *r, struct slice tag)
{
	bool is_core = slice_cut_prefix(&tag, SLICE("tag:yaml.org,2002:"));
	fail_yaml(r, event_place(r), "the tag '%s%.*s' is not supported", is_core ? "!!" : "",
	          SLICE_ARG(tag));
	return diag_hint(r->diags, DIAG_CONFIG_SYNTAX,
	                 "remove the tag; use quotes or !!str for a text");
}

static bool is_plain(const yaml_event_t *event)
{
	return event->data.scalar.style == YAML_PLAIN_SCALAR_STYLE;
}

static int read_scalar(struct reader *r, struct value *value)
{
	const char *tag = (const char *)r->event.data.scalar.tag;
	struct slice text =
	        slice_make((const char *)r->event.data.scalar.value, r->event.data.scalar.length);
	/* The non-specific "!" makes a scalar a text, too. */
	if (tag != NULL && strcmp(tag, "!") != 0 && strcmp(tag, "tag:yaml.org,2002:str") != 0)
		return fail_tag(r, slice_from(tag));
	if (slice_find(text, '\0', 0) < text.len)
		return fail_yaml(r, event_place(r), "a text cannot contain a NUL character");
	value->text = arena_dup(r->arena, text);
	value->kind = tag == NULL && is_plain(&r->event)
	                      ? yaml_plain_kind(value->text, &value->boolean)
	                      : VALUE_TEXT;
	if (value->kind == VALUE_INT && text.len > HEX_MAX && ascii_is_alpha(text.ptr[1]))
		return fail_yaml(r, event_place(r),
		                 "a number with 0x or 0o has more than %d digits", HEX_MAX - 2);
	return next_event(r);
}

static int read_node(struct reader *r, unsigned depth, const struct value **out);

static int read_list(struct reader *r, unsigned depth, struct value *list)
{
	list->kind = VALUE_LIST;
	if (next_event(r) < 0)
		return -1;
	while (r->event.type != YAML_SEQUENCE_END_EVENT) {
		const struct value *item;
		if (read_node(r, depth + 1, &item) < 0)
			return -1;
		vec_push(r->arena, &list->items, item);
	}
	return next_event(r);
}

/* Adds what FROM, the value of "<<", has to MAP with NAMES. The map's own keys take precedence, then those of the first
 * of several maps. */
static int merge_maps(struct reader *r, struct value *map, struct name_set *names,
                      const struct value *from)
{
	const value_list one = {.items = &from, .count = 1};
	value_list maps = from->kind == VALUE_LIST ? from->items : one;
	for (size_t i = 0; i < maps.count; i++) {
		const struct value *each = maps.items[i];
		if (each->kind != VALUE_MAP)
			return fail_yaml(r, each->where, "'<<' requires maps, not %s",
			                 value_kind_name(each->kind));
		vec_each(const struct value_entry, entry, &each->entries) {
			if (name_set_add(names, entry->name) == map->entries.count)
				vec_push(r->arena, &map->entries, *entry);
		}
	}
	return 0;
}

static int read_map(struct reader *r, unsigned depth, struct value *map)
{
	struct name_set names = {.arena = r->arena};
	const struct value *merged = NULL; /* the value of "<<" */
	map->kind = VALUE_MAP;
	if (next_event(r) < 0)
		return -1;
	while (r->event.type != YAML_MAPPING_END_EVENT) {
		bool is_merge = r->event.type == YAML_SCALAR_EVENT && is_plain(&r->event) &&
		                r->event.data.scalar.tag == NULL &&
		                strcmp((const char *)r->event.data.scalar.value, "<<") == 0;
		struct location where = event_place(r);
		const struct value *key, *value;
		if (read_node(r, depth + 1, &key) < 0)
			return -1;
		if (!value_is_scalar(key))
			return fail_yaml(r, where, "a key must be one word or text, not %s",
			                 value_kind_name(key->kind));
		/* An empty text in quotes is a key, as in JSON; code that requires a name refuses it. */
		if (key->text.len == 0 && key->kind != VALUE_TEXT)
			return fail_yaml(r, where, "a key is missing before ':'");
		struct value_entry entry = {key->text, where, NULL};
		if (is_merge && merged != NULL)
			return fail_yaml(r, where,
			                 "a map can have only one '<<'; use a list of maps");
		/* The name comes first, so that a duplicate is reported before a problem in its value. */
		if (!is_merge && name_set_add(&names, entry.name) < map->entries.count)
			return fail_yaml(r, where, "duplicate key '%.*s', already on line %u",
			                 SLICE_ARG(entry.name),
			                 value_find(map, entry.name)->where.line);
		if (!is_merge)
			vec_push(r->arena, &map->entries, entry);
		if (read_node(r, depth + 1, &value) < 0)
			return -1;
		if (is_merge)
			merged = value;
		else
			map->entries.items[map->entries.count - 1].value = value;
	}
	if (merged != NULL && merge_maps(r, map, &names, merged) < 0)
		return -1;
	return next_event(r);
}

static int read_node(struct reader *r, unsigned depth, const struct value **out)
{
	if (check_depth(r, depth) < 0)
		return -1;
	if (r->event.type == YAML_ALIAS_EVENT)
		return read_alias(r, depth, out);
	struct value *value = ARENA_NEW(r->arena, struct value);
	value->where = event_place(r);
	if (count_value(r) < 0)
		return -1;
	bool is_scalar = r->event.type == YAML_SCALAR_EVENT;
	bool is_map = r->event.type == YAML_MAPPING_START_EVENT;
	const yaml_char_t *tag =
	        is_map ? r->event.data.mapping_start.tag : r->event.data.sequence_start.tag;
	const yaml_char_t *anchor_name = is_scalar ? r->event.data.scalar.anchor
	                                 : is_map  ? r->event.data.mapping_start.anchor
	                                           : r->event.data.sequence_start.anchor;
	size_t anchor = SIZE_MAX;
	if (anchor_name != NULL) {
		struct slice name = slice_from((const char *)anchor_name);
		anchor = name_set_add(&r->anchor_names, arena_dup(r->arena, name));
		if (anchor == r->anchors.count)
			vec_push(r->arena, &r->anchors, NULL);
		r->anchors.items[anchor] = NULL;
	}
	*out = value;
	int status = is_scalar     ? read_scalar(r, value)
	             : tag != NULL ? fail_tag(r, slice_from((const char *)tag))
	             : is_map      ? read_map(r, depth, value)
	                           : read_list(r, depth, value);
	/* A part of it may have the same name. */
	if (status == 0 && anchor < r->anchors.count && r->anchors.items[anchor] == NULL)
		r->anchors.items[anchor] = value;
	return status;
}

/* ---- the document ---- */

static int read_document(struct reader *r, const struct value **out)
{
	if (next_event(r) < 0) /* the stream's start */
		return -1;
	if (next_event(r) < 0) /* the document's */
		return -1;
	if (r->event.type == YAML_STREAM_END_EVENT) {
		struct value *nothing = ARENA_NEW(r->arena, struct value);
		*nothing = (struct value){.where = {.line = 1, .file = r->name}};
		*out = nothing;
		return 0;
	}
	if (next_event(r) < 0 || read_node(r, 0, out) < 0 || next_event(r) < 0) /* and its end */
		return -1;
	if (r->event.type == YAML_STREAM_END_EVENT)
		return 0;
	return fail_yaml(r, event_place(r), "a second document begins here; only one is read");
}

static void release_parser(void *data)
{
	struct reader *r = data;
	yaml_event_delete(&r->event);
	yaml_parser_delete(&r->parser);
}

const struct value *yaml_read(struct arena *arena, struct slice name, struct slice text,
                              struct diags *diags)
{
	if (text.len > YAML_MAX_BYTES) {
		diag_add(diags, DIAG_CONFIG_SYNTAX, (struct location){.file = name},
		         "more than %d bytes, which is the limit", YAML_MAX_BYTES);
		return NULL;
	}
	(void)slice_cut_prefix(&text, SLICE("\xEF\xBB\xBF"));
	if (text.ptr == NULL)
		text = SLICE("");
	/* Control characters libyaml would refuse. U+0085, U+2028 and U+2029 are line ends in YAML 1.1, but not in
	 * editors. */
	for (size_t at = 0, len; at < text.len; at += len) {
		int32_t c = utf8_decode(slice_tail(text, at), &len);
		bool is_control = (c < 0x20 && c != '\t' && c != '\n' && c != '\r') ||
		                  (c >= 0x7F && c < 0xA0);
		if (c != UTF8_INVALID && !is_control && c != 0x2028 && c != 0x2029 && c != 0xFEFF &&
		    c != 0xFFFE && c != 0xFFFF)
			continue;
		struct location where = location_in_cell(0, text, at, 1);
		where.length = 1;
		where.file = name;
		if (c == UTF8_INVALID)
			diag_add(diags, DIAG_CONFIG_SYNTAX, where, "byte 0x%02X is not UTF-8",
			         (unsigned char)text.ptr[at]);
		else
			diag_add(diags, DIAG_CONFIG_SYNTAX, where,
			         "YAML text cannot contain the character U+%04X", (unsigned)c);
		return NULL;
	}
	struct reader *r = ARENA_NEW(arena, struct reader);
	*r = (struct reader){.arena = arena,
	                     .diags = diags,
	                     .name = name,
	                     .text = text,
	                     .anchor_names.arena = arena};
	const struct value *value = NULL;
	struct arena_guard guard;
	arena_guard(arena, &guard, release_parser, r);
	if (!yaml_parser_initialize(&r->parser))
		arena_fail(arena);
	yaml_parser_set_encoding(&r->parser, YAML_UTF8_ENCODING);
	yaml_parser_set_input_string(&r->parser, (const yaml_char_t *)text.ptr, text.len);
	int status = read_document(r, &value);
	arena_unguard(arena);
	return status == 0 ? value : NULL;
}

const struct value *yaml_or_json_read(struct arena *arena, struct slice name, struct slice text,
                                      struct diags *diags)
{
	const struct diags before = *diags;
	const char *problem;
	const struct value *value = yaml_read(arena, name, text, diags);
	if (value != NULL || text.len > YAML_MAX_BYTES)
		return value;
	value = json_value_read(arena, text, JSON_VALUE_NUL | JSON_VALUE_UNIQUE,
	                        &(struct location){.file = name}, &problem);
	/* The error of YAML may be at what JSON permits. */
	if (value != NULL)
		diags_rewind(diags, &before);
	else if (diags->list.items[diags->list.count - 1].hint.len == 0 &&
	         slice_at(slice_trim(text), 0) == '{')
		diag_hint(diags, DIAG_CONFIG_SYNTAX, "read as JSON: %s", problem);
	return value;
}

/* ---- scalars ---- */

/* The kind of a plain YAML scalar: https://yaml.org/spec/1.2.2/#103-core-schema, and the words of YAML
 * 1.1 for booleans except y and n, as in PyYAML. */

/* The number of characters from FROM on that are in DIGITS. */
static size_t run_of(struct slice text, size_t from, const char *digits)
{
	size_t at = from;
	while (at < text.len && text.ptr[at] != '\0' && strchr(digits, text.ptr[at]) != NULL)
		at++;
	return at - from;
}

static const char DECIMAL[] = "0123456789";

enum value_kind yaml_plain_kind(struct slice text, bool *boolean)
{
	if (text.len == 0 || slice_is_word_of(text, "~ null Null NULL"))
		return VALUE_NULL;
	*boolean = slice_is_word_of(text, "true True TRUE yes Yes YES on On ON");
	if (*boolean || slice_is_word_of(text, "false False FALSE no No NO off Off OFF"))
		return VALUE_BOOL;
	const char *digits = slice_starts_with(text, SLICE("0x"))   ? "0123456789abcdefABCDEF"
	                     : slice_starts_with(text, SLICE("0o")) ? "01234567"
	                                                            : NULL;
	if (digits != NULL && text.len > 2 && run_of(text, 2, digits) == text.len - 2)
		return VALUE_INT;
	bool has_sign = text.ptr[0] == '-' || text.ptr[0] == '+';
	struct slice number = slice_sub(text, has_sign ? 1 : 0, text.len);
	if (slice_is_word_of(number, ".inf .Inf .INF") || slice_is_word_of(text, ".nan .NaN .NAN"))
		return VALUE_FLOAT;
	size_t whole = run_of(number, 0, DECIMAL), point = slice_at(number, whole) == '.';
	size_t fraction = point > 0 ? run_of(number, whole + 1, DECIMAL) : 0;
	size_t at = whole + point + fraction;
	if ((whole > 1 && number.ptr[0] == '0') || whole + fraction == 0)
		return VALUE_TEXT;
	if (whole == number.len)
		return VALUE_INT;
	if (ascii_lower(slice_at(number, at)) == 'e') {
		at += 1 + run_of(slice_sub(number, at + 1, at + 2), 0, "+-");
		size_t exponent = run_of(number, at, DECIMAL);
		at = exponent == 0 ? number.len + 1 : at + exponent;
	}
	return at == number.len ? VALUE_FLOAT : VALUE_TEXT;
}
