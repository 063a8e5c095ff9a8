/* notebook: the skimming JSON reader and the conversion into cells. Each text is read twice: in one
 * piece, and byte by byte, which must not make a difference. */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>
#include <jansson.h>

#include "base/os.h"
#include "base/strbuf.h"
#include "notebook/notebook.h"
#include "notebook/skim.h"

/* ---- reading from memory ---- */

/* What the reader's system calls find in the "file". */
static struct {
	struct slice rest;
	size_t at_most; /* bytes one read gives */
	int error;      /* errno of the read after the last byte; 0: end of file */
} file;

static ssize_t read_memory(int fd, void *buffer, size_t size)
{
	(void)fd;
	if (file.rest.len == 0 && file.error != 0) {
		errno = file.error;
		return -1;
	}
	size_t len = size < file.at_most ? size : file.at_most;
	struct slice part = slice_sub(file.rest, 0, len);
	if (part.len > 0)
		memcpy(buffer, part.ptr, part.len);
	file.rest = slice_sub(file.rest, part.len, file.rest.len);
	return (ssize_t)part.len;
}

struct reading {
	struct arena arena;
	struct diags diags;
	struct notebook notebook;
	int result, read_error;
};

static int set_up(void **state)
{
	static struct os_calls calls;
	static struct reading reading;
	calls = os_system_calls;
	calls.read = read_memory;
	os_set_calls(&calls);
	file.error = 0;
	arena_init(&reading.arena, NULL);
	*state = &reading;
	return 0;
}

static int tear_down(void **state)
{
	struct reading *r = *state;
	arena_release(&r->arena);
	os_set_calls(NULL);
	return 0;
}

static void read_pieces(struct reading *r, struct slice text, size_t at_most)
{
	file.rest = text;
	file.at_most = at_most;
	diags_init(&r->diags, &r->arena);
	r->result = notebook_read(&r->arena, 99, SLICE("a.ipynb"), &r->diags, &r->notebook,
	                          &r->read_error);
}

static void assert_slices(struct slice got, struct slice expected)
{
	assert_int_equal(got.len, expected.len);
	if (expected.len > 0)
		assert_memory_equal(got.ptr, expected.ptr, expected.len);
}

static void assert_slice(struct slice got, const char *expected)
{
	assert_slices(got, slice_from(expected));
}

/* Reads a text of any length, of which byte by byte would take too long. */
static void read_long(struct reading *r, struct slice text)
{
	read_pieces(r, text, SIZE_MAX);
}

static void read_slice(struct reading *r, struct slice text)
{
	read_pieces(r, text, 1);
	struct reading bytewise = *r;
	read_long(r, text);
	assert_int_equal(r->result, bytewise.result);
	assert_int_equal(r->diags.list.count, bytewise.diags.list.count);
	for (size_t i = 0; i < r->diags.list.count; i++) {
		struct diag *a = &r->diags.list.items[i], *b = &bytewise.diags.list.items[i];
		assert_int_equal(a->where.line, b->where.line);
		assert_int_equal(a->where.column, b->where.column);
		assert_slices(a->where.text, b->where.text);
		assert_slices(a->message, b->message);
	}
	assert_int_equal(r->notebook.cells.count, bytewise.notebook.cells.count);
}

static void read_text(struct reading *r, const char *text)
{
	read_slice(r, slice_from(text));
}

/* A notebook of one cell with the given members; nbformat 4 unless MORE says something else. */
static void read_cell(struct reading *r, const char *members, const char *more)
{
	struct slice text = arena_printf(
	        &r->arena, "{\"nbformat\": 4, \"cells\": [{\"cell_type\": \"code\", %s}]%s}",
	        members, more);
	read_slice(r, text);
}

static struct cell *cell_at(struct reading *r, size_t i)
{
	assert_int_equal(r->result, 0);
	assert_true(i < r->notebook.cells.count);
	return &r->notebook.cells.items[i];
}

