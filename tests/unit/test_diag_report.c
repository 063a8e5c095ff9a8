/* diag/diag_report: golden texts of every format. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "diag/diag_report.h"

#define BAD "\xEF\xBF\xBD" /* U+FFFD */

struct fixture {
	struct arena arena;
	struct diags diags;
	struct strbuf out;
};

static int set_up(void **state)
{
	static struct fixture fixture;
	arena_init(&fixture.arena, NULL);
	diags_init(&fixture.diags, &fixture.arena);
	strbuf_init(&fixture.out, &fixture.arena);
	*state = &fixture;
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *fixture = *state;
	arena_release(&fixture->arena);
	return 0;
}

static void print(struct fixture *fixture, struct diag_report_options options, struct slice name)
{
	struct diag_report report;
	struct diag_report_file file = {.name = name};
	diag_report_begin(&report, &options, &fixture->out);
	diag_report_add(&report, &file, &fixture->diags);
	diag_report_end(&report);
}

static void assert_text(struct fixture *fixture, const char *expected)
{
	print(fixture, (struct diag_report_options){.format = DIAG_REPORT_TEXT},
	      SLICE("heat.ipynb"));
	strbuf_addc(&fixture->out, '\0');
	assert_string_equal(fixture->out.ptr, expected);
}

static void places_in_cells(void **state)
{
	struct fixture *fixture = *state;
	struct slice cell = SLICE("%%scorep_env\nA=1\nSCOREP_ENABLE_TRACNG=ture\n");
	diag_add(&fixture->diags, DIAG_SCOREP_BOOL, location_in_cell(2, cell, 38, 4),
	         "'ture' is false to Score-P, so tracing stays off");
	diag_add(&fixture->diags, DIAG_SCOREP_VARIABLE, location_in_cell(2, cell, 17, 20),
	         "no variable");
	diag_hint(&fixture->diags, DIAG_SCOREP_VARIABLE, "did you mean '%s'?",
	          "SCOREP_ENABLE_TRACING");
	assert_text(fixture,
	            "heat.ipynb:cell 2:3:22: warning: 'ture' is false to Score-P, so tracing stays "
	            "off [scorep-bool]\n"
	            "    SCOREP_ENABLE_TRACNG=ture\n"
	            "                         ^~~~\n"
	            "heat.ipynb:cell 2:3:1: warning: no variable [scorep-variable]\n"
	            "    SCOREP_ENABLE_TRACNG=ture\n"
	            "    ^~~~~~~~~~~~~~~~~~~~\n"
	            "    hint: did you mean 'SCOREP_ENABLE_TRACING'?\n");
}

static void places_in_files(void **state)
{
	struct fixture *fixture = *state;
	struct location where = {.line = 12, .column = 5};
	diag_add(&fixture->diags, DIAG_JSON, where, "one");
	diag_add(&fixture->diags, DIAG_IO, (struct location){0}, "two");
	diag_add(&fixture->diags, DIAG_JSON, (struct location){.line = 3}, "three");
	diag_add(&fixture->diags, DIAG_GROUP_ABORTED, (struct location){.cell = 4}, "four");
	diag_add(&fixture->diags, DIAG_ARGS_LINES, (struct location){.cell = 4, .line = 2}, "five");
	assert_text(fixture, "heat.ipynb:12:5: error: one [json]\n"
	                     "heat.ipynb: error: two [io]\n"
	                     "heat.ipynb:3: error: three [json]\n"
	                     "heat.ipynb:cell 4: warning: four [aborted-multicell]\n"
	                     "heat.ipynb:cell 4:2: remark: five [args-lines]\n");
}

static void add_in_line(struct fixture *fixture, struct slice line, size_t offset, size_t len)
{
	diag_add(&fixture->diags, DIAG_LEX, location_in_cell(1, line, offset, len), "x");
}

