/* f-strings of all versions, text that is no Python, and what cleaning leaves of line ends. */
#include <stdlib.h>

#include "lex_helpers.h"

static void test_fstrings(void **state)
{
	static const char *const cases[][2] = {
	        {"f'a' Rf\"b\" fR'c' T'd' tr'e'", "f:f'a'|f:Rf\"b\"|f:fR'c'|f:T'd'|f:tr'e'"},
	        {"f'{a['x']}' b", "f:f'{a['x']}'|b"},
	        {"f'{f'{f'{1}'}'}' b", "f:f'{f'{f'{1}'}'}'|b"},
	        {"f'{{' x '}}'", "f:f'{{'|x|'}}'"},
	        {"f'{x!r:>{w}}' y", "f:f'{x!r:>{w}}'|y"},
	        {"f'{x=}' f'{a != b}'", "f:f'{x=}'|f:f'{a != b}'"},
	        {"f'{ {1: 2}[1] :>{3}}' z", "f:f'{ {1: 2}[1] :>{3}}'|z"},
	        {"f'{(lambda x: '}')(1)}' z", "f:f'{(lambda x: '}')(1)}'|z"},
	        {"f'{1 # it's }\n}' z", "f:f'{1 # it's }\n}'|z"},
	        {"f'{\n1}' z", "f:f'{\n1}'|z"},
	        {"f'\\N{BULLET}' rf'\\{1}' z", "f:f'\\N{BULLET}'|f:rf'\\{1}'|z"},
	        {"f'{'''a'\n'''}' z", "f:f'{'''a'\n'''}'|z"},
	        {"f'''{\n1:x\n}''' z", "f:f'''{\n1:x\n}'''|z"},
	        {"f'{x:\\'}' z", "f:f'{x:\\'}'|z"},
	        /* no PEP 701 reading: as before 3.12 */
	        {"f'{' + x", "f:f'{'|+|x"},
	        {"f'{)}' + x", "f:f'{)}'|+|x"},
	        {"f'{a('x'] }' c", "f:f'{a('|x|'] }'|c"},
	        {"f'{$}' + x", "f:f'{$}'|+|x"},
	        {"f'''{''' + x", "f:f'''{'''|+|x"},
	        /* no reading at all */
	        {"f'{x\ny", "f|<'>|{|x|y"},
	        {"f'''{x\ny", "<f'''{x\ny>"},
	};
	assert_each(cases, COUNT(cases), lexed_tokens);
}

static void test_fstring_depth(void **state)
{
	for (unsigned depth = 99; depth <= 102; depth++) {
		struct strbuf source = {.arena = &arena};
		for (unsigned i = 0; i < depth; i++)
			strbuf_puts(&source, "f'{");
		strbuf_puts(&source, "1");
		for (unsigned i = 0; i < depth; i++)
			strbuf_puts(&source, "}'");
		lexed_init(strbuf_slice(&source));
		assert_int_equal(l.cell.tokens.count == 1, depth <= 100);
		assert_int_equal(l.cell.broken, depth > 100);
	}
}

/* The tokens are the text, also where it is no Python. */
static void assert_complete(struct slice source)
{
	size_t at = 0;
	lexed_init(source);
	for (size_t i = 0; i < l.cell.tokens.count; i++) {
		assert_int_equal(l.cell.tokens.items[i].offset, at);
		assert_true(l.cell.tokens.items[i].len > 0);
		at += l.cell.tokens.items[i].len;
	}
	if (l.cell.is_python)
		assert_int_equal(at, l.cell.text.len);
}

static void test_every_byte_is_in_a_token(void **state)
{
	assert_complete(SLICE(""));
	assert_complete(SLICE("f'\\N{"));
	assert_complete(SLICE("\xff\xfe\xf0\x9f"));
	static const char alphabet[] = "'\"{}()\\\n\r#%!?=f xr\t\f:\0";
	for (uint32_t seed = 1; seed < 20000; seed++) {
		char text[12];
		uint32_t random = seed;
		for (size_t i = 0; i < sizeof text; i++) {
			random = random * 1664525U + 1013904223U;
			text[i] = alphabet[(random >> 16) % (sizeof alphabet - 1)];
		}
		assert_complete(slice_make(text, sizeof text));
		tear_down(state);
		set_up(state);
	}
}