/* The one diagnostic there is. */
static struct diag *only_diag(struct reading *r, enum diag_kind kind)
{
	assert_int_equal(r->diags.list.count, 1);
	struct diag *diag = &r->diags.list.items[0];
	assert_string_equal(diag_row(diag->kind)->name, diag_row(kind)->name);
	return diag;
}

static struct diag *only_error(struct reading *r, enum diag_kind kind)
{
	assert_int_equal(r->result, -1);
	return only_diag(r, kind);
}

static void assert_silent(struct reading *r)
{
	assert_int_equal(r->result, 0);
	assert_int_equal(r->diags.list.count, 0);
}

static void assert_place(const struct diag *diag, unsigned cell, unsigned line, unsigned column)
{
	assert_int_equal(diag->where.cell, cell);
	assert_int_equal(diag->where.line, line);
	assert_int_equal(diag->where.column, column);
}

/* ---- cells ---- */

static void sources_join_as_their_nbformat_says(void **state)
{
	static const struct {
		int nbformat;
		const char *value, *expected;
	} cases[] = {
	        {4, "\"a\\nb\"", "a\nb"},
	        {4, "[\"a\\n\", \"b\"]", "a\nb"},
	        {4, "[\"a\", \"b\"]", "ab"},
	        {4, "[]", ""},
	        {4, "null", ""},
	        {3, "[\"a\", \"b\"]", "a\nb"},
	        {3, "[\"a\\n\", \"b\", \"c\"]", "a\nbc"},
	        {3, "[\"a\\r\", \"b\"]", "a\rb"},
	        {3, "[\"\", \"b\\n\"]", "\nb\n"},
	        {2, "[\"a\\n\", \"b\"]", "a\n\nb"},
	        {1, "[\"a\", \"\", \"b\"]", "a\n\nb"},
	};
	struct reading *r = *state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct slice text = arena_printf(&r->arena,
		                                 "{\"nbformat\": %d, \"cells\": [{\"cell_type\": "
		                                 "\"code\", \"source\": %s}]}",
		                                 cases[i].nbformat, cases[i].value);
		read_slice(r, text);
		assert_silent(r);
		assert_slice(cell_at(r, 0)->source, cases[i].expected);
	}
}

static void missing_nbformat_is_guessed(void **state)
{
	struct reading *r = *state;
	read_text(r, "{\"cells\": [{\"cell_type\": \"code\", \"source\": [\"a\\n\", \"b\"]}]}");
	assert_slice(cell_at(r, 0)->source, "a\n\nb");
	assert_int_equal(r->notebook.nbformat, 1);
	read_text(r, "{\"worksheets\": [{\"cells\": [{\"cell_type\": \"code\", \"input\": "
	             "[\"a\\n\", \"b\"]}]}]}");
	assert_slice(cell_at(r, 0)->source, "a\nb");
	assert_int_equal(r->notebook.nbformat, 3);
}

static void sources_stand_under_several_keys(void **state)
{
	struct reading *r = *state;
	read_cell(r, "\"text\": \"t\", \"code\": \"c\"", "");
	assert_slice(cell_at(r, 0)->source, "c");
	read_cell(r, "\"code\": \"c\", \"input\": \"i\"", "");
	assert_slice(cell_at(r, 0)->source, "i");
	read_cell(r, "\"source\": \"s\", \"input\": \"i\"", "");
	assert_slice(cell_at(r, 0)->source, "s");
	read_cell(r, "\"text\": \"not of a code cell\"", "");
	assert_slice(cell_at(r, 0)->source, "");
	read_text(r, "{\"nbformat\": 1, \"cells\": [{\"cell_type\": \"text\", \"text\": \"t\"}]}");
	assert_slice(cell_at(r, 0)->source, "t");
	assert_int_equal(cell_at(r, 0)->type, CELL_MARKDOWN);
}