static void carets_meet_tabs_and_wide_characters(void **state)
{
	struct fixture *fixture = *state;
	add_in_line(fixture, SLICE("\tif\tx = 1"), 4, 1);
	add_in_line(fixture, SLICE("\xE6\xBC\xA2\xE5\xAD\x97 = e\xCC\x81x + \xE6\xBC\xA2"), 12, 1);
	add_in_line(fixture, SLICE("\xE6\xBC\xA2\xE5\xAD\x97 = 1"), 3, 3);
	add_in_line(fixture, SLICE("a b\tc d"), 2, 3);
	add_in_line(fixture, SLICE("ab"), 2, 0);
	assert_text(fixture, "heat.ipynb:cell 1:1:5: warning: x [lex]\n"
	                     "    \tif\tx = 1\n"
	                     "    \t  \t^\n"
	                     "heat.ipynb:cell 1:1:8: warning: x [lex]\n"
	                     "    \xE6\xBC\xA2\xE5\xAD\x97 = e\xCC\x81x + \xE6\xBC\xA2\n"
	                     "            ^\n"
	                     "heat.ipynb:cell 1:1:2: warning: x [lex]\n"
	                     "    \xE6\xBC\xA2\xE5\xAD\x97 = 1\n"
	                     "      ^~\n"
	                     "heat.ipynb:cell 1:1:3: warning: x [lex]\n"
	                     "    a b\tc d\n"
	                     "      ^\n"
	                     "heat.ipynb:cell 1:1:3: warning: x [lex]\n"
	                     "    ab\n"
	                     "      ^\n");
}

static void no_control_character_gets_through(void **state)
{
	struct fixture *fixture = *state;
	/* NOLINTNEXTLINE(misc-misleading-bidirectional): what it is about */
	struct slice line = SLICE("\033]0;x\a \xC2\x9B \xE2\x80\xAE \xFF\0?");
	struct location where = location_in_cell(1, line, 16, 1);
	diag_add(&fixture->diags, DIAG_LEX, where, "a\033[2Jb\tc\nd\x7F");
	diag_hint(&fixture->diags, DIAG_LEX, "\r\033e");
	print(fixture, (struct diag_report_options){.format = DIAG_REPORT_TEXT},
	      SLICE("a\033\n.ipynb"));
	strbuf_addc(&fixture->out, '\0');
	assert_string_equal(fixture->out.ptr,
	                    "a" BAD BAD ".ipynb:cell 1:1:14: warning: a" BAD "[2Jb" BAD "c" BAD
	                    "d" BAD " [lex]\n"
	                    "    " BAD "]0;x" BAD " " BAD " " BAD " " BAD BAD "?\n"
	                    "                 ^\n"
	                    "    hint: " BAD BAD "e\n");
}

static void long_lines_are_cut(void **state)
{
	struct fixture *fixture = *state;
	struct strbuf line;
	strbuf_init(&line, &fixture->arena);
	strbuf_fill(&line, '<', 5000);
	strbuf_puts(&line, "HERE");
	strbuf_fill(&line, '>', 5000);
	add_in_line(fixture, strbuf_slice(&line), 5000, 4);
	add_in_line(fixture, slice_sub(strbuf_slice(&line), 0, 5004), 5000, 4);
	add_in_line(fixture, slice_sub(strbuf_slice(&line), 5000, 5300), 0, 200);
#define TEN(x) x x x x x x x x x x
#define SIXTY(x) TEN(x) TEN(x) TEN(x) TEN(x) TEN(x) TEN(x)
	assert_text(
	        fixture,
	        "heat.ipynb:cell 1:1:5001: warning: x [lex]\n"
	        "    ..." SIXTY("<") "HERE" TEN(">") TEN(">") TEN(">") TEN(">") TEN(
	                ">") ">>>>>>...\n"
	                     "       " SIXTY(
	                             " ") "^~~~\n"
	                                  "heat.ipynb:cell 1:1:5001: warning: x [lex]\n"
	                                  "    ..." SIXTY(
	                                          "<") "HERE\n"
	                                               "       " SIXTY(
	                                                       " ") "^~~~\n"
	                                                            "heat.ipynb:cell 1:1:1: "
	                                                            "warning: x [lex]\n"
	                                                            "    HERE" SIXTY(">") TEN(">") TEN(
	                                                                    ">") TEN(">") TEN(">")
	                                                                    TEN(">") ">>>>>>...\n"
	                                                                             "    "
	                                                                             "^~~~" SIXTY("~") TEN(
	                                                                                     "~") TEN("~")
	                                                                                     TEN("~") TEN(
	                                                                                             "~")
	                                                                                             TEN("~") "~~~~~~\n");
}

