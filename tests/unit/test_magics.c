/* Magics as IPython finds them, clean-up, and the table of magics. */
#include "lex_helpers.h"

/* Each magic as "kind name(args)", assigned ones with "target=" before, joined by " ; ". */
static const char *magics_of(void)
{
	static const char *const kinds[] = {"line", "cell", "shell", "list", "help", "call"};
	struct strbuf out = {.arena = &arena};
	for (size_t i = 0; i < l.cell.magics.count; i++) {
		const struct magic *m = &l.cell.magics.items[i];
		strbuf_puts(&out, i > 0 ? " ; " : "");
		if (m->assigned)
			strbuf_printf(&out, "%.*s=", SLICE_ARG(m->target));
		strbuf_printf(&out, "%s%.*s %.*s(%.*s)", kinds[m->kind], (int)m->help_level, "12",
		              SLICE_ARG(m->name), SLICE_ARG(m->args));
	}
	return arena_cstr(&arena, strbuf_slice(&out));
}

static void test_line_magics(void **state)
{
	static const char *const cases[][2] = {
	        {"%time f(x) ", "line time(f(x))"},
	        {"x = 1\n  %matplotlib inline", "line matplotlib(inline)"},
	        {"if x:\n    %cd ..\n    y", "line cd(..)"},
	        {"%pip install a \\\n   b", "line pip(install a     b)"},
	        {"%pip a \\\n\nx", "line pip(a)"},
	        {"%pip a \\", "line pip(a \\)"},
	        {"% time x", "line (time x)"},
	        {"%time\tx", "line time(x)"},
	        {"a = 1\n%%time x", "line %time(x)"},
	        {"x = %timeit -o f()", "x=line timeit(-o f())"},
	        {"x, y[(1)] = %env A", "x, y[(1)]=line env(A)"},
	        {"x = % foo", "x=line (foo)"},
	        {"x = %\\\nfoo", "x=line (foo)"},
	        {"x = % \\\n \\\n foo", "x=line (foo)"},
	        {"x = %\\\n1", ""},
	        {"x = \\\n  %foo", "x=line foo()"},
	        {"%foo\xc2\xa0", "line foo()"},
	        /* none */
	        {"x = 3 \\\n%y", ""},
	        {"x = (3\n%y)", ""},
	        {"'''\n%y\n'''", ""},
	        {"x = y % z", ""},
	        {"f(a=%b)", ""},
	        {"x == %b", ""},
	        {"x = %%b", ""},
	        {"x = %'b'", ""},
	        {"x = %r'b'", ""},
	        {"x = %1", ""},
	        {"x = y = %b", ""},
	        {"x; %y", ""},
	        {"x = 1; y = %b", ""},
	        {"%= 3", ""},
	        {"# %x", ""},
	        {"if x: %y", ""},
	};
	assert_each(cases, COUNT(cases), magics_of);
}

static void test_shell(void **state)
{
	static const char *const cases[][2] = {
	        {"!ls -l", "shell (ls -l)"},
	        {"! ls 'it", "shell (ls 'it)"},
	        {"!!ls", "list (ls)"},
	        {"!", "shell ()"},
	        {"x = !ls", "x=shell (ls)"},
	        {"x =!ls", "x=shell (ls)"},
	        {"x = !!ls", "x=shell (!ls)"},
	        {"x = \xc2\xa0!ls", "x=shell (ls)"},
	        {"x.y: int = !ls \\\n -l", "x.y: int=shell (ls   -l)"},
	        {"!a\\\r\n b\r\n!c", "shell (a  b) ; shell (c)"},
	        {"!echo (\n!echo '''\nx = !b", "shell (echo () ; shell (echo ''') ; x=shell (b)"},
	        {"for a in b:\n  !c {a}\n", "shell (c {a})"},
	        {"if 1:\n  \\\n!ls", "shell (ls)"},
	        /* none */
	        {"x != 3", ""},
	        {"!= 3", ""},
	        {"x \\\n= !ls", ""},
	        {"x = (\n!ls)", ""},
	        {"x += !ls", ""},
	        {"x = 'a \\\nb\n!ls", ""},
	        {"if 1:\n  \\\n   !ls", ""},
	};
	assert_each(cases, COUNT(cases), magics_of);
}

static void test_help(void **state)
{
	static const char *const cases[][2] = {
	        {"?x", "help1 (x)"},
	        {"??x.y ", "help12 (x.y)"},
	        {"?", "help1 ()"},
	        {"x?", "help1 (x)"},
	        {"np.sum??\n", "help12 (np.sum)"},
	        {"*int*?", "help1 (*int*)"},
	        {"%time?", "help1 (%time)"},
	        {"%%time?", "help1 (%%time)"},
	        {"%time foo?", "help1 (foo)"},
	        {"!ls foo?", "help1 (foo)"},
	        {"x = foo?", "help1 (foo)"},
	        {"x = !foo?", "help1 (foo)"},
	        {"a.1b?", "help1 (b)"},
	        {"a.1.c?", "help1 (c)"},
	        {"12ab?", "help1 (ab)"},
	        {"größe.ä?", "help1 (größe.ä)"},
	        {"f(a)?.b?", "help1 (b)"},
	        {"if a: b?", "help1 (b)"},
	        {"f(a,\n  b?", "help1 (b)"},
	        {"?x?", "help1 (x)"},
	        {"x\ny?\nz?", "help1 (y) ; help1 (z)"},
	        /* not at the end of a name: no help, and IPython finds none below it */
	        {"f(x)?\ny?", ""},
	        {"x ?\ny?", ""},
	        {"x? \ny?", ""},
	        {"x???\n?y", "help1 (y)"},
	        {"f(x)?\n!ls foo?", "shell (ls foo?)"},
	        /* a magic that only looks like help */
	        {"!echo 'a?'", "shell (echo 'a?')"},
	        {"!echo # a?", "shell (echo # a?)"},
	        {"!ls (a?\nx", "shell (ls (a?)"},
	        {"!ls a ?\ny?", "shell (ls a ?) ; help1 (y)"},
	        {"x? # c", ""},
	        {"'x?'", ""},
	        {"# x?", ""},
	};
	assert_each(cases, COUNT(cases), magics_of);
}