static void test_string_end_closes_line(void **state)
{
	/* A string that ends exactly where a line begins: nothing is inside. */
	lexed_init(SLICE("x = 'a'\ny = '''\n'''\nz"));
	assert_false(l.cell.lines.items[1].inside_token);
	assert_true(l.cell.lines.items[2].inside_token);
	assert_false(l.cell.lines.items[3].inside_token);
	/* One that goes on over a line end and is never closed takes its last line's end. */
	lexed_init(SLICE("x = 'a\\\nb\nz"));
	assert_true(l.cell.lines.items[1].inside_token);
	assert_false(l.cell.lines.items[2].inside_token);
}

static void assert_broken(const char *source, unsigned line, unsigned column)
{
	lexed_init(slice_from(source));
	assert_true(l.cell.broken);
	assert_string_equal(lexed_diags(), "lex");
	assert_int_equal(l.diags.list.items[0].where.cell, 3);
	assert_int_equal(l.diags.list.items[0].where.line, line);
	assert_int_equal(l.diags.list.items[0].where.column, column);
}

static void test_problems(void **state)
{
	assert_broken("x = 1\ny = '''a\nb", 2, 5);
	assert_broken("x = (1,\n[2\n", 2, 1);
	assert_broken("x = 1)\n)", 1, 6);
	assert_broken("x = (1]", 1, 7);
	assert_broken("x = 'a\ny = \"b", 1, 5);
	assert_broken("x = f'a\n", 1, 6);
	assert_broken("x = 'a\\\nb\n", 1, 5);
	assert_broken("a $ b", 1, 3);
	assert_broken("x = `a`", 1, 5);
	assert_broken("if x:\n    a\n  b", 3, 3);
	assert_broken("if x:\n    a\n  \\\n    b", 3, 3);
	assert_broken("if x:\n        a\n\tb", 3, 2);
	assert_broken("if x:\n\ta\n        b", 3, 9);
	assert_broken("if x:\n        if y:\n\t\ta", 3, 3);
	assert_broken("x = \\", 1, 5);
	assert_broken("x = \\\n", 1, 5);
	assert_broken("x = \\ \n1", 1, 5);
	assert_broken("x ?", 1, 3);
	assert_broken("ü = \xc2\xa0"
	              "1",
	              1, 5);
}

/* What is cut off a line must not leave its LF to the CR of the line before. */
static void test_nothing_left_behind_cr(void **state)
{
	static const struct {
		const char *source, *text;
	} cases[] = {
	        {">>> x = 1\r>>> \n>>> y = 2", "x = 1\r \ny = 2"},
	        {">>> x = 1\r>>>\n>>> y = 2", "x = 1\r \ny = 2"},
	        {"In [1]: x = 1\r   ...: \n   ...: y = 2", "x = 1\r \ny = 2"},
	        {"  x = 1\r  \n  y = 2", "x = 1\r \ny = 2"},
	};
	for (size_t i = 0; i < COUNT(cases); i++) {
		lexed_init(slice_from(cases[i].source));
		assert_int_equal(l.cell.text.len, strlen(cases[i].text));
		assert_memory_equal(l.cell.text.ptr, cases[i].text, l.cell.text.len);
		assert_int_equal(l.cell.lines.count, 3);
	}
}

/* It is refused, and what remains is a cell of Python without a line. */
static void test_cell_that_is_too_long(void **state)
{
	size_t len = (size_t)LEXED_BYTES_MAX + 1;
	char *text = calloc(len, 1);
	assert_non_null(text);
	lexed_init(slice_make(text, len));
	assert_true(l.cell.broken && l.cell.is_python);
	assert_int_equal(l.cell.text.len + l.cell.lines.count, 0);
	assert_int_equal(l.diags.errors, 1);
	free(text);
}

RUN(TEST(test_fstrings), TEST(test_fstring_depth), TEST(test_every_byte_is_in_a_token),
    TEST(test_string_end_closes_line), TEST(test_problems), TEST(test_nothing_left_behind_cr),
    TEST(test_cell_that_is_too_long))
