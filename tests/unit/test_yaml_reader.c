/* config: YAML into values, and what is said of broken YAML. */
#include <stdio.h>
#include <stdlib.h>

#include "base/strbuf.h"
#include "base/utf8.h"
#include "diags_fixture.h"
#include "settings/yaml_reader.h"
#include "unit.h"
#include "value_helpers.h"

static const char *shown(const struct value *value)
{
	struct strbuf out = {.arena = &arena};
	show_value(&out, value);
	return arena_cstr(&arena, strbuf_slice(&out));
}

static const struct value *read_text(struct slice text)
{
	diags.list.count = 0;
	return yaml_read(&arena, SLICE("f.yaml"), text, &diags);
}

static void assert_reads(const char *text, const char *expected)
{
	const struct value *value = read_text(slice_from(text));
	if (value == NULL)
		fail_msg("'%s': %.*s", text, SLICE_ARG(diags.list.items[0].message));
	assert_string_equal(shown(value), expected);
	assert_int_equal(diags.list.count, 0);
}

static void test_values(void **state)
{
	static const char *const cases[][2] = {
	        {"", "n''"},
	        {"# only a comment\n", "n''"},
	        {"---\n...\n", "n''"},
	        {"a: 1\nb: [x, 2.5]\nc: {d: ~}\n", "{a: i'1', b: [t'x', f'2.5'], c: {d: n'~'}}"},
	        {"'': 1\na: {\"\": 2}\n", "{: i'1', a: {: i'2'}}"},
	        {"\xEF\xBB\xBF"
	         "a: 1\r\nb: 2\r\n",
	         "{a: i'1', b: i'2'}"},
	        {"a:\n- 1\n- 2\n", "{a: [i'1', i'2']}"},
	        {"a: |\n  x\n  y\n", "{a: t'x\ny\n'}"},
	        {"a: >-\n  x\n  y\n", "{a: t'x y'}"},
	        {"a: 'it''s'\nb: \"\\u00e4\\n\"\n", "{a: t'it's', b: t'\xC3\xA4\n'}"},
	        {"yes: no\n7: seven\n~: x\n", "{yes: b'no', 7: t'seven', ~: t'x'}"},
	        {"a: !!str 7\nb: ! 7\n", "{a: t'7', b: t'7'}"},
	        {"%YAML 1.1\n---\na: 1\n", "{a: i'1'}"},
	        {"%YAML 1.2\n---\na: 1\n", "{a: i'1'}"},
	};
	for (size_t i = 0; i < COUNT(cases); i++)
		assert_reads(cases[i][0], cases[i][1]);
}

static void test_plain_scalars(void **state)
{
	static const struct {
		enum value_kind kind;
		const char *words;
	} cases[] = {
	        {VALUE_NULL, "~ null Null NULL"},
	        {VALUE_BOOL,
	         "true True TRUE false False FALSE yes Yes YES no No NO on On ON off Off "
	         "OFF"},
	        {VALUE_INT, "0 7 -7 +7 -0 123456789012345678901234567890 0x1F 0o17"},
	        {VALUE_FLOAT,
	         "1.5 -1.5 +.5 1. 1e3 1E-3 0.5 0e0 2.5e+10 .inf -.inf +.INF .nan .NaN"},
	        {VALUE_TEXT, "tRUE y n nUll 010 -010 00 010.5 0x 0xg 0o8 0b1 1_000 1:30 12:00:00 "
	                     "2024-01-01 1e 1e+ . + - e5 -.nan .infinity 1.2.3 1.5x --1 inf nan"},
	};
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct slice rest = slice_from(cases[i].words), word;
		while ((word = slice_next_word(&rest)).len > 0) {
			bool boolean;
			if (yaml_plain_kind(word, &boolean) != cases[i].kind)
				fail_msg("'%.*s' is not %s", SLICE_ARG(word),
				         value_kind_name(cases[i].kind));
		}
	}
}