static const char *cleaned(void)
{
	return arena_cstr(&arena, l.cell.text);
}

static void test_cell_magic_position(void **state)
{
	lexed_init(SLICE("\n \n%%bash -e\n  ls '\n%%time\n"));
	assert_int_equal(l.cell.cell_magics.count, 1);
	assert_int_equal(l.cell.cell_magics.items[0].offset, 3);
	assert_false(l.cell.is_python);
	assert_string_equal(cleaned(), "  ls '\n%%time\n");
	assert_int_equal(l.cell.text_line, 3);
	assert_int_equal(l.cell.lines.count, 2);
	assert_int_equal(l.cell.tokens.count, 0);
	assert_int_equal(l.cell.logical.count, 0);

	lexed_init(SLICE("# c\n%%time x\ny"));
	assert_int_equal(l.cell.cell_magics.count, 0);
	assert_string_equal(lexed_diags(), "magic-position");
	assert_int_equal(l.diags.list.items[0].where.line, 2);
	assert_int_equal(l.diags.list.items[0].where.column, 1);
	assert_int_equal(l.diags.list.items[0].where.length, 6);

	lexed_init(SLICE("%%time?\ny"));
	assert_int_equal(l.cell.cell_magics.count, 0);
	assert_string_equal(lexed_diags(), "");

	lexed_init(SLICE("%%time?x\ny"));
	assert_int_equal(l.cell.cell_magics.count, 0);
	assert_string_equal(magics_of(), "line %time?x()");
	assert_string_equal(lexed_diags(), "");

	lexed_init(SLICE("%%time\n%%time?x\ny"));
	assert_int_equal(l.cell.cell_magics.count, 1);
	assert_string_equal(lexed_diags(), "magic-position");

	lexed_init(SLICE("%%"));
	assert_int_equal(l.cell.cell_magics.count, 1);
	assert_int_equal(l.cell.cell_magics.items[0].name.len, 0);
}

static void test_cleanup(void **state)
{
	static const char *const cases[][2] = {
	        {"  a\n  b\n c\n    d", "a\nb\n c\n  d"},
	        {"\n\n\ta\n\tb", "\n\na\nb"},
	        {" \ta\n \tb\n  c", "a\nb\n  c"},
	        {"a\n  b", "a\n  b"},
	        /* IPython 9 */
	        {"    # c\nfor i in x:\n    b", "    # c\nfor i in x:\n    b"},
	        {"    # c\n  a\n    b", "  # c\na\n  b"},
	        {">>> a\n>>> b\n... c\n...\n.... d", "a\nb\nc\n\n.... d"},
	        {">>>a", ">>>a"},
	        {">>>\nx", "\nx"},
	        {"x\n... y\n>>> z", "x\ny\nz"},
	        {"...\nx", "...\nx"},
	        {"x\n\n>>> z", "x\n\n>>> z"},
	        {"In [1]: a\n   ...: b\n   ....:c\n", "a\nb\nc\n"},
	        {"In [1]: a\n...: b\n", "a\nb\n"},
	        {"[ins] In [12]: a\n [nav] In [1]: b", "a\n [nav] In [1]: b"},
	        {"x\nIn [1]: a", "x\na"},
	        {"In[1]: a", "In[1]: a"},
	        {"In []: a", "In []: a"},
	        {"  >>> a\n  >>> b", "a\nb"},
	        {">>> In [1]: a", "a"},
	        {">>> %%time\n>>> x", "x"},
	};
	assert_each(cases, COUNT(cases), cleaned);
}

static void test_table(void **state)
{
	assert_true(magic_row_count > 30);
	for (size_t i = 0; i < magic_row_count; i++) {
		const struct magic_row *row = &magic_rows[i];
		assert_true(row->name.len > 0 && row->doc[0] != '\0');
		for (unsigned form = FORM_LINE; form <= FORM_ESCAPE; form <<= 1) {
			if (((unsigned)row->form & form) == 0)
				continue;
			/* No name stands twice in one form. */
			assert_ptr_equal(magic_find(row->name, (enum magic_form)form), row);
		}
	}
	for (int action = 0; action < ACTION_COUNT; action++)
		assert_true(magic_action_text((enum magic_action)action)[0] != '\0');
	assert_null(magic_find(SLICE("execute_with_scorep"), FORM_LINE));
	assert_null(magic_find(SLICE("execute_with_score"), FORM_CELL));
	assert_null(magic_find(SLICE(""), FORM_CELL));
	assert_non_null(magic_find(SLICE("time"), FORM_LINE));
	assert_non_null(magic_find(SLICE("time"), FORM_CELL));
}

RUN(TEST(test_line_magics), TEST(test_shell), TEST(test_help), TEST(test_cell_magic_position),
    TEST(test_cleanup), TEST(test_table))
