/* What syntax.h says about a cell, where fuzz.tokens cannot ask Python: old and new Python, magics, paths of imports. */
#include <stdio.h>

#include "lex/syntax.h"
#include "lex/syntax_names.h"
#include "lex/syntax_values.h"
#include "lex_helpers.h"

/* The text of the last expression, "" without one; tuples stand in (). */
static const char *last_of(void)
{
	struct syntax_value value;
	if (!syntax_last_expression(&l.cell, &value))
		return "";
	const struct token *tokens = l.cell.tokens.items;
	const struct token *last = &tokens[value.last_token];
	struct slice text =
	        slice_sub(l.cell.text, tokens[value.first_token].offset, last->offset + last->len);
	return arena_cstr(&arena,
	                  value.is_tuple ? arena_printf(&arena, "(%.*s)", SLICE_ARG(text)) : text);
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
	assert_each(cases, COUNT(cases), last_of);
}

/* The paths of imports, with blanks between them. */
static const char *imports_of(void)
{
	syntax_import_list imports = {0};
	struct strbuf out = {.arena = &arena};
	syntax_imports(&arena, &l.cell, &imports);
	for (size_t i = 0; i < imports.count; i++) {
		strbuf_puts(&out, i > 0 ? " " : "");
		strbuf_add(&out, imports.items[i].path);
	}
	return arena_cstr(&arena, strbuf_slice(&out));
}

static void test_imports(void **state)
{
	static const char *const cases[][2] = {
	        {"import a.b.c as d, e\nimport a.f", "a a/b a/b/c e a/f"},
	        {"if x: import a; import b\ndef f():\n    from c import *", "a b c"},
	        {"try:\n  import a\nexcept E: pass", "a"},
	        {"raise x from y\nz = (yield from w)", ""},
	        {"# import a\n'import b'\nx.import_c", ""},
	        {"!import a\nimport b", "b"},
	        {"from a.b import (c as d,\n  e)", "a a/b a/b/c a/b/e"},
	        {"from . import a\nfrom .b import c\nfrom ... import d", "./a ./b ./b/c ../../d"},
	        {"from ..a import *", "../a"},
	        {"from a import b\nfrom a import b", "a a/b"},
	        {"from\nimport\nfrom a\nfrom . import\nimport a.", "a"},
	        {"def f():\n    import a", "a"},
	};
	assert_each(cases, COUNT(cases), imports_of);
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

RUN(TEST(test_last_expression), TEST(test_imports), TEST(test_fields))
