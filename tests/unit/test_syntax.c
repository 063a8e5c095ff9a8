/* What syntax.h says about the Python of a cell. */
#include "lex/syntax.h"
#include "lex/syntax_blocks.h"
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
	        {"x", "x"},
	        {"x = 1\nf(x) # c\n\n# d", "f(x)"},
	        {"a; b ", "b"},
	        {"a, b", "(a, b)"},
	        {"a, -b", "(a, -b)"},
	        {"*a, b", "(*a, b)"},
	        {"f(a, b)", "f(a, b)"},
	        {"(a, b)", "(a, b)"},
	        {"lambda a, b=1: (a, b)", "lambda a, b=1: (a, b)"},
	        {"lambda: 1, 2", "(lambda: 1, 2)"},
	        {"{a: b}[c:d]", "{a: b}[c:d]"},
	        {"x == y", "x == y"},
	        {"x <= y", "x <= y"},
	        {"await x", "await x"},
	        {"not x", "not x"},
	        {"x if y else z", "x if y else z"},
	        {"None", "None"},
	        {"'doc'", "'doc'"},
	        {"f'{x}' 'y'", "f'{x}' 'y'"},
	        {"-x", "-x"},
	        {"...", "..."},
	        {"(x\n .y)", "(x\n .y)"},
	        {"x \\\n .y", "x \\\n .y"},
	        {"(x := 1)", "(x := 1)"},
	        {"match(x)", "match(x)"},
	        {"match, x", "(match, x)"},
	        {"print", "print"},
	        {"x not in y", "x not in y"},
	        /* none */
	        {"", ""},
	        {"# c", ""},
	        {"x;", ""},
	        {"x; # c", ""},
	        {"x = 1", ""},
	        {"x += 1", ""},
	        {"x: int", ""},
	        {"x.y: int = 1", ""},
	        {"x[lambda: 1]: int", ""},
	        {"x >>= 1", ""},
	        {"x = y = z", ""},
	        {"if x: y", ""},
	        {"if x:\n  y", ""},
	        {"for a in b: c; d", ""},
	        {"else: x", ""},
	        {"import x", ""},
	        {"from a import b", ""},
	        {"del x", ""},
	        {"pass", ""},
	        {"raise x", ""},
	        {"return x", ""},
	        {"yield x", ""},
	        {"@x", ""},
	        {"print x", ""},
	        {"print 'x'", ""},
	        {"exec \"x\"", ""},
	        {"type X = int", ""},
	        {"match x:\n case y: z", ""},
	        {"match ...:\n case y: z", ""},
	        {"global x", ""},
	        {"x\n%time y", ""},
	        {"x\n!ls", ""},
	        {"x?", ""},
	        {"x\ny = (", ""},
	        {"%%bash\nx", ""},
	};
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct lexed l;
		lexed_init(&l, slice_from(cases[i][0]));
		assert_string_equal(last_of(&l), cases[i][1]);
		lexed_release(&l);
	}
	struct lexed l;
	LEX(&l, "%cd x\nf(x)");
	assert_string_equal(last_of(&l), "f(x)");
	lexed_release(&l);
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
	assert_imports("from a.b import (c as d,\n  e)", "a a/b a/b/c a/b/e");
	assert_imports("from . import a\nfrom .b import c\nfrom ... import d",
	               "./a ./b ./b/c ../../d");
	assert_imports("from ..a import *", "../a");
	assert_imports("from a import b\nfrom a import b", "a a/b");
	assert_imports("from\nimport\nfrom a\nfrom . import\nimport a.", "a");
	assert_imports("def f():\n    import a", "a");
}

static bool awaits(const char *source)
{
	struct lexed l;
	lexed_init(&l, slice_from(source));
	bool found = syntax_has_top_level_await(&l.cell, &l.arena);
	lexed_release(&l);
	return found;
}

static void test_top_level_await(void **state)
{
	assert_true(awaits("await x"));
	assert_true(awaits("x = f(await y)"));
	assert_true(awaits("async for a in b: pass"));
	assert_true(awaits("if x:\n  async with a: pass"));
	assert_true(awaits("[a async for a in b]"));
	assert_true(awaits("def f():\n    x\n\nawait f()"));
	assert_true(awaits("def f(): x\nawait f()"));
	assert_true(awaits("def f(x=await y): pass"));
	assert_true(awaits("[lambda: 1, await x]"));
	assert_true(awaits("[lambda x, y: x for x in await y]"));
	assert_false(awaits("async def f():\n    await x\n\n    async for a in b: c"));
	assert_false(awaits("async def f(): await x; await y"));
	assert_false(awaits("class A:\n  async def f(self):\n    await x"));
	assert_false(awaits("if x:\n  async def f():\n    if y:\n      await x\n  z"));
	assert_false(awaits("f(x async for x in y)"));
	assert_false(awaits("f = lambda a, b: await_(a)"));
	assert_false(awaits("f = lambda a, b: await a"));
	assert_false(awaits("f(lambda a=1, *b: [await a], c)"));
	assert_true(awaits("f((lambda a: a), await b)"));
	assert_true(awaits("f(lambda a: a) + await b"));
	assert_false(awaits("'await x' # await"));
	assert_false(awaits("x.awaiting"));
}

