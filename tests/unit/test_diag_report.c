/* diag/diag_report: carets, long lines, colours. */
#include <stdio.h>

#include "diag/diag_report.h"
#include "diags_fixture.h"
#include "unit.h"

static void assert_report(bool color, const char *expected)
{
	struct diag_report report;
	struct diag_report_file file = {.name = SLICE("heat.ipynb")};
	struct diag_report_options options = {.format = DIAG_REPORT_TEXT, .color = color};
	struct strbuf out = {.arena = &arena};
	diag_report_begin(&report, &options, &out);
	diag_report_add(&report, &file, &diags);
	diag_report_end(&report);
	assert_string_equal(arena_cstr(&arena, strbuf_slice(&out)), expected);
}

static void add_in_line(struct slice line, size_t offset, size_t len)
{
	diag_add(&diags, DIAG_LEX, location_in_cell(1, line, offset, len), "x");
}

static void carets_meet_tabs_and_wide_characters(void **state)
{
	add_in_line(SLICE("\tif\tx = 1"), 4, 1);
	add_in_line(SLICE("\xE6\xBC\xA2\xE5\xAD\x97 = e\xCC\x81x + \xE6\xBC\xA2"), 12, 1);
	add_in_line(SLICE("\xE6\xBC\xA2\xE5\xAD\x97 = 1"), 3, 3);
	add_in_line(SLICE("a b\tc d"), 2, 3);
	add_in_line(SLICE("ab"), 2, 0);
	assert_report(false, "heat.ipynb:cell 1:1:5: warning: x [lex]\n"
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

static void long_lines_are_cut(void **state)
{
	struct strbuf line = {.arena = &arena};
	strbuf_fill(&line, '<', 5000);
	strbuf_puts(&line, "HERE");
	strbuf_fill(&line, '>', 5000);
	add_in_line(strbuf_slice(&line), 5000, 4);
	add_in_line(slice_sub(strbuf_slice(&line), 0, 5004), 5000, 4);
	add_in_line(slice_sub(strbuf_slice(&line), 5000, 5300), 0, 200);
	struct slice all = strbuf_slice(&line), before = slice_sub(all, 4940, 5000),
	             after = slice_sub(all, 5004, 5120);
	struct slice expected = arena_printf(&arena,
	                                     "heat.ipynb:cell 1:1:5001: warning: x [lex]\n"
	                                     "    ...%.*sHERE%.*s...\n%*s^~~~\n"
	                                     "heat.ipynb:cell 1:1:5001: warning: x [lex]\n"
	                                     "    ...%.*sHERE\n%*s^~~~\n"
	                                     "heat.ipynb:cell 1:1:1: warning: x [lex]\n"
	                                     "    HERE%.*s...\n    ^",
	                                     SLICE_ARG(before), 56, after.ptr, 67, "",
	                                     SLICE_ARG(before), 67, "", SLICE_ARG(after));
	struct strbuf text = {.arena = &arena};
	strbuf_add(&text, expected);
	strbuf_fill(&text, '~', 119);
	strbuf_puts(&text, "\n");
	assert_report(false, arena_cstr(&arena, strbuf_slice(&text)));
}

static void blank_lines_are_not_shown(void **state)
{
	add_in_line(SLICE("a\n"), 2, 0);
	assert_report(false, "heat.ipynb:cell 1:2:1: warning: x [lex]\n");
}

static void colors(void **state)
{
	add_in_line(SLICE("a b"), 2, 1);
	diag_hint(&diags, DIAG_LEX, "h");
	diag_add(&diags, DIAG_IO, (struct location){0}, "x");
	diag_add(&diags, DIAG_VAMPIR, (struct location){0}, "x");
	assert_report(true,
	              "\033[1mheat.ipynb:cell 1:1:3:\033[0m \033[1;35mwarning:\033[0m x [lex]\n"
	              "    a b\n"
	              "      \033[1;32m^\033[0m\n"
	              "    \033[1;36mhint:\033[0m h\n"
	              "\033[1mheat.ipynb:\033[0m \033[1;31merror:\033[0m x [io]\n"
	              "\033[1mheat.ipynb:\033[0m \033[1;36mremark:\033[0m x [vampir]\n");
}

RUN(TEST(carets_meet_tabs_and_wide_characters), TEST(long_lines_are_cut),
    TEST(blank_lines_are_not_shown), TEST(colors))