static void odd_sources_are_reported(void **state)
{
	struct reading *r = *state;
	read_cell(r, "\"source\": [\"a\", 1, {\"b\": [2]}, [], null, \"c\"]", "");
	assert_slice(cell_at(r, 0)->source, "ac");
	assert_place(only_diag(r, DIAG_CELL_SOURCE), 1, 0, 0);
	read_cell(r, "\"source\": {\"a\": \"b\"}", "");
	assert_slice(cell_at(r, 0)->source, "");
	assert_slice(only_diag(r, DIAG_CELL_SOURCE)->message,
	             "the cell's source is neither a string nor a list of strings");
}

static void types_are_told(void **state)
{
	static const struct {
		int nbformat;
		const char *members;
		enum cell_type type;
		const char *message; /* NULL: none */
	} cases[] = {
	        {4, "\"cell_type\": \"code\"", CELL_CODE, NULL},
	        {4, "\"cell_type\": \"markdown\"", CELL_MARKDOWN, NULL},
	        {4, "\"cell_type\": \"raw\"", CELL_RAW, NULL},
	        {3, "\"cell_type\": \"heading\"", CELL_HEADING, NULL},
	        {3, "\"cell_type\": \"html\"", CELL_RAW, NULL},
	        {4, "\"cell_type\": \"heading\"", CELL_RAW,
	         "unknown cell type 'heading', so it is not compiled"},
	        {4, "\"cell_type\": \"sql\"", CELL_RAW,
	         "unknown cell type 'sql', so it is not compiled"},
	        {4, "\"cell_type\": 7", CELL_RAW, "the cell has no type, so it is not compiled"},
	        {4, "\"source\": \"x\"", CELL_RAW, "the cell has no type, so it is not compiled"},
	        {3, "\"cell_type\": \"code\", \"language\": \"Python\"", CELL_CODE, NULL},
	        {3, "\"cell_type\": \"code\", \"language\": \"\"", CELL_CODE, NULL},
	        {3, "\"cell_type\": \"code\", \"language\": \"ruby\"", CELL_RAW,
	         "the cell's language is 'ruby', so it is not compiled"},
	};
	struct reading *r = *state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct slice text = arena_printf(&r->arena, "{\"nbformat\": %d, \"cells\": [{%s}]}",
		                                 cases[i].nbformat, cases[i].members);
		read_slice(r, text);
		assert_int_equal(cell_at(r, 0)->type, cases[i].type);
		if (cases[i].message == NULL)
			assert_silent(r);
		else
			assert_slice(only_diag(r, DIAG_CELL_TYPE)->message, cases[i].message);
	}
}

static void every_cell_is_counted(void **state)
{
	struct reading *r = *state;
	read_text(r, "{\"nbformat\": 4, \"cells\": [{\"cell_type\": \"raw\"}, 5, [\"x\"],\n"
	             "{\"cell_type\": \"code\",\n\"source\": \"x\"}]}");
	assert_int_equal(r->diags.list.count, 2);
	assert_place(&r->diags.list.items[0], 2, 0, 0);
	assert_int_equal(r->notebook.cells.count, 2);
	assert_int_equal(cell_at(r, 1)->number, 4);
	assert_int_equal(cell_at(r, 1)->file_line, 3);
}

static void worksheets_are_one_list(void **state)
{
	struct reading *r = *state;
	read_text(r,
	          "{\"nbformat\": 3, \"worksheets\": [\n"
	          "{\"cells\": [{\"cell_type\": \"code\", \"input\": \"a\"}]}, 3, {\"cells\": 4},\n"
	          "{\"cells\": [{\"cell_type\": \"heading\", \"level\": 2, \"source\": \"h\"},\n"
	          "{\"cell_type\": \"code\", \"input\": \"b\"}]}]}");
	assert_silent(r);
	assert_int_equal(r->notebook.cells.count, 3);
	assert_int_equal(cell_at(r, 1)->level, 2);
	assert_int_equal(cell_at(r, 2)->number, 3);
	assert_int_equal(cell_at(r, 2)->file_line, 4);
	assert_slice(cell_at(r, 2)->source, "b");
}

