/* Parameters: values as Python has them, JSON, and what is said of values in files for many notebooks,
 * [unused-parameter]. */
#include "arena_fixture.h"
#include "base/value.h"
#include "ir/build/builder.h"
#include "ir/passes.h"
#include "notebook/notebook.h"
#include "settings/json_reader.h"
#include "unit.h"

static const char *literal(const struct value *value)
{
	struct strbuf out;
	strbuf_init(&out, &arena);
	python_value(&out, value);
	return arena_cstr(&arena, strbuf_slice(&out));
}

static const char *from_json(const char *text)
{
	const struct value *value = json_read(&arena, SLICE("a.json"), slice_from(text));
	return value == NULL ? "no JSON" : literal(value);
}

static void test_json(void **state)
{
	static const struct {
		const char *text, *literal;
	} rows[] = {
	        {"\"\\u0000\"", "\"\\x00\""},
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
	for (size_t i = 0; i < COUNT(rows); i++)
		assert_string_equal(from_json(rows[i].text), rows[i].literal);
}

/* A notebook of one cell, tagged or not, that gets a value for "beta". */
static enum diag_kind compile(struct slice source, bool tagged, bool shared, size_t *count)
{
	struct diags diags;
	struct notebook notebook = {.name = SLICE("x.ipynb"), .nbformat = 4};
	struct cell cell = {.type = CELL_CODE, .number = 1, .source = source};
	struct ir ir;
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
}

RUN(TEST(test_json), TEST(test_files_for_many_notebooks))
