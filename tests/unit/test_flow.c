/* What cells do with names: "a" is used, "+a" bound, "=a" global, "-a" deleted, "{0}" a magic, "{0}?" one that
 * may run; "*" is any name, "." the end of the script. */
#include "lex/flow.h"
#include "lex_helpers.h"

static void add_event(struct strbuf *out, const struct flow_event *event)
{
	static const char *const signs[] = {
	        [FLOW_USE] = "", [FLOW_BIND] = "+", [FLOW_GLOBAL] = "=", [FLOW_DELETE] = "-"};
	if (event->kind == FLOW_NOTHING)
		return;
	strbuf_puts(out, out->len > 0 ? " " : "");
	if (event->kind == FLOW_MAGIC || event->kind == FLOW_MAGIC_PERHAPS)
		strbuf_printf(out, event->kind == FLOW_MAGIC ? "{%u}" : "{%u}?", event->index);
	else if (event->kind == FLOW_ANY || event->kind == FLOW_END)
		strbuf_puts(out, event->kind == FLOW_ANY ? "*" : ".");
	else
		strbuf_printf(out, "%s%.*s", signs[event->kind], SLICE_ARG(event->name));
}

static void assert_flow(const char *source, const char *expected)
{
	struct lexed l;
	struct strbuf out;
	flow_events events = {0};
	lexed_init(&l, slice_from(source));
	strbuf_init(&out, &l.arena);
	flow_read(flow_reader_new(&l.arena), &l.cell, &events);
	for (size_t i = 0; i < events.count; i++)
		add_event(&out, &events.items[i]);
	const char *got = lexed_text(&l, strbuf_slice(&out));
	if (strcmp(got, expected) != 0)
		fail_msg("%s\n  gives    %s\n  expected %s", source, got, expected);
	lexed_release(&l);
}

static void test_assignments(void **state)
{
	(void)state;
	assert_flow("a = b", "b +a");
	assert_flow("a = b = c", "c +a +b");
	assert_flow("a, (b, *c), [d] = e", "e +a +b +c +d");
	assert_flow("a.b = c[d].e = f", "f a c d");
	assert_flow("f(a).b = (g)[c] = d", "d f a +g c"); /* "(g)" is taken for a target */
	assert_flow("a += b", "b a +a");
	assert_flow("a[b] |= c", "c a b");
	assert_flow("a: B = c", "c +a");
	assert_flow("a: B\nself.c: D", "+a self");
	assert_flow("a = b == c", "b c +a");
	assert_flow("print(a := b, a)", "+a print b a");
	assert_flow("[a for b in c if (a := b)]", "+a c");
	assert_flow("type A[T] = B", "+A");
	assert_flow("type = a\nmatch = type\ncase, _ = match",
	            "a +type type +match match +case +_");
}

static void test_expressions(void **state)
{
	(void)state;
	assert_flow("a.b(c, d=e, *f, **g)[h:i]", "a c e f g h i");
	assert_flow("a and b, c or d", "a c");
	assert_flow("f(a or b, c)", "f a c");
	assert_flow("a if b else c, d", "d");
	assert_flow("f(a, b if c else d, e)", "f a e");
	assert_flow("{a: b if c else d, e: f}", "a e f");
	assert_flow("f(lambda a, b=c: d, e)", "f");
	assert_flow("f(a, key=lambda x, /: x)", "f a");
	assert_flow("not a, -b, await c, ..., None, 1", "a b c");
	assert_flow("a @ b % c\n@d\ndef f(): pass", "a b c d +f");
	assert_flow("'a' f'b' '''c'''", "");
	assert_flow("(a\n # b\n.c)", "a");
	assert_flow("assert a, b", "a");
	assert_flow("return_ = yield_", "yield_ +return_");
}

static void test_comprehensions(void **state)
{
	(void)state;
	assert_flow("[a(b) for b in c]", "a c");
	assert_flow("{a: b for c, d in e}", "a b e");
	assert_flow("[a for b in c if d]", "c");
	assert_flow("[a for b in c for d in e]", "a c");
	assert_flow("sum(a for b in c)", "sum c");
	assert_flow("(a for b in c if d for e in f)", "c");
	assert_flow("[a for a in a]\na", "a"); /* the first one is not looked at */
}