static void levels_are_clamped(void **state)
{
	static const struct {
		const char *value;
		unsigned level;
	} cases[] = {{"3", 3}, {"0", 1}, {"99", 6}, {"-1", 1}, {"\"2\"", 1}, {"1e3", 1}};
	struct reading *r = *state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct slice text = arena_printf(&r->arena,
		                                 "{\"nbformat\": 3, \"cells\": [{\"cell_type\": "
		                                 "\"heading\", \"level\": %s}]}",
		                                 cases[i].value);
		read_slice(r, text);
		assert_int_equal(cell_at(r, 0)->level, cases[i].level);
	}
}

static void ids_and_tags_are_kept(void **state)
{
	struct reading *r = *state;
	read_cell(r, "\"id\": \"8f3a\", \"metadata\": {\"x\": [1], \"tags\": [\"a\", 1, \"b c\"]}",
	          "");
	assert_silent(r);
	assert_slice(cell_at(r, 0)->id, "8f3a");
	assert_int_equal(cell_at(r, 0)->tags.count, 2);
	assert_slice(cell_at(r, 0)->tags.items[1], "b c");
	read_cell(r, "\"id\": 5, \"metadata\": \"odd\"", "");
	assert_silent(r);
	assert_int_equal(cell_at(r, 0)->tags.count, 0);
}

/* ---- the notebook ---- */

static void languages_are_told(void **state)
{
	static const struct {
		const char *metadata, *message; /* NULL: it is Python */
	} cases[] = {
	        {"{}", NULL},
	        {"7", NULL},
	        {"{\"language_info\": {\"name\": \"python\"}}", NULL},
	        {"{\"language_info\": {\"name\": \"IPython\"}}", NULL},
	        {"{\"kernelspec\": {\"language\": \"Python3\"}}", NULL},
	        {"{\"kernelspec\": {\"name\": \"conda-env-a\"}}", NULL},
	        {"{\"kernelspec\": {\"name\": \"x\", \"display_name\": \"My Python 3\"}}", NULL},
	        {"{\"language_info\": {\"name\": \"Any text\"}, "
	         "\"kernelspec\": {\"name\": \"scorep-python\"}}",
	         NULL},
	        {"{\"language_info\": {\"name\": \"Any text\"}, "
	         "\"kernelspec\": {\"language\": \"python\"}}",
	         NULL},
	        {"{\"vscode\": {\"languageId\": \"plaintext\"}}", NULL},
	        {"{\"language_info\": {\"name\": \"R\"}}",
	         "the notebook's language is 'R', not Python"},
	        {"{\"language_info\": {\"name\": \"\"}, \"kernelspec\": {\"language\": \"julia\"}}",
	         "the notebook's language is 'julia', not Python"},
	        {"{\"language_info\": {\"name\": \"any text\"}, "
	         "\"kernelspec\": {\"language\": \"Go\"}}",
	         "the notebook's language is 'Go', not Python"},
	        {"{\"kernelspec\": {\"name\": \"ir\", \"display_name\": \"R 4\"}}",
	         "the notebook's kernel is 'R 4', not a Python kernel"},
	        {"{\"kernelspec\": {\"name\": \"ir\"}}",
	         "the notebook's kernel is 'ir', not a Python kernel"},
	};
	struct reading *r = *state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct slice text = arena_printf(
		        &r->arena, "{\"nbformat\": 4, \"cells\": [], \"metadata\": %s}",
		        cases[i].metadata);
		read_slice(r, text);
		if (cases[i].message == NULL)
			assert_silent(r);
		else
			assert_slice(only_error(r, DIAG_LANGUAGE)->message, cases[i].message);
	}
}

