/* diag/diag: severities and switches, places, order, hints. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include <cmocka.h>

#include "base/strbuf.h"
#include "base/utf8.h"
#include "diag/diag.h"
#include "diags_fixture.h"

static void assert_slice(struct slice got, const char *expected)
{
	assert_int_equal(got.len, strlen(expected));
	assert_memory_equal(got.ptr, expected, got.len);
}

static const struct location nowhere = {0};

static void table_is_sound(void **state)
{
	(void)state;
	for (int i = 0; i < DIAG_KIND_COUNT; i++) {
		const struct diag_row *row = diag_row((enum diag_kind)i);
		assert_non_null(row->name);
		assert_int_equal(diag_by_name(slice_from(row->name)), i);
		assert_true(row->doc[0] != '\0' && row->doc[strlen(row->doc) - 1] != '.');
		/* Some names begin with "no-"; none may be the opposite of another. */
		struct slice name = slice_from(row->name);
		if (slice_starts_with(name, SLICE("no-")))
			assert_int_equal(diag_by_name(slice_sub(name, 3, name.len)),
			                 DIAG_KIND_COUNT);
		assert_string_not_equal(row->name, "error");
	}
	assert_int_equal(diag_by_name(SLICE("nonsense")), DIAG_KIND_COUNT);
	assert_int_equal(diag_by_name(SLICE("scorep-boo")), DIAG_KIND_COUNT);
}

static void counts_and_copies(void **state)
{
	struct diags *diags = &((struct fixture *)*state)->diags;
	char text[] = "line";
	struct location where = {.cell = 1, .line = 1, .column = 1, .text = slice_from(text)};
	diag_add(diags, DIAG_JSON, where, "broken at %d", 5);
	diag_add(diags, DIAG_LEX, where, "odd");
	diag_add(diags, DIAG_ARGS_DEPRECATED, nowhere, "old");
	text[0] = 'X';
	assert_int_equal(diags->list.count, 3);
	assert_int_equal(diags->errors, 1);
	assert_int_equal(diags->warnings, 1);
	assert_slice(diags->list.items[0].message, "broken at 5");
	assert_slice(diags->list.items[0].where.text, "line");
	assert_int_equal(diags->list.items[2].severity, SEVERITY_REMARK);
}

static void long_messages_are_cut(void **state)
{
	struct diags *diags = &((struct fixture *)*state)->diags;
	struct strbuf name;
	strbuf_init(&name, diags->arena);
	strbuf_addc(&name, 'x');
	for (int i = 0; i < 2000; i++)
		strbuf_puts(&name, "\xC3\xA4");
	diag_add(diags, DIAG_LEX, nowhere, "%.*s", SLICE_ARG(strbuf_slice(&name)));
	struct slice message = diags->list.items[0].message;
	assert_true(message.len < 1010);
	assert_true(slice_ends_with(message, SLICE("...")));
	assert_int_equal(utf8_check(message), message.len);
}

static void hint_belongs_to_the_last(void **state)
{
	struct diags *diags = &((struct fixture *)*state)->diags;
	diag_hint(diags, DIAG_LEX, "to nothing");
	diag_add(diags, DIAG_LEX, nowhere, "one");
	diag_hint(diags, DIAG_LEX, "did you mean '%s'?", "x");
	diag_add(diags, DIAG_NUL, nowhere, "two");
	diag_hint(diags, DIAG_LEX, "not mine");
	assert_slice(diags->list.items[0].hint, "did you mean 'x'?");
	assert_int_equal(diags->list.items[1].hint.len, 0);
}

static void ignored_kind_takes_no_hint(void **state)
{
	struct diags *diags = &((struct fixture *)*state)->diags;
	diag_add(diags, DIAG_LEX, nowhere, "one");
	assert_int_equal(diags_switch(diags, SLICE("no-lex")), 0);
	diag_add(diags, DIAG_LEX, nowhere, "dropped");
	diag_hint(diags, DIAG_LEX, "of the dropped one");
	assert_int_equal(diags->list.count, 1);
	assert_int_equal(diags->list.items[0].hint.len, 0);
	assert_int_equal(diags->warnings, 1);
}

