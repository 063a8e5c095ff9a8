/* config: sweeps, from YAML to the table that a run script reads. */
#include "arena_fixture.h"
#include "emit/run_script.h"
#include "settings/sweep.h"
#include "settings/yaml_reader.h"
#include "unit.h"

/* The lines of the table behind its comments, or the one error. */
static struct slice table_of(const char *yaml)
{
	static const struct emit_names names = {.notebook = SLICE_INIT("heat.ipynb")};
	struct sweep sweep;
	struct diags diags;
	struct slice text, line;
	diags_init(&diags, &arena);
	const struct value *value = yaml_read(&arena, SLICE("s.yaml"), slice_from(yaml), &diags);
	struct strbuf out = {.arena = &arena};
	if (value == NULL || sweep_read(&arena, value, &diags, &sweep) < 0) {
		assert_int_equal(diags.list.count, 1);
		const struct diag *diag = &diags.list.items[0];
		return arena_printf(&arena, "%u:%u: %.*s", diag->where.line, diag->where.column,
		                    SLICE_ARG(diag->message));
	}
	assert_int_equal(diags.list.count, 0);
	emit_sweep_table(&out, &sweep, &names, SLICE("0123"));
	text = strbuf_slice(&out);
	assert_true(slice_next_line(&text, &line));
	assert_true(slice_starts_with(line, SLICE("# Compiled by nbscorep from heat.ipynb: ")));
	assert_true(slice_next_line(&text, &line));
	assert_true(slice_eq(line, SLICE("# nbscorep build 0123")));
	return sweep.limit.len == 0 ? text
	                            : arena_printf(&arena, "%.*s at a time\n%.*s",
	                                           SLICE_ARG(sweep.limit), SLICE_ARG(text));
}

struct example {
	const char *yaml, *table;
};

static void check(const struct example *examples, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		struct slice found = table_of(examples[i].yaml);
		if (!slice_eq(found, slice_from(examples[i].table)))
			fail_msg("%s\ngave\n%.*s", examples[i].yaml, SLICE_ARG(found));
	}
}

static void test_sets_are_in_order(void **state)
{
	static const struct example examples[] = {
	        {"- {a: 1}\n- {a: 2, b: x}\n- {}\n",
	         "1\t{\"a\": 1}\n2\t{\"a\": 2, \"b\": \"x\"}\n3\t{}\n"},
	        {"list: [{a: 1}]\nlimit: 4\n", "4 at a time\n1\t{\"a\": 1}\n"},
	        {"grid: {a: [1, 2], b: [x, y]}\n",
	         "1\t{\"a\": 1, \"b\": \"x\"}\n2\t{\"a\": 1, \"b\": \"y\"}\n"
	         "3\t{\"a\": 2, \"b\": \"x\"}\n4\t{\"a\": 2, \"b\": \"y\"}\n"},
	        {"zip: {a: [1, 2], b: [x, y]}\n",
	         "1\t{\"a\": 1, \"b\": \"x\"}\n2\t{\"a\": 2, \"b\": \"y\"}\n"},
	        {"grid: {c: [7, 8]}\nzip: {a: [1, 2]}\nlist: [{z: ~}]\n",
	         "1\t{\"z\": null, \"a\": 1, \"c\": 7}\n2\t{\"z\": null, \"a\": 1, \"c\": 8}\n"
	         "3\t{\"z\": null, \"a\": 2, \"c\": 7}\n4\t{\"z\": null, \"a\": 2, \"c\": 8}\n"},
	};
	check(examples, COUNT(examples));
}