static void what_is_no_notebook_is_refused(void **state)
{
	static const char *const cases[][2] = {
	        {"[]", "not a Jupyter notebook: it is not a JSON object"},
	        {"\"nbformat\"", "not a Jupyter notebook: it is not a JSON object"},
	        {"{}", "not a Jupyter notebook: it has no list of cells"},
	        {"{\"cells\": {\"a\": []}}", "not a Jupyter notebook: it has no list of cells"},
	        {"{\"nbformat\": \"4\", \"cells\": []}",
	         "not a Jupyter notebook: its 'nbformat' is not a version number"},
	        {"{\"nbformat\": null, \"cells\": []}",
	         "not a Jupyter notebook: its 'nbformat' is not a version number"},
	        {"{\"nbformat\": 0, \"cells\": []}",
	         "not a Jupyter notebook: its 'nbformat' is not a version number"},
	        {"{\"nbformat\": 5, \"cells\": []}",
	         "nbformat 5 is newer than 4, the newest known"},
	        {"{\"nbformat\": 99999999999999999999, \"cells\": []}",
	         "nbformat 9223372036854775807 is newer than 4, the newest known"},
	};
	struct reading *r = *state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		read_text(r, cases[i][0]);
		assert_slice(only_error(r, DIAG_NOT_NOTEBOOK)->message, cases[i][1]);
		assert_int_equal(r->read_error, 0);
	}
}

static void head_is_kept(void **state)
{
	struct reading *r = *state;
	read_text(r, "{\"nbformat\": 4, \"nbformat_minor\": 99, \"cells\": [], \"metadata\":\n{\n"
	             "\"kernelspec\": {\"name\": \"python3\", \"display_name\": \"Py \\u00e9\"},\n"
	             "\"nbscorep\":\n{\"env\": {\"A\": [1, 2.5, true, \"\\ud83d\\ude00/\\\"\"]},"
	             " \"b\": {}}}}");
	assert_silent(r);
	assert_int_equal(r->notebook.nbformat_minor, 99);
	assert_slice(r->notebook.name, "a.ipynb");
	assert_slice(r->notebook.kernel_name, "python3");
	assert_slice(r->notebook.kernel_display, "Py \xC3\xA9");
	assert_int_equal(r->notebook.config_line, 5);
	assert_slice(r->notebook.config,
	             "{\"env\":{\"A\":[1,2.5,true,\"\xF0\x9F\x98\x80/\\\"\"]},\"b\":{}}");
}

/* ---- JSON that is odd but accepted ---- */

static void values_that_jansson_refuses_are_rewritten(void **state)
{
	struct reading *r = *state;
	read_text(r, "\xEF\xBB\xBF{\"nbformat\": 4, \"cells\": [], \"metadata\": {\"nbscorep\": "
	             "[NaN, Infinity, -Infinity, 1e999, -1E+300, 123456789012345678901, "
	             "-123456789012345678901, -0, 0.5e-3, {\"a\\u0000b\": 1}, "
	             "0.1234567890123456789012345678901234567890123]}, \"x\": [NaN, -Infinity]}");
	assert_silent(r);
	assert_slice(r->notebook.config,
	             "[null,null,null,null,null,9223372036854775807,-9223372036854775808,0,"
	             "0.00050000000000000001,{\"a\xEF\xBF\xBD"
	             "b\":1},null]");
}

static void the_last_of_equal_keys_counts(void **state)
{
	struct reading *r = *state;
	read_text(r, "{\"nbformat\": 3, \"cells\": [{\"cell_type\": \"raw\"}],\n"
	             "\"n\\u0062format\": 4, \"cells\": [\n{\"cell_type\": \"code\", \"source\": "
	             "\"a\\ud800\",\n\"s\\u006furce\": \"b\"}]}");
	assert_silent(r);
	assert_int_equal(r->notebook.nbformat, 4);
	assert_int_equal(r->notebook.cells.count, 1);
	assert_slice(cell_at(r, 0)->source, "b");
	assert_int_equal(cell_at(r, 0)->file_line, 4);
	read_text(
	        r,
	        "{\"worksheets\": [{\"cells\": [{\"cell_type\": \"code\", \"input\": \"a\"}]},\n"
	        "{\"cells\": [{}, {}],\n\"cells\": [{\"cell_type\": \"code\",\n\"input\": \"b\"}]}"
	        "]}");
	assert_silent(r);
	assert_int_equal(r->notebook.cells.count, 2);
	assert_int_equal(cell_at(r, 1)->file_line, 4);
	read_text(r,
	          "{\"worksheets\": [{\"cells\": [{}, {}]}],\n"
	          "\"worksheets\": [{\"cells\": [{\"cell_type\": \"code\", \"input\": \"a\"}]}]}");
	assert_silent(r);
	assert_int_equal(cell_at(r, 0)->file_line, 2);
	read_cell(r, "\"source\": \"a\", \"source\": {\"a\": 1}", "");
	assert_slice(cell_at(r, 0)->source, "");
	read_cell(r, "\"source\": \"a\"", ", \"cells\": {}");
	only_error(r, DIAG_NOT_NOTEBOOK);
}