static void blank_lines_are_not_shown(void **state)
{
	struct fixture *fixture = *state;
	add_in_line(fixture, SLICE("a\n"), 2, 0);
	assert_text(fixture, "heat.ipynb:cell 1:2:1: warning: x [lex]\n");
}

static void wrong_places_do_no_harm(void **state)
{
	struct fixture *fixture = *state;
	struct location where = {
	        .cell = 1, .line = 1, .column = 50, .length = 9, .text = SLICE("ab")};
	diag_add(&fixture->diags, DIAG_LEX, where, "x");
	where.column = 1, where.skipped = 7, where.length = 4000000000;
	diag_add(&fixture->diags, DIAG_LEX, where, "x");
	assert_text(fixture, "heat.ipynb:cell 1:1:50: warning: x [lex]\n"
	                     "    ab\n"
	                     "      ^\n"
	                     "heat.ipynb:cell 1:1:1: warning: x [lex]\n"
	                     "    ...ab\n"
	                     "       ^~\n");
}

static void colors(void **state)
{
	struct fixture *fixture = *state;
	add_in_line(fixture, SLICE("a b"), 2, 1);
	diag_hint(&fixture->diags, DIAG_LEX, "h");
	diag_add(&fixture->diags, DIAG_IO, (struct location){0}, "x");
	diag_add(&fixture->diags, DIAG_ARGS_LINES, (struct location){0}, "x");
	struct diag_report_options options = {.format = DIAG_REPORT_TEXT, .color = true};
	print(fixture, options, SLICE("n"));
	strbuf_addc(&fixture->out, '\0');
	assert_string_equal(fixture->out.ptr,
	                    "\033[1mn:cell 1:1:3:\033[0m \033[1;35mwarning:\033[0m x [lex]\n"
	                    "    a b\n"
	                    "      \033[1;32m^\033[0m\n"
	                    "    \033[1;36mhint:\033[0m h\n"
	                    "\033[1mn:\033[0m \033[1;31merror:\033[0m x [io]\n"
	                    "\033[1mn:\033[0m \033[1;36mremark:\033[0m x [args-lines]\n");
}

static void json(void **state)
{
	struct fixture *fixture = *state;
	add_in_line(fixture, SLICE("\033a"), 1, 1);
	diag_hint(&fixture->diags, DIAG_LEX, "h");
	diag_add(&fixture->diags, DIAG_IO, (struct location){0}, "cannot \"read\"");
	print(fixture, (struct diag_report_options){.format = DIAG_REPORT_JSON},
	      SLICE("a\xFF.ipynb"));
	strbuf_addc(&fixture->out, '\0');
	assert_string_equal(fixture->out.ptr, "{\n"
	                                      "  \"diagnostics\": [\n"
	                                      "    {\n"
	                                      "      \"file\": \"a" BAD ".ipynb\",\n"
	                                      "      \"cell\": 1,\n"
	                                      "      \"line\": 1,\n"
	                                      "      \"column\": 2,\n"
	                                      "      \"length\": 1,\n"
	                                      "      \"severity\": \"warning\",\n"
	                                      "      \"kind\": \"lex\",\n"
	                                      "      \"message\": \"x\",\n"
	                                      "      \"hint\": \"h\",\n"
	                                      "      \"text\": \"\\u001ba\"\n"
	                                      "    },\n"
	                                      "    {\n"
	                                      "      \"file\": \"a" BAD ".ipynb\",\n"
	                                      "      \"severity\": \"error\",\n"
	                                      "      \"kind\": \"io\",\n"
	                                      "      \"message\": \"cannot \\\"read\\\"\"\n"
	                                      "    }\n"
	                                      "  ],\n"
	                                      "  \"errors\": 1,\n"
	                                      "  \"warnings\": 1\n"
	                                      "}\n");
}

