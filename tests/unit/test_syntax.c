/* What syntax.h says about a cell, where fuzz.tokens cannot ask Python: old and new Python, magics, paths of imports. */
#include <stdio.h>

#include "lex/syntax.h"
#include "lex/syntax_names.h"
#include "lex/syntax_values.h"
#include "lex_helpers.h"

/* The text of the last expression, "" without one; tuples stand in (). */
static const char *last_of(struct lexed *l)
{
	struct syntax_value value;
	if (!syntax_last_expression(&l->cell, &value))
		return "";
	const struct token *tokens = l->cell.tokens.items;
	const struct token *last = &tokens[value.last_token];
	struct slice text =
	        slice_sub(l->cell.text, tokens[value.first_token].offset, last->offset + last->len);
	return lexed_text(l, value.is_tuple ? arena_printf(&l->arena, "(%.*s)", SLICE_ARG(text))
	                                    : text);
}

static void test_last_expression(void **state)
{
	static const char *const cases[][2] = {
	        {"%cd x\nf(x)", "f(x)"}, {"print", "print"},   {"match, x", "(match, x)"},
	        {"x; # c", ""},          {"print x", ""},      {"print 'x'", ""},
	        {"exec \"x\"", ""},      {"type X = int", ""}, {"match x:\n case y: z", ""},
	        {"x\n%time y", ""},      {"x\n!ls", ""},       {"x?", ""},
	        {"x\ny = (", ""},        {"%%bash\nx", ""},
	};
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct lexed l;
		lexed_init(&l, slice_from(cases[i][0]));
		assert_string_equal(last_of(&l), cases[i][1]);
		lexed_release(&l);
	}
}

static const char *join(struct lexed *l, const syntax_slices *items)
{
	struct strbuf out;
	strbuf_init(&out, &l->arena);
	for (size_t i = 0; i < items->count; i++) {
		strbuf_puts(&out, i > 0 ? " " : "");
		strbuf_add(&out, items->items[i]);
	}
	return lexed_text(l, strbuf_slice(&out));
}

static void assert_imports(const char *source, const char *expected)
{
	struct lexed l;
	syntax_import_list imports = {0};
	syntax_slices paths = {0};
	lexed_init(&l, slice_from(source));
	syntax_imports(&l.arena, &l.cell, &imports);
	for (size_t i = 0; i < imports.count; i++)
		vec_push(&l.arena, &paths, imports.items[i].path);
	assert_string_equal(join(&l, &paths), expected);
	lexed_release(&l);
}

static void test_imports(void **state)
{
	assert_imports("import a.b.c as d, e\nimport a.f", "a a/b a/b/c e a/f");
	assert_imports("if x: import a; import b\ndef f():\n    from c import *", "a b c");
	assert_imports("try:\n  import a\nexcept E: pass", "a");
	assert_imports("raise x from y\nz = (yield from w)", "");
	assert_imports("# import a\n'import b'\nx.import_c", "");
	assert_imports("!import a\nimport b", "b");
	assert_imports("from a.b import (c as d,\n  e)", "a a/b a/b/c a/b/e");
	assert_imports("from . import a\nfrom .b import c\nfrom ... import d",
	               "./a ./b ./b/c ../../d");
	assert_imports("from ..a import *", "../a");
	assert_imports("from a import b\nfrom a import b", "a a/b");
	assert_imports("from\nimport\nfrom a\nfrom . import\nimport a.", "a");
	assert_imports("def f():\n    import a", "a");
}

/* The fields of TEXT, one after the other, each with a "|". */
static void assert_fields(const char *text, const char *wanted)
{
	char found[100] = "";
	struct slice field;
	for (struct slice rest = slice_from(text); syntax_next_field(&rest, &field);)
		snprintf(strchr(found, '\0'), 50, "%.*s|", SLICE_ARG(field));
	assert_string_equal(found, wanted);
}

static void test_fields(void **state)
{
	assert_fields("no field", "");
	assert_fields("a {b} c {d:>{width}.2f} e", "b|d:>{width}.2f|");
	assert_fields("{{not}} {a}", "a|");
	assert_fields("{a", "a|");
}

RUN(cmocka_unit_test(test_last_expression), cmocka_unit_test(test_imports),
    cmocka_unit_test(test_fields))