static const char *names_of(struct lexed *l)
{
	struct strbuf out;
	struct name_set names;
	strbuf_init(&out, &l->arena);
	name_set_init(&names, &l->arena);
	if (syntax_names(&l->cell, &names))
		strbuf_puts(&out, "* ");
	for (size_t i = 0; i < names.names.count; i++) {
		strbuf_puts(&out, i > 0 ? " " : "");
		strbuf_add(&out, names.names.items[i]);
	}
	return lexed_text(l, strbuf_slice(&out));
}

static void test_names(void **state)
{
	static const char *const cases[][2] = {
	        {"x = f(y).z + x", "x f y"},
	        {"import a.b as c", "a c"},
	        {"x: int = 1\ny = x", "x int y"},
	        {"y = 1\nif y:\n    y: int", "y int"},
	        {"if z: x: int = 1; y: f", "z x int y f"},
	        {"def f(a: int):\n    b: int", "f a int b"},
	        {"def f(): b: int", "f b int"},
	        {"class A:\n    b: int\nc: int", "A b int c"},
	        {"x.y: int", "x int"},
	        {"lambda: x", "x"},
	        {"else: x", "x"},
	        {"from a import *", "* a"},
	        {"def f():\n  from a import *", "f a"},
	        {"f'{(n := 1)} {m}'", "n"},
	        {"a ; b; a", "a b"},
	};
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct lexed l;
		lexed_init(&l, slice_from(cases[i][0]));
		assert_string_equal(names_of(&l), cases[i][1]);
		lexed_release(&l);
	}
}

static void assert_depth(const char *source, unsigned blocks, unsigned indents)
{
	struct lexed l;
	lexed_init(&l, slice_from(source));
	struct code_depth depth = code_depth_of(&l.arena, &l.cell);
	assert_int_equal(depth.blocks, blocks);
	assert_int_equal(depth.indents, indents);
	lexed_release(&l);
}

/* compare_syntax.py asks compile() itself about the same constructs. */
static void test_nesting(void **state)
{
	assert_depth("x", 0, 0);
	assert_depth("if a:\n  if b: c\n", 0, 1);
	assert_depth("for a in b: c", 1, 0);
	assert_depth("for a in b:\n  while c:\n    d\n  else:\n    e\n", 2, 2);
	assert_depth("while a: b\nelse:\n  for c in d: e\n", 1, 1);
	assert_depth("with a, b as c:\n  d", 2, 1);
	assert_depth("with (a, b): d", 2, 0);
	assert_depth("with (a, b,): d", 2, 0);
	assert_depth("with (a, b) as c: d", 1, 0);
	assert_depth("with f(a, b), [c, d]: e", 2, 0);
	assert_depth("try: a\nexcept: b\n", 2, 0);
	assert_depth("try:\n  for a in b: c\nexcept E: b\n", 2, 1);
	assert_depth("try:\n  for a in b:\n    for c in d: e\nexcept E: b\n", 3, 2);
	assert_depth("try: a\nexcept E as e:\n  for a in b: c\n", 3, 1);
	assert_depth("try: a\nexcept E: b\nelse:\n  for a in b:\n    for c in d: e\n", 2, 2);
	assert_depth("try: a\nfinally: b", 1, 0);
	assert_depth("try: a\nfinally:\n  for a in b: c", 2, 1);
	assert_depth("try: a\nexcept E: b\nfinally: c", 3, 0);
	assert_depth("async for a in b:\n  async with c, d: e", 3, 1);
	assert_depth("for a in b:\n  def f():\n    for c in d: e", 1, 2);
	assert_depth("class A:\n  for a in b: c", 0, 1);
	assert_depth("match a:\n  case b:\n    for c in d: e", 1, 2);
	assert_depth("for a in b: c\nfor a in b: c", 1, 0);
	assert_depth("else: x\nexcept: y", 0, 0);
}

RUN(cmocka_unit_test(test_last_expression), cmocka_unit_test(test_imports),
    cmocka_unit_test(test_top_level_await), cmocka_unit_test(test_names),
    cmocka_unit_test(test_nesting))
