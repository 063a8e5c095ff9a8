/* notebook: the skimming JSON reader, and what fails around it. */
#include <jansson.h>
#include <stdio.h>

#include "base/strbuf.h"
#include "notebook_helpers.h"

/* ---- JSON that is odd but accepted ---- */

static void values_that_jansson_refuses_are_read(void **state)
{
	struct reading *r = *state;
	read_text(r, "\xEF\xBB\xBF{\"nbformat\": 4, \"cells\": [], \"metadata\": {\"nbscorep\": "
	             "[-0, 0.5e-3, {\"a\\u00e4b\": 1}]}, \"x\": [NaN, -Infinity, 1e999]}");
	assert_silent(r);
	assert_config(r, "[i'0', f'0.0005', {a\xC3\xA4"
	                 "b: i'1'}]");
	read_text(r, "{\"nbformat\": 4, \"nbformat_minor\": NaN, \"cells\": [], \"metadata\": "
	             "{\"kernelspec\": {\"name\": 1e999, \"language\": 123456789012345678901}}}");
	assert_silent(r);
}

/* A seed of 19 digits must not become another one. */
static void numbers_of_the_configuration_are_exact(void **state)
{
	struct reading *r = *state;
	read_cell(r, "\"source\": \"\"",
	          ", \"metadata\": {\"nbscorep\": [9223372036854775807, -9223372036854775808, "
	          "-123456789012345678, 1e300, -1E-300, 1e-999, "
	          "0.1234567890123456789012345678901234567890123]}");
	assert_silent(r);
	assert_config(r, "[i'9223372036854775807', i'-9223372036854775808', "
	                 "i'-123456789012345678', f'1e300', f'-1e-300', f'0.0', "
	                 "f'0.12345678901234568']");
}

static void other_values_of_the_configuration_are_errors(void **state)
{
	static const char *const values[] = {"9223372036854775808",
	                                     "-9223372036854775809",
	                                     "1e309",
	                                     "NaN",
	                                     "Infinity",
	                                     "-Infinity",
	                                     "\"\\u0000\"",
	                                     "{\"\\u0000\": 1}",
	                                     "\"\\ud800\""};
	struct reading *r = *state;
	for (size_t i = 0; i < COUNT(values); i++) {
		char text[300];
		snprintf(text, sizeof text,
		         "{\"nbformat\": 4, \"metadata\": {\"nbscorep\":\n [0,\n%s, 1]}}",
		         values[i]);
		read_text(r, text);
		assert_place(only_error(r, DIAG_CONFIG_SYNTAX), 0, 3, 0);
	}
}

static void the_last_of_equal_keys_counts(void **state)
{
	struct reading *r = *state;
	read_text(r, "{\"nbformat\": 3,\n"
	             "\"n\\u0062format\": 4, \"cells\": [\n{\"cell_type\": \"code\", \"source\": "
	             "\"a\",\n\"s\\u006furce\": \"b\"}]}");
	assert_silent(r);
	assert_int_equal(r->notebook.nbformat, 4);
	assert_int_equal(r->notebook.cells.count, 1);
	assert_text(cell_at(r, 0)->source, "b");
	assert_int_equal(cell_at(r, 0)->file_line, 4);
	read_cell(r, "\"source\": \"a\", \"source\": {\"a\": 1}", "");
	assert_text(cell_at(r, 0)->source, "");
	read_cell(r, "\"source\": \"a\"", ", \"cells\": {}");
	only_error(r, DIAG_NOT_NOTEBOOK);
}