static enum severity after(struct diags *diags, const char *switches, enum diag_kind kind)
{
	struct slice rest = slice_from(switches), word;
	diags_init(diags, diags->arena);
	while ((word = slice_next_word(&rest)).len > 0)
		assert_int_equal(diags_switch(diags, word), 0);
	return diags->severity[kind];
}

static void switches(void **state)
{
	struct diags *diags = &((struct fixture *)*state)->diags;
	assert_int_equal(after(diags, "", DIAG_LEX), SEVERITY_WARNING);
	assert_int_equal(after(diags, "no-lex", DIAG_LEX), SEVERITY_IGNORED);
	assert_int_equal(after(diags, "no-lex lex", DIAG_LEX), SEVERITY_WARNING);
	assert_int_equal(after(diags, "error", DIAG_LEX), SEVERITY_ERROR);
	assert_int_equal(after(diags, "error", DIAG_MAGIC_NO_EFFECT), SEVERITY_REMARK);
	assert_int_equal(after(diags, "error=no-effect-magic", DIAG_MAGIC_NO_EFFECT),
	                 SEVERITY_ERROR);
	assert_int_equal(after(diags, "error no-error=lex", DIAG_LEX), SEVERITY_WARNING);
	assert_int_equal(after(diags, "error no-error=lex", DIAG_NUL), SEVERITY_ERROR);
	assert_int_equal(after(diags, "no-no-effect-magic", DIAG_MAGIC_NO_EFFECT),
	                 SEVERITY_IGNORED);
	assert_int_equal(after(diags, "no-no-effect-magic no-effect-magic", DIAG_MAGIC_NO_EFFECT),
	                 SEVERITY_REMARK);
	assert_int_equal(after(diags, "no-lex error", DIAG_LEX), SEVERITY_IGNORED);
	assert_int_equal(after(diags, "error no-lex lex", DIAG_LEX), SEVERITY_ERROR);
	assert_int_equal(after(diags, "error=lex lex", DIAG_LEX), SEVERITY_ERROR);
	assert_int_equal(after(diags, "error=json", DIAG_JSON), SEVERITY_ERROR);
}

static void unknown_switches_are_refused(void **state)
{
	struct diags *diags = &((struct fixture *)*state)->diags;
	static const char *const texts[] = {
	        "",         "nonsense", "no-nonsense", "error=",        "error=lexx", "no-json",
	        "no-error", "no-",      "Lex",         "no-error=json", "lex=1"};
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
		assert_int_equal(diags_switch(diags, slice_from(texts[i])), -1);
	assert_int_equal(diags->severity[DIAG_JSON], SEVERITY_ERROR);
}

static void sorts_by_place_and_keeps_order(void **state)
{
	struct diags *diags = &((struct fixture *)*state)->diags;
	static const struct location places[] = {
	        {.cell = 2, .line = 1, .column = 1},
	        {.cell = 1, .line = 9, .column = 1},
	        {.cell = 1, .line = 2, .column = 7},
	        {.cell = 1, .line = 2, .column = 3},
	        {.cell = 0, .line = 50},
	        {.cell = 1, .line = 2, .column = 7},
	        {.cell = 0},
	};
	for (int i = 0; i < 7; i++)
		diag_add(diags, DIAG_LEX, places[i], "%d", i);
	diags_sort(diags);
	/* 2 and 5 are the same place: the earlier comes first. */
	static const char expected[] = {'6', '4', '3', '2', '5', '1', '0'};
	for (int i = 0; i < 7; i++)
		assert_int_equal(diags->list.items[i].message.ptr[0], expected[i]);
	diag_add(diags, DIAG_LEX, nowhere, "after");
	assert_int_equal(diags->list.count, 8);
}