static void json_of_several_files(void **state)
{
	struct fixture *fixture = *state;
	struct diag_report report;
	struct diag_report_options options = {.format = DIAG_REPORT_JSON};
	diag_report_begin(&report, &options, &fixture->out);
	diag_add(&fixture->diags, DIAG_IO, (struct location){0}, "x");
	for (int i = 0; i < 2; i++) {
		struct diag_report_file file = {.name = i == 0 ? SLICE("a") : SLICE("b")};
		diag_report_add(&report, &file, &fixture->diags);
	}
	diag_report_end(&report);
	struct slice text = strbuf_slice(&fixture->out);
	assert_true(slice_find_slice(text, SLICE("\"file\": \"a\""), 0) < text.len);
	assert_true(slice_find_slice(text, SLICE("\"file\": \"b\""), 0) < text.len);
	assert_true(slice_ends_with(text, SLICE("\"errors\": 2,\n  \"warnings\": 0\n}\n")));
}

static void json_of_nothing(void **state)
{
	struct fixture *fixture = *state;
	struct diag_report report;
	struct diag_report_options options = {.format = DIAG_REPORT_JSON};
	diag_report_begin(&report, &options, &fixture->out);
	diag_report_end(&report);
	strbuf_addc(&fixture->out, '\0');
	assert_string_equal(fixture->out.ptr, "{\n"
	                                      "  \"diagnostics\": [],\n"
	                                      "  \"errors\": 0,\n"
	                                      "  \"warnings\": 0\n"
	                                      "}\n");
}

static void make_sarif(struct fixture *fixture)
{
	static const struct diag_report_cell cells[] = {{10, 0}, {57, 58}};
	struct diag_report report;
	struct diag_report_options options = {.format = DIAG_REPORT_SARIF, .version = "1.2.3"};
	diag_report_begin(&report, &options, &fixture->out);
	diag_add(&fixture->diags, DIAG_IO, (struct location){0}, "whole");
	diag_add(&fixture->diags, DIAG_JSON,
	         (struct location){.line = 12, .column = 5, .length = 2}, "in file");
	diag_add(&fixture->diags, DIAG_LEX, location_in_cell(2, SLICE("a b"), 2, 1), "in cell");
	diag_hint(&fixture->diags, DIAG_LEX, "try");
	diag_add(&fixture->diags, DIAG_ARGS_LINES, (struct location){.cell = 9}, "unknown cell");
	struct diag_report_file file = {
	        .name = SLICE("my dir/a:b\xC3\xA4.ipynb"), .cells = cells, .cell_count = 2};
	diag_report_add(&report, &file, &fixture->diags);
	struct diag_report_file absolute = {.name = SLICE("/x/y.ipynb")};
	diag_report_add(&report, &absolute, &fixture->diags);
	diag_report_end(&report);
}