static void surrogates_are_paired_or_replaced(void **state)
{
	struct reading *r = *state;
	read_cell(r, "\"source\":\n\"x = 1\\ny = '\\ud83d\\ude00 \\ud83d \\ude00\\ud83d\\u0041'\"",
	          "");
	assert_text(cell_at(r, 0)->source, "x = 1\ny = '\xF0\x9F\x98\x80 \xEF\xBF\xBD "
	                                   "\xEF\xBF\xBD\xEF\xBF\xBD"
	                                   "A'");
	assert_place(only_diag(r, DIAG_SURROGATE), 0, 2, 27);
	read_cell(r, "\"source\":\n[\"a\\n\", \"\\u00e9\\udc00\"], \"outputs\": [\"\\ud800\"]", "");
	assert_text(cell_at(r, 0)->source, "a\n\xC3\xA9\xEF\xBF\xBD");
	assert_place(only_diag(r, DIAG_SURROGATE), 0, 2, 16);
	read_cell(r, "\"metadata\": {\"tags\":\n [\"\\udfff\", \"\\udfff\"]}", "");
	assert_place(only_diag(r, DIAG_SURROGATE), 0, 2, 4);
}

static void lines_end_in_two_ways(void **state)
{
	struct reading *r = *state;
	read_text(r, "{\r\n\"cells\": [\n{\n\r\"cell_type\": \"code\", \r \n\"source\": \"\"}]}");
	assert_silent(r);
	assert_int_equal(cell_at(r, 0)->file_line, 5);
}

/* ---- JSON that is refused ---- */

static void json_errors_are_located(void **state)
{
	static const struct {
		const char *text;
		unsigned line, column;
		const char *message;
	} cases[] = {
	        {"", 1, 1, "the file is empty"},
	        {" \n ", 2, 2, "the file is empty"},
	        {"# Title", 1, 1, "expected a JSON value, found '#'"},
	        {"{} {}", 1, 4, "expected the end of the file, found '{'"},
	        {"[1, 2,\n]", 2, 1, "expected a value after ',', found ']'"},
	        {"[1 2]", 1, 4, "expected ',' or ']', found '2'"},
	        {"[}", 1, 2, "expected a value or ']', found '}'"},
	        {"{]", 1, 2, "expected a string or '}', found ']'"},
	        {"{\"a\": 1,}", 1, 9, "expected a string after ',', found '}'"},
	        {"{\"a\" 1}", 1, 6, "expected ':', found '1'"},
	        {"{\"a\":}", 1, 6, "expected a value after ':', found '}'"},
	        {"{\"a\": 1 \"b\"", 1, 9, "expected ',' or '}', found '\"'"},
	        {"\xC3\xA4\n", 1, 1, "expected a JSON value, found U+00E4"},
	        {"[\"\xC3\xA4\xF0\x9F\x98\x80\" x", 1, 7, "expected ',' or ']', found 'x'"},
	        {"[None]", 1, 2, "'None' is not a JSON value"},
	        {"[nullx]", 1, 2, "'nullx' is not a JSON value"},
	        {"[-Inf]", 1, 2, "'-Inf' is not a JSON value"},
	        {"[tru", 1, 2, "unexpected end of file in 'tru'"},
	        {"[01]", 1, 4, "a number has a leading zero"},
	        {"[-]", 1, 3, "expected a digit in a number"},
	        {"[1.]", 1, 4, "expected a digit in a number"},
	        {"[1e+]", 1, 5, "expected a digit in a number"},
	        {"[.5]", 1, 2, "expected a value or ']', found '.'"},
	        {"[\"a\nb\"]", 1, 4, "unexpected end of line in a string"},
	        {"[\"a\tb\"]", 1, 4, "control character U+0009 in a string"},
	        {"[\"0123456789\x1F 0123456789\"]", 1, 13, "control character U+001F in a string"},
	        {"\xEF\xBB\xBF[}", 1, 2, "expected a value or ']', found '}'"},
	        {"[\"\\x\"]", 1, 3, "invalid escape '\\x' in a string"},
	        {"[\"\\\xC3\xA4\"]", 1, 3, "invalid escape in a string"},
	        {"[\"\\u12g4\"]", 1, 3, "expected four hexadecimal digits after '\\u'"},
	        {"[\"ab", 1, 5, "unexpected end of file in a string"},
	        {"[\"ab\\", 1, 6, "unexpected end of file in a string"},
	        {"[\r\n{\"a\": 1,", 2, 9, "unexpected end of file, expected a string after ','"},
	};
	struct reading *r = *state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		read_text(r, cases[i].text);
		struct diag *diag = only_error(r, DIAG_JSON);
		assert_text(diag->message, cases[i].message);
		assert_place(diag, 0, cases[i].line, cases[i].column);
	}
}