static void test_values_are_what_python_reads(void **state)
{
	static const struct example examples[] = {
	        {"- {a: [1, -2, +3, 0x1F, 0o17, 0, 0xFFFFFFFFFFFFFFFF]}\n",
	         "1\t{\"a\": [1, -2, 3, 31, 15, 0, 18446744073709551615]}\n"},
	        {"- {a: [0.1, .5, 5., 1e3, -0.0, 1e400, .inf, -.INF, .nan, 123456789.123456789]}\n",
	         "1\t{\"a\": [0.1, 0.5, 5.0, 1000.0, -0.0, Infinity, Infinity, -Infinity, NaN, "
	         "123456789.12345679]}\n"},
	        {"- {a: [yes, false, ~, '', 'a\"b', \"c\\td\\ne\", \xc3\xa9], m: {x: {y: []}}}\n",
	         "1\t{\"a\": [true, false, null, \"\", \"a\\\"b\", \"c\\td\\ne\", \"\xc3\xa9\"], "
	         "\"m\": {\"x\": {\"y\": []}}}\n"},
	};
	check(examples, COUNT(examples));
}

static void test_faults_have_a_place(void **state)
{
	static const struct example examples[] = {
	        {"5\n", "1:1: a sweep requires a map with list, zip or grid, not a whole number"},
	        {"[]\n", "1:1: 'list' is empty: nothing would run"},
	        {"limit: 3\n", "1:1: the sweep is empty: nothing would run"},
	        {"grid: {}\n", "1:7: 'grid' is empty: nothing would run"},
	        {"grid: [1]\n",
	         "1:7: 'grid' requires a map from parameters to lists of values, not a list"},
	        {"gird: {a: [1]}\n", "1:1: a sweep has only list, zip, grid and limit, not 'gird'"},
	        {"grid: {a: 1}\n", "1:11: 'a' requires a list of values, not a whole number"},
	        {"zip: {a: [1], b: []}\n", "1:18: 'b' is empty: nothing would run"},
	        {"zip: {a: [1, 2], b: [1]}\n",
	         "1:21: 'b' has 1 values, but 'a' has 2; a zip requires lists of the same length"},
	        {"grid: {a: [1]}\nzip: {a: [2]}\n", "1:8: the sweep already has values for 'a'"},
	        {"list: [{a: 1}, 2]\n",
	         "1:16: a set requires a map of parameters, not a whole number"},
	        {"list: {a: 1}\n",
	         "1:7: 'list' requires a list of maps, one for each run, not a map"},
	        {"list: [{a: 1}]\nlimit: 0\n",
	         "2:8: 'limit' requires a number of runs, at least 1, not '0'"},
	        {"list: [{a: 1}]\nlimit: lots\n",
	         "2:8: 'limit' requires a whole number, not a text"},
	};
	check(examples, COUNT(examples));
}

static void test_a_sweep_has_a_limit(void **state)
{
	static const char values[] = "[1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20]";
	struct slice yaml = arena_printf(&arena, "grid: {a: %s, b: %s, c: %s, d: %s}\n", values,
	                                 values, values, values);
	struct slice found = table_of(yaml.ptr);
	assert_true(slice_ends_with(found, SLICE("the sweep has more than 100000 sets")));
}

/* A small file can ask for much: many sets, in which many parameters have one value each. */
static void test_a_sweep_has_so_many_values(void **state)
{
	static const char values[] = "[1,2,3,4,5,6,7,8,9,10]";
	struct strbuf yaml = {.arena = &arena};
	strbuf_printf(&yaml, "grid: {a: %s, b: %s, c: %s, d: %s", values, values, values, values);
	for (int i = 0; i < 97; i++)
		strbuf_printf(&yaml, ", p%d: [0]", i);
	strbuf_puts(&yaml, "}\n");
	struct slice found = table_of(arena_cstr(&arena, strbuf_slice(&yaml)));
	assert_true(slice_ends_with(found,
	                            SLICE("the sweep has more than 1000000 values in its sets")));
}

RUN(TEST(test_sets_are_in_order), TEST(test_values_are_what_python_reads),
    TEST(test_faults_have_a_place), TEST(test_a_sweep_has_a_limit),
    TEST(test_a_sweep_has_so_many_values))
