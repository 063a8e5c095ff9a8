/* Python's tokens, physical and logical lines, and what is said about text that is no Python. */
#include "lex_helpers.h"

static void test_tokens(void **state)
{
	(void)state;
	static const char *const cases[][2] = {
	        {"x = 1 # c", "x|=|1"},
	        {"a.b[1:2]", "a|.|b|[|1|:|2|]"},
	        {"x:=y->z**=a//b>>=c...", "x|:=|y|->|z|**=|a|//|b|>>=|c|..."},
	        {"a!=b<>c@=d~e", "a|!=|b|<>|c|@=|d|~|e"},
	        {"a<=b<<c<d", "a|<=|b|<<|c|<|d"},
	        {"1_000 0x_ff 0b1 0o7 1e5 1.e5 .5 1j 1E-3J",
	         "1_000|0x_ff|0b1|0o7|1e5|1.e5|.5|1j|1E-3J"},
	        {"1if x else 2", "1|if|x|else|2"},
	        {"1..real 1.real", "1.|.|real|1.|real"},
	        {"007 0_0 0xg 1__0 1_", "00|7|0_0|0|xg|1|__0|1|_"},
	        {"'a' \"b\" '\\'' ''", "'a'|\"b\"|'\\''|''"},
	        {"r'\\' x", "r|<'>|<\\>|<'>|x"},
	        {"rB'a' Br\"b\" u'c' U'd' B'e'", "rB'a'|Br\"b\"|u'c'|U'd'|B'e'"},
	        {"ur'a' bb'a' fb'a' rr'b'", "ur|'a'|bb|'a'|fb|'a'|rr|'b'"},
	        {"'''a'b''c''' + \"\"\"\"x\"\"\"", "'''a'b''c'''|+|\"\"\"\"x\"\"\""},
	        {"'a\\\nb' c", "'a\\\nb'|c"},
	        {"x\\\n+y", "x|+|y"},
	        {"größe = 变量", "größe|=|变量"},
	        {"℘ = ℮·x", "℘|=|℮·x"}, /* Other_ID_Start, Other_ID_Continue */
	        {"a$b ?c", "a|<$>|b|<?>|c"},
	        {"a ! b", "a|<!>|b"},
	        {"x = \xc2\xa0 1", "x|=|<\xc2\xa0>|1"},
	        {"a\x80z", "a|<\x80>|z"},
	        {"x\xc2\xb2", "x|<\xc2\xb2>"},
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
		assert_tokens(cases[i][0], cases[i][1]);
}

static void test_fstrings(void **state)
{
	(void)state;
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
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
		assert_tokens(cases[i][0], cases[i][1]);
}

static void test_fstring_depth(void **state)
{
	(void)state;
	for (unsigned depth = 99; depth <= 102; depth++) {
		struct arena arena;
		struct strbuf source;
		struct lexed l;
		arena_init(&arena, NULL);
		strbuf_init(&source, &arena);
		for (unsigned i = 0; i < depth; i++)
			strbuf_puts(&source, "f'{");
		strbuf_puts(&source, "1");
		for (unsigned i = 0; i < depth; i++)
			strbuf_puts(&source, "}'");
		lexed_init(&l, strbuf_slice(&source));
		assert_int_equal(l.cell.tokens.count == 1, depth <= 100);
		assert_int_equal(l.cell.broken, depth > 100);
		lexed_release(&l);
		arena_release(&arena);
	}
}

/* The tokens are the text, also where it is no Python. */
static void assert_complete(struct slice source)
{
	struct lexed l;
	size_t at = 0;
	lexed_init(&l, source);
	for (size_t i = 0; i < l.cell.tokens.count; i++) {
		assert_int_equal(l.cell.tokens.items[i].offset, at);
		assert_true(l.cell.tokens.items[i].len > 0);
		at += l.cell.tokens.items[i].len;
	}
	if (l.cell.is_python)
		assert_int_equal(at, l.cell.text.len);
	lexed_release(&l);
}

static void test_every_byte_is_in_a_token(void **state)
{
	(void)state;
	assert_complete(SLICE(""));
	assert_complete(SLICE("\0"));
	assert_complete(SLICE("a\0b'\0'\n\0"));
	assert_complete(SLICE("\\"));
	assert_complete(SLICE("'\\"));
	assert_complete(SLICE("'''\\"));
	assert_complete(SLICE("f'{\\"));
	assert_complete(SLICE("f'\\N{"));
	assert_complete(SLICE("\r\n\r\n\n\r"));
	assert_complete(SLICE("x\r%y\r"));
	assert_complete(SLICE("\xff\xfe\xf0\x9f"));
	assert_complete(SLICE("((((]]]]}"));
	assert_complete(SLICE("!"));
	assert_complete(SLICE("a?\r\n"));
	assert_complete(SLICE("%\\\n"));
	static const char alphabet[] = "'\"{}()\\\n\r#%!?=f xr\t\f:\0";
	for (uint32_t seed = 1; seed < 20000; seed++) {
		char text[12];
		uint32_t random = seed;
		for (size_t i = 0; i < sizeof text; i++) {
			random = random * 1664525U + 1013904223U;
			text[i] = alphabet[(random >> 16) % (sizeof alphabet - 1)];
		}
		assert_complete(slice_make(text, sizeof text));
	}
}

static void test_newlines_and_brackets(void **state)
{
	(void)state;
	struct lexed l;
	LEX(&l, "f(\n1)\r\n\rx");
	static const enum token_kind kinds[] = {TOKEN_NAME, TOKEN_OP,      TOKEN_NL, TOKEN_NUMBER,
	                                        TOKEN_OP,   TOKEN_NEWLINE, TOKEN_NL, TOKEN_NAME};
	assert_int_equal(l.cell.tokens.count, 8);
	for (size_t i = 0; i < 8; i++) {
		/* A blank line's end is NEWLINE or NL, which is no matter. */
		if (i != 6)
			assert_int_equal(l.cell.tokens.items[i].kind, kinds[i]);
	}
	assert_int_equal(l.cell.logical.count, 3);
	assert_int_equal(l.cell.logical.items[0].line_count, 2);
	assert_int_equal(l.cell.logical.items[1].kind, LINE_BLANK);
	assert_int_equal(l.cell.logical.items[2].first_line, 3);
	assert_false(l.cell.broken);
	lexed_release(&l);
}

static void test_logical_lines(void **state)
{
	(void)state;
	struct lexed l;
	LEX(&l, "# c\n\nif x: a; b\n\ty = \\\n 1\n  \n\t# d\n\f  z\n!ls\n");
	static const struct {
		enum line_kind kind;
		uint32_t first, count, column;
	} lines[] = {
	        {LINE_BLANK, 0, 1, 0}, {LINE_BLANK, 1, 1, 0}, {LINE_CODE, 2, 1, 0},
	        {LINE_CODE, 3, 2, 8},  {LINE_BLANK, 5, 1, 2}, {LINE_BLANK, 6, 1, 8},
	        {LINE_CODE, 7, 1, 2},  {LINE_MAGIC, 8, 1, 0},
	};
	assert_int_equal(l.cell.logical.count, sizeof lines / sizeof *lines);
	for (size_t i = 0; i < l.cell.logical.count; i++) {
		assert_int_equal(l.cell.logical.items[i].kind, lines[i].kind);
		assert_int_equal(l.cell.logical.items[i].first_line, lines[i].first);
		assert_int_equal(l.cell.logical.items[i].line_count, lines[i].count);
		assert_int_equal(l.cell.logical.items[i].column, lines[i].column);
	}
	lexed_release(&l);
}

static void test_form_feed(void **state)
{
	(void)state;
	struct lexed l;
	LEX(&l, "    \f  x");
	assert_int_equal(l.cell.logical.items[0].column, 2);
	assert_int_equal(l.cell.lines.items[0].indent, 3);
	lexed_release(&l);
	LEX(&l, "x\n    \f  y\n");
	assert_int_equal(l.cell.logical.items[1].column, 2);
	assert_int_equal(l.cell.lines.items[1].indent, 7);
	lexed_release(&l);
}

static void test_indent_continued(void **state)
{
	(void)state;
	struct lexed l;
	LEX(&l, "if x:\n    a\n\\\n\\\n    b\n    \\\n  c\n");
	assert_int_equal(l.cell.logical.items[2].column, 4);
	assert_int_equal(l.cell.logical.items[2].line_count, 3);
	assert_int_equal(l.cell.logical.items[3].column, 4);
	assert_false(l.cell.broken);
	lexed_release(&l);
}

static void test_physical_lines(void **state)
{
	(void)state;
	struct lexed l;
	LEX(&l, "x = '''a\n  b\nc''' + (\n 1) \\\n + f'''{\n2}'''\r\n'a\\\nb'\n!ls \\\n  -l");
	static const struct {
		bool inside;
		uint32_t indent, end_len;
	} lines[] = {
	        {false, 0, 1}, {true, 2, 1},  {true, 0, 1}, {false, 1, 1}, {false, 1, 1},
	        {true, 0, 2},  {false, 0, 1}, {true, 0, 1}, {false, 0, 1}, {false, 2, 0},
	};
	assert_int_equal(l.cell.lines.count, sizeof lines / sizeof *lines);
	for (size_t i = 0; i < l.cell.lines.count; i++) {
		assert_int_equal(l.cell.lines.items[i].inside_token, lines[i].inside);
		assert_int_equal(l.cell.lines.items[i].indent, lines[i].indent);
		assert_int_equal(l.cell.lines.items[i].end_len, lines[i].end_len);
	}
	lexed_release(&l);
}

static void test_string_end_closes_line(void **state)
{
	(void)state;
	struct lexed l;
	/* A string that ends exactly where a line begins: nothing is inside. */
	LEX(&l, "x = 'a'\ny = '''\n'''\nz");
	assert_false(l.cell.lines.items[1].inside_token);
	assert_true(l.cell.lines.items[2].inside_token);
	assert_false(l.cell.lines.items[3].inside_token);
	lexed_release(&l);
	/* One that goes on over a line end and is never closed takes its last line's end. */
	LEX(&l, "x = 'a\\\nb\nz");
	assert_true(l.cell.lines.items[1].inside_token);
	assert_false(l.cell.lines.items[2].inside_token);
	lexed_release(&l);
}

static void assert_broken(const char *source, unsigned line, unsigned column)
{
	struct lexed l;
	lexed_init(&l, slice_from(source));
	assert_true(l.cell.broken);
	assert_string_equal(lexed_diags(&l), "lex");
	assert_int_equal(l.diags.list.items[0].where.cell, 3);
	assert_int_equal(l.diags.list.items[0].where.line, line);
	assert_int_equal(l.diags.list.items[0].where.column, column);
	lexed_release(&l);
}

static void test_problems(void **state)
{
	(void)state;
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

static void assert_sound(const char *source)
{
	struct lexed l;
	lexed_init(&l, slice_from(source));
	assert_false(l.cell.broken);
	assert_string_equal(lexed_diags(&l), "");
	lexed_release(&l);
}

static void test_no_problems(void **state)
{
	(void)state;
	assert_sound("");
	assert_sound("if x:\n\ty\n\tz\nw");
	assert_sound("if x:\n    a = (\n  1)\n    b\n");
	assert_sound("if x:\n    a\n\f    b\n");
	assert_sound("if x:\n    a\n  # c\n\n    b\n");
	assert_sound("x = {1: [2, (3)]}\r\ny = 'a\\\r\nb'");
	assert_sound("if x:\n    a\n\\\n  \n    b\n");
	assert_sound("!echo 'it (\"\nx = 1");
	assert_sound("# don't\nx");
}

static void test_nul(void **state)
{
	(void)state;
	struct lexed l;
	LEX(&l, "x = 1\n'\0'");
	assert_string_equal(lexed_diags(&l), "nul-byte");
	assert_true(l.cell.broken);
	assert_int_equal(l.diags.list.items[0].where.line, 2);
	assert_int_equal(l.diags.list.items[0].where.column, 2);
	lexed_release(&l);
	LEX(&l, "a\0b");
	assert_int_equal(l.cell.tokens.items[1].kind, TOKEN_ERROR);
	assert_string_equal(lexed_diags(&l), "lex nul-byte");
	lexed_release(&l);
	LEX(&l, "%%bash\n\0");
	assert_string_equal(lexed_diags(&l), "");
	lexed_release(&l);
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
	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct lexed l;
		lexed_init(&l, slice_from(cases[i].source));
		assert_int_equal(l.cell.text.len, strlen(cases[i].text));
		assert_memory_equal(l.cell.text.ptr, cases[i].text, l.cell.text.len);
		assert_int_equal(l.cell.lines.count, 3);
		lexed_release(&l);
	}
}

static void test_location(void **state)
{
	(void)state;
	struct lexed l;
	LEX(&l, "\n  äx = 1\n  y = 2\n z");
	assert_string_equal(lexed_text(&l, l.cell.text), "\näx = 1\ny = 2\n z");
	struct location where = lexed_location(&l.cell, 9, 1);
	assert_int_equal(where.line, 3);
	assert_int_equal(where.column, 3);
	assert_string_equal(lexed_text(&l, where.text), "  y = 2");
	where = lexed_location(&l.cell, 3, 1);
	assert_int_equal(where.line, 2);
	assert_int_equal(where.column, 4);
	where = lexed_location(&l.cell, 16, 1);
	assert_int_equal(where.line, 4);
	assert_int_equal(where.column, 2);
	lexed_release(&l);
	LEX(&l, "");
	assert_int_equal(lexed_location(&l.cell, 0, 0).line, 1);
	lexed_release(&l);
}

/* Takes time in proportion to the cell, whatever is in it; a quadratic lexer never ends here. */
static void test_pathological(void **state)
{
	(void)state;
	static const char *const units[] = {
	        "(",        "f'{",     "f'{\n", "f'{f\"{", "'\"", "\"\\\"", "\\\"\\\"\\\"\\\"",
	        "%%time\n", "!a (?\n", "'\\\n", "lambda ", "a.1", "%",      "\"\"\"\n",
	        "match("};
	for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
		struct arena arena;
		struct strbuf source;
		struct lexed l;
		arena_init(&arena, NULL);
		strbuf_init(&source, &arena);
		for (int n = 0; n < 100000; n++)
			strbuf_puts(&source, units[i]);
		lexed_init(&l, strbuf_slice(&source));
		lexed_release(&l);
		arena_release(&arena);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(test_tokens),
	        cmocka_unit_test(test_fstrings),
	        cmocka_unit_test(test_fstring_depth),
	        cmocka_unit_test(test_every_byte_is_in_a_token),
	        cmocka_unit_test(test_newlines_and_brackets),
	        cmocka_unit_test(test_logical_lines),
	        cmocka_unit_test(test_form_feed),
	        cmocka_unit_test(test_indent_continued),
	        cmocka_unit_test(test_physical_lines),
	        cmocka_unit_test(test_string_end_closes_line),
	        cmocka_unit_test(test_problems),
	        cmocka_unit_test(test_no_problems),
	        cmocka_unit_test(test_nul),
	        cmocka_unit_test(test_nothing_left_behind_cr),
	        cmocka_unit_test(test_location),
	        cmocka_unit_test(test_pathological),
	};
	return cmocka_run_group_tests_name("lex", tests, NULL, NULL);
}