static void surrogates_are_paired_or_replaced(void **state)
{
	struct reading *r = *state;
	read_cell(r, "\"source\": \"x = 1\\ny = '\\ud83d\\ude00 \\ud83d \\ude00\\ud83d\\u0041'\"",
	          "");
	assert_slice(cell_at(r, 0)->source, "x = 1\ny = '\xF0\x9F\x98\x80 \xEF\xBF\xBD "
	                                    "\xEF\xBF\xBD\xEF\xBF\xBD"
	                                    "A'");
	struct diag *diag = only_diag(r, DIAG_SURROGATE);
	assert_place(diag, 1, 2, 8);
	assert_int_equal(diag->where.length, 1);
	assert_slice(diag->message,
	             "lone surrogate escape replaced by U+FFFD (the first of 3 in this cell)");
	read_cell(r, "\"source\": [\"a\\n\", \"\\u00e9\\udc00\"], \"outputs\": [\"\\ud800\"]", "");
	assert_slice(cell_at(r, 0)->source, "a\n\xC3\xA9\xEF\xBF\xBD");
	assert_place(only_diag(r, DIAG_SURROGATE), 1, 2, 2);
	read_cell(r, "\"metadata\": {\"tags\":\n [\"\\udfff\", \"\\udfff\"]}", "");
	assert_place(only_diag(r, DIAG_SURROGATE), 0, 2, 4);
}

static void nul_characters_are_kept(void **state)
{
	struct reading *r = *state;
	read_cell(r, "\"source\": \"a\\u0000b\\\"\\\\\\/\\b\\f\\n\\r\\t\"", "");
	assert_silent(r);
	assert_slices(cell_at(r, 0)->source, SLICE("a\0b\"\\/\b\f\n\r\t"));
}

static void lines_end_in_three_ways(void **state)
{
	struct reading *r = *state;
	read_text(r, "{\r\n\"cells\": [\r{\n\r\"cell_type\": \"code\", \r \n\"source\": \"\"}]}");
	assert_silent(r);
	assert_int_equal(cell_at(r, 0)->file_line, 7);
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
	        {"[01]", 1, 4, "a number begins with 0"},
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
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		read_text(r, cases[i].text);
		struct diag *diag = only_error(r, DIAG_JSON);
		assert_slice(diag->message, cases[i].message);
		assert_place(diag, 0, cases[i].line, cases[i].column);
	}
}

static void open_brackets_are_pointed_out(void **state)
{
	struct reading *r = *state;
	read_text(r, "{\n\"cells\": [\n{}");
	assert_slice(only_error(r, DIAG_JSON)->hint,
	             "the array that is not closed begins on line 2");
}