static void test_aliases(void **state)
{
	static const char *const cases[][2] = {
	        {"a: &x 1\nb: *x\n", "{a: i'1', b: i'1'}"},
	        {"a: &x {k: 1}\nb: {<<: *x, l: 2}\n", "{a: {k: i'1'}, b: {l: i'2', k: i'1'}}"},
	        {"a: &x {k: 1, l: 1}\nb: {<<: *x, l: 2}\n",
	         "{a: {k: i'1', l: i'1'}, b: {l: i'2', k: i'1'}}"},
	        {"a: &x {k: 1, m: 1}\nb: &y {k: 2, l: 2}\nc: {<<: [*y, *x]}\n",
	         "{a: {k: i'1', m: i'1'}, b: {k: i'2', l: i'2'}, c: {k: i'2', l: i'2', m: i'1'}}"},
	        {"a: &x 1\nb: &x 2\nc: *x\n", "{a: i'1', b: i'2', c: i'2'}"},
	        {"a: &x [&x 1]\nb: *x\n", "{a: [i'1'], b: i'1'}"},
	        {"'<<': 1\n", "{<<: i'1'}"},
	};
	for (size_t i = 0; i < COUNT(cases); i++)
		assert_reads(cases[i][0], cases[i][1]);
}

static void assert_where(const struct location *where, unsigned line, unsigned column,
                         unsigned length, const char *text)
{
	assert_int_equal(where->cell, 0);
	assert_int_equal(where->line, line);
	assert_int_equal(where->column, column);
	assert_int_equal(where->length, length);
	assert_true(slice_eq(where->text, slice_from(text)));
	assert_true(slice_eq(where->file, SLICE("f.yaml")));
}

static void test_places(void **state)
{
	const struct value *map =
	        read_text(SLICE("\xC3\xA4: \xC3\xB6\xC3\xB6\nb:\n  - x y\n  - |\n    z\n"));
	assert_where(&map->where, 1, 1, 0, "\xC3\xA4: \xC3\xB6\xC3\xB6");
	assert_where(&map->entries.items[0].where, 1, 1, 1, "\xC3\xA4: \xC3\xB6\xC3\xB6");
	assert_where(&map->entries.items[0].value->where, 1, 4, 2, "\xC3\xA4: \xC3\xB6\xC3\xB6");
	const struct value *list = map->entries.items[1].value;
	assert_where(&list->items.items[0]->where, 3, 5, 3, "  - x y");
	assert_where(&list->items.items[1]->where, 4, 5, 1, "  - |");
}

static void test_place_in_long_line(void **state)
{
	struct strbuf text = {.arena = &arena};
	strbuf_puts(&text, "[");
	for (int i = 0; i < 60000; i++)
		strbuf_puts(&text, "\xC3\xA4, ");
	strbuf_puts(&text, "last]");
	const struct value *list = read_text(strbuf_slice(&text));
	const struct location *where = &list->items.items[60000]->where;
	assert_int_equal(where->column, 180002);
	assert_int_equal(where->length, 4);
	assert_true(where->text.len < 1024);
	assert_int_equal(utf8_check(where->text), where->text.len);
}

static struct slice nested(size_t depth)
{
	struct strbuf text = {.arena = &arena};
	strbuf_fill(&text, '[', depth);
	strbuf_fill(&text, ']', depth);
	return strbuf_slice(&text);
}

/* cli/config_test.py shows the messages. */
static void test_limits(void **state)
{
	assert_non_null(read_text(nested(YAML_MAX_DEPTH + 1)));
	assert_null(read_text(nested(YAML_MAX_DEPTH + 2)));
	assert_null(read_text(nested(400000)));
	/* An alias is as deep as what it stands for. */
	const char *format = "a: &a %.*s\nb: %s*a%s\n";
	struct slice deep = nested(60);
	assert_non_null(read_text(arena_printf(&arena, format, SLICE_ARG(deep), "[[[[", "]]]]")));
	assert_null(read_text(arena_printf(&arena, format, SLICE_ARG(deep), "[[[[[", "]]]]]")));
	struct strbuf text = {.arena = &arena};
	strbuf_fill(&text, '#', YAML_MAX_BYTES);
	assert_non_null(read_text(strbuf_slice(&text)));
	strbuf_addc(&text, '#');
	assert_null(read_text(strbuf_slice(&text)));
}

RUN(TEST(test_values), TEST(test_plain_scalars), TEST(test_aliases), TEST(test_places),
    TEST(test_place_in_long_line), TEST(test_limits))