static void sorts_many(void **state)
{
	struct diags *diags = &((struct fixture *)*state)->diags;
	diags_sort(diags);
	for (unsigned i = 0; i < 5000; i++) {
		struct location where = {.cell = 1, .line = i * 7919 % 101 + 1, .column = 1};
		diag_add(diags, DIAG_LEX, where, "%05u", i);
	}
	diags_sort(diags);
	for (size_t i = 1; i < diags->list.count; i++) {
		const struct diag *a = &diags->list.items[i - 1], *b = a + 1;
		assert_true(a->where.line <= b->where.line);
		if (a->where.line == b->where.line)
			assert_true(memcmp(a->message.ptr, b->message.ptr, 5) < 0);
	}
}

static void keeps_what_a_file_says_once(void **state)
{
	struct diags *diags = &((struct fixture *)*state)->diags;
	struct location where = {.line = 1, .column = 2, .file = SLICE("a")}, other = where;
	other.column = 3;
	diag_add(diags, DIAG_JSON, where, "one");
	diag_add(diags, DIAG_JSON, other, "one");
	diag_add(diags, DIAG_JSON, where, "two");
	diag_add(diags, DIAG_JSON, where, "one");
	diag_add(diags, DIAG_LEX, where, "one");
	diag_add(diags, DIAG_JSON, nowhere, "one");
	diag_add(diags, DIAG_JSON, nowhere, "one");
	diags_sort(diags);
	assert_int_equal(diags->list.count, 6);
	assert_int_equal(diags->errors, 5);
	assert_int_equal(diags->warnings, 1);
}

/* Seconds of computing for COUNT of one place. */
static double sorting_time(unsigned count)
{
	struct fixture fixture;
	struct location where = {.line = 1, .file = SLICE("a")};
	arena_init(&fixture.arena, NULL);
	diags_init(&fixture.diags, &fixture.arena);
	for (unsigned i = 0; i < count; i++)
		diag_add(&fixture.diags, DIAG_LEX, where, "%05u", i);
	clock_t begin = clock();
	diags_sort(&fixture.diags);
	clock_t end = clock();
	assert_int_equal(fixture.diags.list.count, count);
	arena_release(&fixture.arena);
	return (double)(end - begin) / CLOCKS_PER_SEC;
}

/* Quadratic, 16 times the size would take 256 times as long. */
static void many_of_one_place_take_linear_time(void **state)
{
	(void)state;
	assert_true(sorting_time(32000) < 40 * (sorting_time(2000) + 0.002));
}

static void assert_place(struct location where, unsigned line, unsigned column, unsigned length,
                         const char *text)
{
	assert_int_equal(where.line, line);
	assert_int_equal(where.column, column);
	assert_int_equal(where.length, length);
	assert_slice(where.text, text);
}

static void locates_in_cells(void **state)
{
	(void)state;
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
	for (size_t i = 0; i < sizeof offsets / sizeof *offsets; i++) {
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
	(void)state;
	assert_place(location_in_cell(1, SLICE("\xFF\xE2\x82 x"), 4, 1), 1, 5, 1, "\xFF\xE2\x82 x");
}

static void long_lines_keep_only_the_surroundings(void **state)
{
	struct fixture *fixture = *state;
	struct strbuf source;
	strbuf_init(&source, &fixture->arena);
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

#define TEST(function) cmocka_unit_test_setup_teardown(function, set_up, tear_down)

int main(void)
{
	static const struct CMUnitTest tests[] = {
	        TEST(table_is_sound),
	        TEST(counts_and_copies),
	        TEST(long_messages_are_cut),
	        TEST(hint_belongs_to_the_last),
	        TEST(ignored_kind_takes_no_hint),
	        TEST(switches),
	        TEST(unknown_switches_are_refused),
	        TEST(sorts_by_place_and_keeps_order),
	        TEST(sorts_many),
	        TEST(keeps_what_a_file_says_once),
	        TEST(many_of_one_place_take_linear_time),
	        TEST(locates_in_cells),
	        TEST(malformed_bytes_count_as_characters),
	        TEST(long_lines_keep_only_the_surroundings),
	};
	return cmocka_run_group_tests_name("diag/diag", tests, NULL, NULL);
}