static void source_lines_are_shown(void **state)
{
	struct reading *r = *state;
	read_text(r, "[\n  1 2, \xC3\xA4\r\n]");
	assert_slice(only_error(r, DIAG_JSON)->where.text, "  1 2, \xC3\xA4");
	read_text(r, "[1 2, \xFF]");
	assert_slice(only_error(r, DIAG_JSON)->where.text, "");
	/* Lines just as long as what is shown, longer, and longer than a chunk. */
	read_slice(r, arena_printf(&r->arena, "%-200s", "[1 2,"));
	assert_int_equal(only_error(r, DIAG_JSON)->where.text.len, 200);
	read_slice(r, arena_printf(&r->arena, "%-201s", "[1 2,"));
	assert_slice(only_error(r, DIAG_JSON)->where.text, "");
	struct strbuf text;
	strbuf_init(&text, &r->arena);
	strbuf_puts(&text, "[\"");
	for (unsigned i = 0; i < 50000; i++)
		strbuf_puts(&text, "\xE4\xB8\xAD");
	strbuf_puts(&text, "\" x");
	read_slice(r, strbuf_slice(&text));
	assert_slice(only_error(r, DIAG_JSON)->where.text, "");
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
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
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
	        {SLICE_INIT("\xFF\xFE\0\0{\0\0\0"), 1,
	         "the file is UTF-32, but notebooks are UTF-8"},
	        {SLICE_INIT("\0\0\xFE\xFF\0\0\0{"), 1,
	         "the file is UTF-32, but notebooks are UTF-8"},
	};
	struct reading *r = *state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		read_slice(r, cases[i].text);
		struct diag *diag = only_error(r, DIAG_ENCODING);
		assert_slice(diag->message, cases[i].message);
		assert_place(diag, 0, 1, cases[i].column);
	}
}

/* ---- limits and failures ---- */

static struct slice repeated(struct reading *r, const char *before, const char *unit, size_t count,
                             const char *after)
{
	struct strbuf text;
	strbuf_init(&text, &r->arena);
	strbuf_puts(&text, before);
	for (size_t i = 0; i < count; i++)
		strbuf_puts(&text, unit);
	strbuf_puts(&text, after);
	return strbuf_slice(&text);
}

static void depth_is_limited(void **state)
{
	struct reading *r = *state;
	read_slice(r, repeated(r, "", "[", SKIM_DEPTH_MAX, "1"));
	only_error(r, DIAG_JSON);
	read_slice(r, repeated(r, "", "[", SKIM_DEPTH_MAX + 1, "1"));
	assert_place(only_error(r, DIAG_LIMIT), 0, 1, SKIM_DEPTH_MAX + 1);
}

static void what_is_kept_is_limited(void **state)
{
	struct reading *r = *state;
	read_long(r, repeated(r, "{\"cells\": [0", ", 0", SKIM_CELLS_MAX, "]}"));
	assert_slice(only_error(r, DIAG_LIMIT)->message, "the notebook has more than 100000 cells");
	read_long(r,
	          repeated(r, "{\"metadata\": {\"nbscorep\": [0", ", 0", SKIM_VALUES_MAX, "]}}"));
	assert_slice(only_error(r, DIAG_LIMIT)->message,
	             "the notebook has more than 1000000 values");
	read_long(r, repeated(r, "{\"cells\": [{\"source\": \"", "0123456789abcdef",
	                      SKIM_CELL_BYTES_MAX / 16, "\"}]}"));
	assert_slice(only_error(r, DIAG_LIMIT)->message, "the cell's text exceeds 16 MiB");
}

static void outputs_are_not_kept(void **state)
{
	struct reading *r = *state;
	read_long(r, repeated(r,
	                      "{\"nbformat\": 4, \"cells\": [{\"cell_type\": \"code\", \"source\": "
	                      "\"x\", \"outputs\": [{\"data\": [0",
	                      ", {\"a\": \"b\"}", SKIM_VALUES_MAX, "]}]}]}"));
	assert_silent(r);
	assert_slice(cell_at(r, 0)->source, "x");
	read_long(r, repeated(r,
	                      "{\"nbformat\": 4, \"cells\": [{\"cell_type\": \"code\", \"source\": "
	                      "\"x\", \"attachments\": \"",
	                      "0123456789abcdef", SKIM_CELL_BYTES_MAX / 16, "\"}]}"));
	assert_silent(r);
}

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
	file.error = EIO;
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
		read_text(r, texts[i]);
		assert_slice(only_error(r, DIAG_IO)->message,
		             "cannot read 'a.ipynb': Input/output error");
		assert_int_equal(r->read_error, EIO);
	}
}