static void test_fields(void **state)
{
	(void)state;
	assert_flow("f'{a} {b:.2f} {c!r} {d=} {e.f:>10}'", "a b c d e");
	assert_flow("f'{a[b]} {c(d, e=f)!r} {g + 1:{h}}'", "a b c d f g");
	assert_flow("f'{{a}} \\N{BULLET} {b}'", "b");
	assert_flow("f'{a if b else c} {d or e} {(lambda: g)}'", "d");
	assert_flow("f'{a!=b} {c:=5} {d == e}'", "a b c d e");
	assert_flow("f'{ {a: b} } {[c for c in d]}'", "a b d");
	assert_flow("f'{\"{\"} {a}'", ""); /* the brace in the string is not told apart */
	assert_flow("rf'''{\na\n}'''", "a");
	assert_flow("a and f'{b}'", "a");
	assert_flow("t'{a}'", "a");
}

static void test_imports(void **state)
{
	(void)state;
	assert_flow("import a.b, c.d as e, f", "+a +e +f");
	assert_flow("from . import a\nfrom b.c import (d as e,\n  f,)", "+a +e +f");
	assert_flow("from a import *\nb", "* b");
	assert_flow("import a; b", "+a b");
}

static void test_deletions(void **state)
{
	(void)state;
	assert_flow("del a, (b), c.d, e[f]", "a -a b -b c e f");
	assert_flow("if a: del b", "a");
	assert_flow("for a in b: del a", "b +a a");
	assert_flow("with a: del b", "a b");
}

static void test_functions(void **state)
{
	(void)state;
	assert_flow("def f(a, b=c, *d: E, g: H = i, **j) -> K:\n  l\n  m = n\no", "c i +f o");
	assert_flow("def f[T](a: T, /, b=T): pass", "T +f");
	assert_flow("async def f(a=lambda x, y: z, b=c): await d", "c +f");
	assert_flow("def f():\n  global a, b\n  def g():\n    global c\n  a = d\ne",
	            "+f =a =b =c e");
	assert_flow("def f(): a; b\nc", "+f c");
	assert_flow("class A(B, metaclass=C):\n  a = b\n  c = a\n  def d(self): e\n  d\nc",
	            "B C +A b c");
	assert_flow("class A[T](B[T]): a = T", "+A T");
	assert_flow("class A:\n  class B:\n    a = 1\n  for b in c: d = b\n  d", "+A c");
}

static void test_suites(void **state)
{
	(void)state;
	assert_flow("if a: b\nelif c: d\nelse: e\nf", "a f");
	assert_flow("if a:\n  b = c\nd", "a +b d");
	assert_flow("if __name__ == '__main__':\n  a", "__name__ a");
	assert_flow("try:\n  a\nexcept B as c: d\nelse: e\nfinally: f\ng", "+c g");
	assert_flow("with a as b, c(d) as (e, f), g as h.i: j", "a +b c d +e +f g h j");
	assert_flow("with (a as b, c as d):\n  e", "a +b c +d e");
	assert_flow("with pytest.raises(A): b", "pytest A");
	assert_flow("with suppress(a):\n  b\nc", "suppress a c");
	assert_flow("with np.errstate(divide='ignore'): a", "np a");
	assert_flow("match ...:\n  case a: b", "+a");
	assert_flow("match a:\n  case B(c, d=e) if f: g\nh", "a +B +c +d +e +f h");
	assert_flow("async with a as b:\n  async for c in b: d", "a +b b +c d");
}

static void test_loops(void **state)
{
	(void)state;
	assert_flow("for a, b in c: d\nelse: e", "c +a +b d");
	assert_flow("while a: b = 1", "a +b");
	assert_flow("for a in b:\n  if a: c\n  d += a\nc", "b +a a a d +d c");
	assert_flow("for a.b in c: pass", "c a");
	/* what the body defines is there in a later round */
	assert_flow("for a in b:\n  for c in d: e\n  e = 1\nf", "b +a +c +e d +c e +e f");
	assert_flow("for a in b:\n  with c:\n    [d for e in f]; g\n  d = 1; g = 1\nh",
	            "b +a c +d +g d f g +d +g h");
	assert_flow("for a in b: [c for d in e]; f; c = g\nf", "b +a +c c e f g +c f");
	assert_flow("for a in b:\n  f'{a} {[c for d in e]}'\n  c = 1", "b +a a +c");
	assert_flow("for a in b:\n  while c:\n    d\n  for d in e: f", "b +a +d c e +d f");
}

