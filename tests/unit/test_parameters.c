/* Parameters: values as Python has them, JSON, and what is said of values in files for many notebooks,
 * [unused-parameter]. */
#include "arena_fixture.h"
#include "base/value.h"
#include "ir/build/builder.h"
#include "ir/passes.h"
#include "notebook/notebook.h"
#include "settings/yaml_reader.h"
#include "unit.h"

static const char *literal(const struct value *value)
{
	struct strbuf out = {.arena = &arena};
	python_value(&out, value);
	return arena_cstr(&arena, strbuf_slice(&out));
}

static void test_json(void **state)
{
	static const struct {
		const char *text, *literal;
	} rows[] = {
	        {"[\"\\u0000\", 1e5, 1e-7, 0.1, -0.0, 7, true, null]",
	         "[\"\\x00\", 100000.0, 1e-7, 0.1, -0.0, 7, True, None]"},
	        {"\t{\"\\ud83d\\ude00\":\"\x7F\"}", "{\"\xF0\x9F\x98\x80\": \"\\x7f\"}"},
	        {"{\"a\": \"\\ud83d\"}", "no value"},
	        {"{\"a\": 1, \"a\": \"\\ud83d\\ude00\"}", "no value"},
	        {"[\"\\ud83d\\ude00\", 01]", "no value"},
	        {"[\"\\ud83d\\ude00\"", "no value"},
	};
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct diags diags;
		diags_init(&diags, &arena);
		const struct value *value = yaml_or_json_read(&arena, SLICE("a.json"),
		                                              slice_from(rows[i].text), &diags);
		assert_string_equal(value == NULL ? "no value" : literal(value), rows[i].literal);
		assert_int_equal(diags.errors, value == NULL);
	}
}

/* A notebook of one cell, tagged or not, that gets a value for "beta". */
static enum diag_kind compile(struct slice source, bool tagged, bool shared, size_t *count)
{
	struct diags diags;
	struct notebook notebook = {.name = SLICE("x.ipynb"), .nbformat = 4};
	struct cell cell = {.type = CELL_CODE, .number = 1, .source = source};
	struct ir ir = {.notebook_name = notebook.name};
	diags_init(&diags, &arena);
	if (tagged)
		vec_push(&arena, &cell.tags, SLICE("parameters"));
	vec_push(&arena, &notebook.cells, cell);
	struct parameter parameter = {
	        .name = SLICE("beta"),
	        .value = python_value_of_word(&arena, SLICE("1")),
	        .shared = shared,
	};
	struct ir_options options = {.parameters = {.items = &parameter, .count = 1}};
	ir_build(&arena, &notebook, slice_make("", 0), &options, &diags, &ir.blocks);
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
