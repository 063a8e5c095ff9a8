/* Parameters: values as Python has them, JSON, and what is said of values in files for many notebooks,
 * [unused-parameter]. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/value.h"
#include "ir/build/builder.h"
#include "ir/passes.h"
#include "notebook/notebook.h"
#include "settings/json_reader.h"
#include "settings/yaml_reader.h"

static const char *literal(struct arena *arena, const struct value *value)
{
	struct strbuf out;
	strbuf_init(&out, arena);
	python_value(&out, value);
	return arena_cstr(arena, strbuf_slice(&out));
}

static void test_words(void **state)
{
	static const struct {
		const char *word, *literal;
	} rows[] = {
	        {"True", "True"},
	        {"None", "None"},
	        {"true", "\"true\""},
	        {"007", "7"},
	        {"-0", "-0"},
	        {"+1_000", "1000"},
	        {" 5 ", "5"},
	        {"1__0", "\"1__0\""},
	        {"0x1F", "\"0x1F\""},
	        {"0_0", "0"},
	        {"-007", "-7"},
	        {"1e400", "1e400"},
	        {"-.5E-3", "-.5E-3"},
	        {"1_0.5", "10.5"},
	        {"5.", "5."},
	        {".", "\".\""},
	        {"1e", "\"1e\""},
	        {"-Infinity", "float(\"-inf\")"},
	        {"+nan", "float(\"nan\")"},
	        {".inf", "\".inf\""},
	        {"+-inf", "\"+-inf\""},
	        {"", "\"\""},
	        {"a'\"\\\n", "\"a'\\\"\\\\\\n\""},
	};
	struct arena arena;
	arena_init(&arena, NULL);
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		assert_string_equal(
		        literal(&arena, python_value_of_word(&arena, slice_from(rows[i].word))),
		        rows[i].literal);
	arena_release(&arena);
	(void)state;
}

static const char *from_json(struct arena *arena, const char *text)
{
	const struct value *value = json_read(arena, SLICE("a.json"), slice_from(text));
	return value == NULL ? "no JSON" : literal(arena, value);
}

static void test_json(void **state)
{
	static const struct {
		const char *text, *literal;
	} rows[] = {
	        {" {\"a\" : [1, -0.5e+3, true,false , null]} ",
	         "{\"a\": [1, -0.5e+3, True, False, None]}"},
	        {"\"\\u00e9\\ud83d\\ude00\\\"\\\\\\/\\b\\f\\n\\r\\t\"",
	         "\"\xC3\xA9\xF0\x9F\x98\x80\\\"\\\\/\\x08\\x0c\\n\\r\\t\""},
	        {"\"\\u0000\"", "\"\\x00\""},
	        {"[]", "[]"},
	        {"{}", "{}"},
	        {"123456789012345678901234567890", "123456789012345678901234567890"},
	        {"", "no JSON"},
	        {"[1", "no JSON"},
	        {"[1,]", "no JSON"},
	        {"{\"a\": 1, \"a\": 2}", "no JSON"},
	        {"{a: 1}", "no JSON"},
	        {"01", "no JSON"},
	        {"1.", "no JSON"},
	        {".5", "no JSON"},
	        {"1e", "no JSON"},
	        {"-", "no JSON"},
	        {"+1", "no JSON"},
	        {"NaN", "no JSON"},
	        {"1 2", "no JSON"},
	        {"\"\\ud83d\"", "no JSON"},
	        {"\"\\ud83dx\"", "no JSON"},
	        {"\"\\ude00\"", "no JSON"},
	        {"\"\\ud83d\\u0041\"", "no JSON"},
	        {"\"\\u00e\"", "no JSON"},
	        {"\"\\x\"", "no JSON"},
	        {"\"\\", "no JSON"},
	        {"\"\n\"", "no JSON"},
	        {"\"", "no JSON"},
	        {"\"\xFF\"", "no JSON"},
	};
	struct arena arena;
	arena_init(&arena, NULL);
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		assert_string_equal(from_json(&arena, rows[i].text), rows[i].literal);
	arena_release(&arena);
	(void)state;
}

static void test_json_limits(void **state)
{
	struct arena arena;
	struct strbuf text;
	arena_init(&arena, NULL);
	strbuf_init(&text, &arena);
	strbuf_fill(&text, '[', 1 << 16);
	assert_null(json_read(&arena, SLICE(""), strbuf_slice(&text)));
	text.len = 0;
	strbuf_fill(&text, '[', YAML_MAX_DEPTH);
	strbuf_fill(&text, ']', YAML_MAX_DEPTH);
	assert_non_null(json_read(&arena, SLICE(""), strbuf_slice(&text)));
	text.len = 0;
	strbuf_fill(&text, ' ', YAML_MAX_BYTES);
	strbuf_puts(&text, "1");
	assert_null(json_read(&arena, SLICE(""), strbuf_slice(&text)));
	arena_release(&arena);
	(void)state;
}

static void test_json_places(void **state)
{
	struct arena arena;
	arena_init(&arena, NULL);
	const struct value *map = json_read(
	        &arena, SLICE("a"), SLICE("{\n \"a\": {\"x\":\n1},\r\n\t \"b\":2, \"c\": 3}"));
	static const unsigned lines[] = {2, 4, 4}, columns[] = {2, 3, 10};
	for (size_t i = 0; i < 3; i++) {
		assert_int_equal(map->entries.items[i].where.line, lines[i]);
		assert_int_equal(map->entries.items[i].where.column, columns[i]);
		assert_int_equal(map->entries.items[i].where.length, 3);
	}
	arena_release(&arena);
	(void)state;
}

/* A notebook of one cell, tagged or not, that gets a value for "beta". */
static enum diag_kind compile(struct slice source, bool tagged, bool shared, size_t *count)
{
	struct arena arena;
	struct diags diags;
	struct notebook notebook = {.name = SLICE("x.ipynb"), .nbformat = 4};
	struct cell cell = {.type = CELL_CODE, .number = 1, .source = source};
	struct ir ir;
	arena_init(&arena, NULL);
	diags_init(&diags, &arena);
	if (tagged)
		vec_push(&arena, &cell.tags, SLICE("parameters"));
	vec_push(&arena, &notebook.cells, cell);
	struct parameter parameter = {
	        .name = SLICE("beta"),
	        .value = python_value_of_word(&arena, SLICE("1")),
	        .shared = shared,
	};
	struct ir_options options = {.parameters = &parameter, .parameter_count = 1};
	ir_build(&arena, &notebook, &options, &diags, &ir);
	ir_run_passes(&(struct pass_context){&arena, &diags, &options, &ir});
	*count = diags.list.count;
	enum diag_kind kind = *count > 0 ? diags.list.items[0].kind : DIAG_KIND_COUNT;
	arena_release(&arena);
	return kind;
}

/* A folder's file has values for some of its notebooks; a misspelt name is one all the same. */
static void test_files_for_many_notebooks(void **state)
{
	size_t count;
	assert_int_equal(compile(SLICE("x = 1"), false, true, &count), DIAG_PARAMETER_UNUSED);
	assert_int_equal(count, 1);
	assert_int_equal(compile(SLICE("x = 1"), true, true, &count), DIAG_PARAMETER_UNKNOWN);
	assert_int_equal(compile(SLICE("x = 1"), false, false, &count), DIAG_PARAMETER_UNKNOWN);
	compile(SLICE("beta = 1"), true, true, &count);
	assert_int_equal(count, 0);
	(void)state;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(test_words),
	        cmocka_unit_test(test_json),
	        cmocka_unit_test(test_json_limits),
	        cmocka_unit_test(test_json_places),
	        cmocka_unit_test(test_files_for_many_notebooks),
	};
	return cmocka_run_group_tests_name("parameters", tests, NULL, NULL);
}