static void test_magics(void **state)
{
	(void)state;
	assert_flow("a = !ls\nb\n%c", "{0} b {1}");
	assert_flow("if a:\n  %b\nfor c in d:\n  !e\n%f", "a {0}? d +c {1}? {2}");
	assert_flow("def f():\n  %a\nwith b:\n  %c", "+f {0}? b {1}");
}

static void test_openers(void **state)
{
	(void)state;
	assert_flow("exec(a)\nb", "* a b");
	assert_flow("globals()['a'] = 1", "* globals");
	assert_flow("def f(): get_ipython().push(a)", "+f *");
	assert_flow("a.exec(b.globals)", "a b");
	assert_flow("vars(a), re.compile(b)", "vars a re b");
	assert_flow("vars().update(a)", "* a");
	assert_flow("sys.modules, nn.modules", "sys * nn");
	assert_flow("shell.user_ns['a'] = 1", "shell *");
	assert_flow("sympy.var('a b')\na", "sympy * a");
	assert_flow("from sympy import var\nvar(f'a:{b}')", "+var * b");
	assert_flow("var = np.var(a)\nvar, var[0], var(b)", "np a +var var var var b");
	assert_flow("dill.load_session('a')", "dill *");
	assert_flow("InteractiveShell.b = 'all'\nInteractiveShell.instance().push(a)",
	            "InteractiveShell InteractiveShell * a");
	assert_flow("if a: import builtins", "a +builtins");
	assert_flow("import builtins\nbuiltins.a = 1", "+builtins * builtins");
}

static void test_ends(void **state)
{
	(void)state;
	assert_flow("raise a(b)\nc", "a b . c");
	assert_flow("exit()", "exit .");
	assert_flow("sys.exit(a)", "sys a .");
	assert_flow("os._exit(0)", "os .");
	assert_flow("if a: raise b\nexit\na.exit()", "a exit a");
	assert_flow("for a in b: quit()", "b +a quit");
}

static void test_no_python(void **state)
{
	static const char *const sources[] = {
	        "print a",      "print 'a'",      "a = <b>",    "a b = c",  "export A=b",
	        "a = ",         "x = 1\nprint x", "f(",         "if a:\nb", "a /",
	        "copy a to b;", "a = / 2",        "(a) b",      "1 a",      "for a b in c: d",
	        "%%time\na b",  "f'{a b}'",       "def f(x)\na"};
	(void)state;
	for (size_t i = 0; i < sizeof sources / sizeof *sources; i++)
		assert_flow(sources[i], "*");
	assert_flow("a, 1if b else c, 'd'.e, (f).g, [] . h", "a f");
	assert_flow("print >>a, b", "print a b"); /* Python takes it for a shift */
}

/* DEPTH brackets around a name. */
static const char *brackets(struct arena *arena, size_t depth)
{
	struct strbuf out;
	strbuf_init(&out, arena);
	strbuf_fill(&out, '(', depth);
	strbuf_addc(&out, 'a');
	strbuf_fill(&out, ')', depth);
	return arena_cstr(arena, strbuf_slice(&out));
}

static void test_limits(void **state)
{
	struct arena arena;
	struct strbuf many;
	(void)state;
	arena_init(&arena, NULL);
	assert_flow(brackets(&arena, 199), "a");
	assert_flow(brackets(&arena, 201), "*"); /* Python refuses it */
	strbuf_init(&many, &arena);
	for (int i = 0; i < 40; i++)
		strbuf_printf(&many, "[a for b%d in c], ", i);
	/* Of so many variables of comprehensions not all are known. */
	assert_flow(arena_cstr(&arena, strbuf_slice(&many)), "");
	arena_release(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(test_assignments),    cmocka_unit_test(test_expressions),
	        cmocka_unit_test(test_comprehensions), cmocka_unit_test(test_fields),
	        cmocka_unit_test(test_imports),        cmocka_unit_test(test_deletions),
	        cmocka_unit_test(test_functions),      cmocka_unit_test(test_suites),
	        cmocka_unit_test(test_loops),          cmocka_unit_test(test_magics),
	        cmocka_unit_test(test_openers),        cmocka_unit_test(test_ends),
	        cmocka_unit_test(test_no_python),      cmocka_unit_test(test_limits),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