static void other_files_are_named(void **state)
{
	static const struct {
		const char *text, *hint;
	} cases[] = {
	        {"version https://git-lfs.github.com/spec/v1\n",
	         "this is a pointer of Git LFS: 'git lfs pull' fetches the notebook"},
	        {"\n<!DOCTYPE html>", "this is a page of HTML or XML: download the notebook "
	                              "itself, as with a 'Raw' button"},
	        {"from os import x",
	         "a notebook is a JSON file; jupytext makes one of a Python script"},
	        {"# %%\nx = 1\n",
	         "a notebook is a JSON file; jupytext makes one of a Python script"},
	        {"[1, import", ""},
	        {"", ""},
	};
	struct reading *r = *state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		read_text(r, cases[i].text);
		assert_text(only_error(r, DIAG_JSON)->hint, cases[i].hint);
	}
	read_text(r, "<<<<<<< HEAD\n");
	assert_text(only_error(r, DIAG_MERGE_CONFLICT)->hint, "resolve it, then build again");
}

static void source_lines_are_shown(void **state)
{
	struct reading *r = *state;
	read_text(r, "[\n  1 2, \xC3\xA4\r\n]");
	assert_text(only_error(r, DIAG_JSON)->where.text, "  1 2, \xC3\xA4");
	read_text(r, "[1 2, \xFF]");
	assert_text(only_error(r, DIAG_JSON)->where.text, "");
	/* Lines just as long as what is shown, longer, and longer than a chunk. */
	read_slice(r, arena_printf(&r->arena, "%-200s", "[1 2,"));
	assert_int_equal(only_error(r, DIAG_JSON)->where.text.len, 200);
	read_slice(r, arena_printf(&r->arena, "%-201s", "[1 2,"));
	assert_text(only_error(r, DIAG_JSON)->where.text, "");
	struct strbuf text = {.arena = &r->arena};
	strbuf_puts(&text, "[\"");
	for (unsigned i = 0; i < 50000; i++)
		strbuf_puts(&text, "\xE4\xB8\xAD");
	strbuf_puts(&text, "\" x");
	read_slice(r, strbuf_slice(&text));
	assert_text(only_error(r, DIAG_JSON)->where.text, "");
	assert_place(only_error(r, DIAG_JSON), 0, 1, 50005);
}

/* Wherever a notebook is cut off, that is one error. */
static void truncated_files_are_refused(void **state)
{
	struct slice text =
	        SLICE("{\"cells\": [{\"cell_type\": \"code\", \"source\": [\"\\ud83d\\ude00"
	              "\xC3\xA4\", -1.5e3, true, {}]}], \"nbformat\": 4}");
	struct reading *r = *state;
	for (size_t len = 0; len < text.len; len++) {
		read_slice(r, slice_sub(text, 0, len));
		assert_int_equal(r->result, -1);
		assert_int_equal(r->diags.list.count, 1);
	}
	read_slice(r, text);
	assert_int_equal(r->result, 0);
}

static void merge_conflicts_are_named(void **state)
{
	static const struct {
		const char *text;
		unsigned line, column;
	} cases[] = {
	        {"[1,\n<<<<<<< HEAD\n2,\n", 2, 1}, {"[1\n=======\n", 2, 1},
	        {"[1,\r\n||||||| base\r\n", 2, 1}, {"[1]\n>>>>>>> main", 2, 1},
	        {"[1]>>>>>>> main", 1, 4},         {"{\n<<<<<<<", 2, 1},
	};
	struct reading *r = *state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		read_text(r, cases[i].text);
		assert_place(only_error(r, DIAG_MERGE_CONFLICT), 0, cases[i].line, cases[i].column);
	}
	read_text(r, "[1\n======\n");
	only_error(r, DIAG_JSON);
	read_text(r, "[1\n<<<<<<<<\n");
	only_error(r, DIAG_JSON);
}