/* The document up to its results, without the rules, which change with diag.def. */
static void sarif(void **state)
{
	struct fixture *fixture = *state;
	make_sarif(fixture);
	struct slice text = strbuf_slice(&fixture->out);
	assert_true(slice_starts_with(text, SLICE("{\n  \"$schema\": \"https://")));
	assert_true(slice_find_slice(text, SLICE("\"version\": \"2.1.0\""), 0) < text.len);
	assert_true(slice_find_slice(text, SLICE("\"version\": \"1.2.3\""), 0) < text.len);
	assert_true(slice_find_slice(text, SLICE("\"uri\": \"file:///x/y.ipynb\""), 0) < text.len);
	size_t at = slice_find_slice(text, SLICE("        {\n          \"ruleId\": \"lex\""), 0);
	assert_true(at < text.len);
	char index[32];
	snprintf(index, sizeof index, "\"ruleIndex\": %d,\n", DIAG_LEX);
	const char *expected[] = {"        {\n          \"ruleId\": \"lex\",\n          ", index,
	                          "          \"level\": \"warning\",\n"
	                          "          \"message\": {\n"
	                          "            \"text\": \"cell 2:1:3: in cell; try\"\n"
	                          "          },\n"
	                          "          \"locations\": [\n"
	                          "            {\n"
	                          "              \"physicalLocation\": {\n"
	                          "                \"artifactLocation\": {\n"
	                          "                  \"uri\": \"my%20dir/a%3Ab%C3%A4.ipynb\"\n"
	                          "                },\n"
	                          "                \"region\": {\n"
	                          "                  \"startLine\": 58\n"
	                          "                }\n"
	                          "              },\n"
	                          "              \"logicalLocations\": [\n"
	                          "                {\n"
	                          "                  \"name\": \"cell 2\"\n"
	                          "                }\n"
	                          "              ]\n"
	                          "            }\n"
	                          "          ],\n"
	                          "          \"partialFingerprints\": {\n"
	                          "            \"sourceLine/v1\": \"1e304216f4c76154:1\"\n"
	                          "          },\n"
	                          "          \"properties\": {\n"
	                          "            \"cell\": 2,\n"
	                          "            \"line\": 1,\n"
	                          "            \"column\": 3,\n"
	                          "            \"length\": 1\n"
	                          "          }\n"
	                          "        },\n"};
	struct strbuf golden;
	strbuf_init(&golden, &fixture->arena);
	for (size_t i = 0; i < 3; i++)
		strbuf_puts(&golden, expected[i]);
	struct slice got = slice_sub(text, at, at + golden.len);
	assert_int_equal(got.len, golden.len);
	assert_memory_equal(got.ptr, golden.ptr, golden.len);
}

static void counts(void **state)
{
	struct fixture *fixture = *state;
	diag_report_counts(&fixture->out, 0, 0);
	assert_int_equal(fixture->out.len, 0);
	diag_report_counts(&fixture->out, 2, 1);
	diag_report_counts(&fixture->out, 1, 0);
	diag_report_counts(&fixture->out, 0, 3);
	strbuf_addc(&fixture->out, '\0');
	assert_string_equal(fixture->out.ptr, "2 errors, 1 warning\n1 error\n3 warnings\n");
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, set_up, tear_down)

/* `test_report sarif` prints the SARIF document, for a validator that knows the schema. */
int main(int argc, char **argv)
{
	static const struct CMUnitTest tests[] = {
	        TEST(places_in_cells),
	        TEST(places_in_files),
	        TEST(carets_meet_tabs_and_wide_characters),
	        TEST(no_control_character_gets_through),
	        TEST(long_lines_are_cut),
	        TEST(blank_lines_are_not_shown),
	        TEST(wrong_places_do_no_harm),
	        TEST(colors),
	        TEST(json),
	        TEST(json_of_several_files),
	        TEST(json_of_nothing),
	        TEST(sarif),
	        TEST(counts),
	};
	if (argc > 1 && strcmp(argv[1], "sarif") == 0) {
		void *state = NULL;
		set_up(&state);
		struct fixture *fixture = state;
		make_sarif(fixture);
		fwrite(fixture->out.ptr, 1, fixture->out.len, stdout);
		return tear_down(&state);
	}
	return cmocka_run_group_tests_name("diag/diag_report", tests, NULL, NULL);
}