static void folders_are_refused(void **state)
{
	struct reading *r = *state;
	os_set_calls(NULL);
	int fd = open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	diags_init(&r->diags, &r->arena);
	r->result =
	        notebook_read(&r->arena, fd, SLICE("/"), &r->diags, &r->notebook, &r->read_error);
	close(fd);
	assert_slice(only_error(r, DIAG_IO)->message, "cannot read '/': Is a directory");
	assert_int_equal(r->read_error, EISDIR);
}

/* jansson's memory: how many blocks are alive, and how many allocations still succeed. */
static size_t blocks, left;

static void *failing_malloc(size_t size)
{
	if (left == 0)
		return NULL;
	left--;
	blocks++;
	return malloc(size);
}

static void counting_free(void *block)
{
	blocks -= block != NULL;
	free(block);
}

/* Does reading get through with COUNT allocations of jansson's? */
static bool survives(struct reading *r, struct slice text, size_t count)
{
	jmp_buf failed;
	arena_set_handler(&r->arena, &failed);
	left = count;
	bool finished = false;
	if (setjmp(failed) == 0) {
		read_long(r, text);
		finished = true;
	}
	assert_ptr_equal(arena_set_handler(&r->arena, NULL), &failed);
	assert_int_equal(blocks, 0);
	return finished;
}

static void memory_is_given_back_on_failure(void **state)
{
	struct slice text =
	        SLICE("{\"nbformat\": 4, \"cells\": [{\"cell_type\": \"code\", \"source\": "
	              "[\"a\", \"b\"]}], \"metadata\": {\"nbscorep\": {\"a\": [1]}}}");
	struct reading *r = *state;
	size_t count = 0;
	json_malloc_t old_malloc;
	json_free_t old_free;
	json_get_alloc_funcs(&old_malloc, &old_free);
	json_set_alloc_funcs(failing_malloc, counting_free);
	while (count < 1000 && !survives(r, text, count))
		count++;
	json_set_alloc_funcs(old_malloc, old_free);
	assert_in_range(count, 10, 999);
	assert_slice(cell_at(r, 0)->source, "ab");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	static const struct CMUnitTest cells[] = {
	        TEST(sources_join_as_their_nbformat_says),
	        TEST(missing_nbformat_is_guessed),
	        TEST(sources_stand_under_several_keys),
	        TEST(odd_sources_are_reported),
	        TEST(types_are_told),
	        TEST(every_cell_is_counted),
	        TEST(worksheets_are_one_list),
	        TEST(levels_are_clamped),
	        TEST(ids_and_tags_are_kept),
	};
	static const struct CMUnitTest notebooks[] = {
	        TEST(languages_are_told),
	        TEST(what_is_no_notebook_is_refused),
	        TEST(head_is_kept),
	};
	static const struct CMUnitTest json[] = {
	        TEST(values_that_jansson_refuses_are_rewritten),
	        TEST(the_last_of_equal_keys_counts),
	        TEST(surrogates_are_paired_or_replaced),
	        TEST(nul_characters_are_kept),
	        TEST(lines_end_in_three_ways),
	        TEST(json_errors_are_located),
	        TEST(open_brackets_are_pointed_out),
	        TEST(source_lines_are_shown),
	        TEST(truncated_files_are_refused),
	        TEST(merge_conflicts_are_named),
	        TEST(other_encodings_are_refused),
	};
	static const struct CMUnitTest limits[] = {
	        TEST(depth_is_limited),     TEST(what_is_kept_is_limited),
	        TEST(outputs_are_not_kept), TEST(read_errors_are_reported),
	        TEST(folders_are_refused),  TEST(memory_is_given_back_on_failure),
	};
	int failed = cmocka_run_group_tests_name("notebook/cells", cells, NULL, NULL);
	failed += cmocka_run_group_tests_name("notebook/head", notebooks, NULL, NULL);
	failed += cmocka_run_group_tests_name("notebook/json", json, NULL, NULL);
	failed += cmocka_run_group_tests_name("notebook/limits", limits, NULL, NULL);
	return failed;
}