static void other_encodings_are_refused(void **state)
{
	static const struct {
		struct slice text;
		unsigned column;
		const char *message;
	} cases[] = {
	        {SLICE_INIT("[\"ab\xFF\"]"), 5, "the file is not valid UTF-8: byte 0xFF"},
	        {SLICE_INIT("[\"\xC3\"]"), 3, "the file is not valid UTF-8: byte 0xC3"},
	        {SLICE_INIT("[\"\xED\xA0\x80\"]"), 3, "the file is not valid UTF-8: byte 0xED"},
	        {SLICE_INIT("[\"\xF0\x9F"), 3, "the file is not valid UTF-8: byte 0xF0"},
	        {SLICE_INIT("[\xE4]"), 2, "the file is not valid UTF-8: byte 0xE4"},
	        {SLICE_INIT("\xFF\xFE{\0}\0"), 1, "the file is UTF-16, but notebooks are UTF-8"},
	        {SLICE_INIT("\xFE\xFF\0{\0}"), 1, "the file is UTF-16, but notebooks are UTF-8"},
	        {SLICE_INIT("{\0}\0"), 1, "the file is UTF-16, but notebooks are UTF-8"},
	};
	struct reading *r = *state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		read_slice(r, cases[i].text);
		struct diag *diag = only_error(r, DIAG_ENCODING);
		assert_text(diag->message, cases[i].message);
		assert_place(diag, 0, 1, cases[i].column);
	}
}

/* ---- what fails around it ---- */

static void read_errors_are_reported(void **state)
{
	static const char *const texts[] = {"",
	                                    "{\"ce",
	                                    "{\"cells\": [",
	                                    "[\"a",
	                                    "[\"\\u",
	                                    "[tr",
	                                    "[1",
	                                    "{\"cells\": [], \"nbformat\": 4}",
	                                    "[}"};
	struct reading *r = *state;
	memory_file.error = EIO;
	for (size_t i = 0; i < COUNT(texts); i++) {
		read_text(r, texts[i]);
		assert_text(only_error(r, DIAG_IO)->message,
		            "cannot read 'a.ipynb': Input/output error");
	}
}

static void *taken_elsewhere(size_t size)
{
	fail_msg("jansson takes %zu bytes that no arena has", size);
	return NULL;
}

static void given_elsewhere(void *block)
{
	fail_msg("jansson gives %p back, which no arena has", block);
}

/* A failing allocation of jansson's must leave jansson, which would go on with a wrong text. */
static void memory_is_the_arenas(void **state)
{
	struct slice text =
	        SLICE("{\"nbformat\": 4, \"cells\": [{\"cell_type\": \"code\", \"source\": "
	              "[\"a\", \"b\"]}], \"metadata\": {\"nbscorep\": {\"a\": [1.5]}}}");
	struct reading *r = *state;
	json_malloc_t old_malloc, usual_malloc;
	json_free_t old_free, usual_free;
	json_get_alloc_funcs(&old_malloc, &old_free);
	json_set_alloc_funcs(taken_elsewhere, given_elsewhere);
	read_long(r, text);
	json_get_alloc_funcs(&usual_malloc, &usual_free);
	json_set_alloc_funcs(old_malloc, old_free);
	assert_true(usual_malloc == taken_elsewhere && usual_free == given_elsewhere);
	assert_text(cell_at(r, 0)->source, "ab");
}

RUN(TEST(lines_end_in_two_ways), TEST(values_that_jansson_refuses_are_read),
    TEST(numbers_of_the_configuration_are_exact),
    TEST(other_values_of_the_configuration_are_errors), TEST(the_last_of_equal_keys_counts),
    TEST(surrogates_are_paired_or_replaced), TEST(json_errors_are_located),
    TEST(source_lines_are_shown), TEST(truncated_files_are_refused), TEST(other_files_are_named),
    TEST(merge_conflicts_are_named), TEST(other_encodings_are_refused),
    TEST(read_errors_are_reported), TEST(memory_is_the_arenas))
