/* diag/diag: long messages, order, places in cells. */
#include <time.h>

#include "base/strbuf.h"
#include "base/utf8.h"
#include "diag/diag.h"
#include "diags_fixture.h"
#include "unit.h"

static const struct location nowhere = {0};

static void long_messages_are_cut(void **state)
{
	struct strbuf name = {.arena = &arena};
	strbuf_addc(&name, 'x');
	for (int i = 0; i < 2000; i++)
		strbuf_puts(&name, "\xC3\xA4");
	diag_add(&diags, DIAG_LEX, nowhere, "%.*s", SLICE_ARG(strbuf_slice(&name)));
	struct slice message = diags.list.items[0].message;
	assert_true(message.len < 1010);
	assert_true(slice_ends_with(message, SLICE("...")));
	assert_int_equal(utf8_check(message), message.len);
}

static void ignored_kind_takes_no_hint(void **state)
{
	diag_add(&diags, DIAG_LEX, nowhere, "one");
	assert_int_equal(diags_switch(&diags, SLICE("no-lex")), 0);
	diag_add(&diags, DIAG_LEX, nowhere, "dropped");
	diag_hint(&diags, DIAG_LEX, "of the dropped one");
	assert_int_equal(diags.list.count, 1);
	assert_int_equal(diags.list.items[0].hint.len, 0);
	assert_int_equal(diags.warnings, 1);
}

static void sorts_many(void **state)
{
	diags_sort(&diags);
	for (unsigned i = 0; i < 5000; i++) {
		struct location where = {.cell = 1, .line = i * 7919 % 101 + 1, .column = 1};
		diag_add(&diags, DIAG_LEX, where, "%05u", i);
	}
	diags_sort(&diags);
	for (size_t i = 1; i < diags.list.count; i++) {
		const struct diag *a = &diags.list.items[i - 1], *b = a + 1;
		assert_true(a->where.line <= b->where.line);
		if (a->where.line == b->where.line)
			assert_true(memcmp(a->message.ptr, b->message.ptr, 5) < 0);
	}
}

/* Seconds of computing for COUNT of one place. */
static double sorting_time(unsigned count)
{
	const struct location where = {.line = 1, .file = SLICE("a")};
	diags_init(&diags, &arena);
	for (unsigned i = 0; i < count; i++)
		diag_add(&diags, DIAG_LEX, where, "%05u", i);
	clock_t begin = clock();
	diags_sort(&diags);
	clock_t end = clock();
	assert_int_equal(diags.list.count, count);
	return (double)(end - begin) / CLOCKS_PER_SEC;
}

/* Quadratic, 16 times the size would take 256 times as long. */
static void many_of_one_place_take_linear_time(void **state)
{
	assert_true(sorting_time(32000) < 40 * (sorting_time(2000) + 0.002));
}

static void assert_place(struct location where, unsigned line, unsigned column, unsigned length,
                         const char *text)
{
	assert_int_equal(where.line, line);
	assert_int_equal(where.column, column);
	assert_int_equal(where.length, length);
	assert_text(where.text, text);
}

static void locates_in_cells(void **state)
{
	struct slice source = SLICE("one\r\ntw\xC3\xB6 x\rthree\n");
	assert_place(location_in_cell(3, source, 0, 3), 1, 1, 3, "one");
	assert_int_equal(location_in_cell(3, source, 0, 3).cell, 3);
	assert_place(location_in_cell(3, source, 5, 4), 2, 1, 3, "tw\xC3\xB6 x");
	assert_place(location_in_cell(3, source, 10, 1), 2, 5, 1, "tw\xC3\xB6 x");
	/* The length ends with the line. */
	assert_place(location_in_cell(3, source, 12, 99), 3, 1, 5, "three");
	assert_place(location_in_cell(3, source, 12, SIZE_MAX), 3, 1, 5, "three");
	/* Line ends belong to the line before them. */
	assert_place(location_in_cell(3, source, 3, 1), 1, 4, 0, "one");
	assert_place(location_in_cell(3, source, 4, 1), 1, 4, 0, "one");
	assert_place(location_in_cell(3, source, 17, 1), 3, 6, 0, "three");
	/* The end of the source, with and without a final line end, and beyond. */
	assert_place(location_in_cell(3, source, 18, 1), 4, 1, 0, "");
	/* However the places before it were asked for. */
	struct source_mark mark = {0};
	static const size_t offsets[] = {0, 5, 10, 9, 12, 17, 18, 18, 3, 18, 4, 0, 12};
	for (size_t i = 0; i < COUNT(offsets); i++) {
		struct location afresh = location_in_cell(3, source, offsets[i], 1);
		struct location marked = location_in_marked_cell(3, source, offsets[i], 1, &mark);
		assert_int_equal(marked.line, afresh.line);
		assert_int_equal(marked.column, afresh.column);
		assert_int_equal(marked.length, afresh.length);
	}
	assert_place(location_in_cell(3, source, 99, 1), 4, 1, 0, "");
	assert_place(location_in_cell(3, SLICE("ab"), 2, 0), 1, 3, 0, "ab");
	assert_place(location_in_cell(3, SLICE(""), 0, 0), 1, 1, 0, "");
	assert_place(location_in_cell(3, slice_make(NULL, 0), 0, 0), 1, 1, 0, "");
	/* A NUL is a character like any other. */
	assert_int_equal(location_in_cell(3, SLICE("a\0b"), 2, 1).column, 3);
	assert_int_equal(location_in_cell(3, SLICE("a\0b"), 2, 1).text.len, 3);
}

static void malformed_bytes_count_as_characters(void **state)
{
	assert_place(location_in_cell(1, SLICE("\xFF\xE2\x82 x"), 4, 1), 1, 5, 1, "\xFF\xE2\x82 x");
}

static void long_lines_keep_only_the_surroundings(void **state)
{
	struct strbuf source = {.arena = &arena};
	for (int i = 0; i < 100000; i++)
		strbuf_puts(&source, "\xE2\x82\xAC");
	strbuf_puts(&source, "X");
	strbuf_fill(&source, '-', 100000);
	struct location where = location_in_cell(1, strbuf_slice(&source), 300000, 1);
	assert_int_equal(where.column, 100001);
	assert_int_equal(where.length, 1);
	assert_true(where.text.len < 1024);
	assert_int_equal(utf8_check(where.text), where.text.len);
	size_t at = slice_find(where.text, 'X', 0);
	assert_int_equal(utf8_length(slice_sub(where.text, 0, at)) + where.skipped + 1, 100001);
}

RUN(TEST(long_messages_are_cut), TEST(ignored_kind_takes_no_hint), TEST(sorts_many),
    TEST(many_of_one_place_take_linear_time), TEST(locates_in_cells),
    TEST(malformed_bytes_count_as_characters), TEST(long_lines_keep_only_the_surroundings))
