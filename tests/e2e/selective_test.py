#!/usr/bin/env python3
"""What is measured besides cells, and what is not: --imports, --regions, --instrument-module,
under the double of the bindings."""
import importlib.util
import json
import pathlib
import re
import shutil
import signal
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from ending_test import measured  # noqa: E402
from runtime_test import RUN_SCRIPT, RuntimeCase  # noqa: E402
from support import notebook  # noqa: E402

# As numba does, this reads the code of functions, where it takes no `with`.
NUMBA = """import dis
def check(code):
    for each in dis.get_instructions(code):
        if "WITH" in each.opname: raise TypeError(f"with in {code.co_name}")
    for each in code.co_consts:
        if hasattr(each, "co_code"): check(each)
def compiled(f, **options):
    for each in vars(f).values() if isinstance(f, type) else [f]:
        if hasattr(each, "__code__"): check(each.__code__)
    return f
def njit(*given, **options):
    return compiled(given[0]) if given and callable(given[0]) else compiled
jit = vectorize = guvectorize = cfunc = stencil = jitclass = njit
class cuda: jit = staticmethod(njit)
set_num_threads = print
"""

OFF = "%%scorep_python_binding_arguments\n--noinstrumenter"


# Cells, names of the file of --regions if it is not "defs", and the functions that are entered.
FUNCTIONS = {
    "functions": (["def f(n):\n    '''Text.'''\n    return n and f(n - 1)\n"
                   "def g():\n    '''Only text.'''\nprint(f(2), g(), f.__doc__, g.__doc__)", "f(0)"], None,
                  ["__main__:f"] * 3 + ["__main__:g", "__main__:f"]),
    "classes": (["class A:\n    def __init__(self): self.n = 1\n    def step(self): return self.n\n"
                 "    @staticmethod\n    def s(): return 's'\n"
                 "    @classmethod\n    def c(cls): return cls.__name__\n"
                 "    @property\n    def p(self): return 'p'\n"
                 "    @p.setter\n    def p(self, value): self.n = value\n"
                 "    class B:\n        def step(self): return super().__repr__()[:20]\n"
                 "class C(A):\n    def step(self): return super().step() + 1\n",
                 "a = C()\nprint(a.step(), A.s(), a.c(), a.p)\na.p = 5\nprint(a.n, A.B().step())"], None,
                ["__main__.A:__init__", "__main__.C:step", "__main__.A:step", "__main__.A:s",
                 "__main__.A:c", "__main__.A:p", "__main__.A:p", "__main__.A.B:step"]),
    "names of a file": (["def f(): pass\ndef g(): pass\nclass A:\n    def step(self): pass\n"
                         "    def no(self): pass\n    def stop(self): pass\n"
                         "class B:\n    def x(self): pass\n    class C:\n"
                         "        def y(self): pass\ndef outer():\n    def inner(): pass\n"
                         "    inner()\nf(), g(), A().step(), A().no(), A().stop()\n"
                         "B().x(), B.C().y(), outer()"], "# what counts\nf\n  A.st*  # methods\n\nB\nouter.inner\n",
                        ["__main__:f", "__main__.A:step", "__main__.A:stop", "__main__.B:x", "__main__.B.C:y",
                         "__main__:inner"]),
    "decorators": (["import functools\ndef loud(f):\n    @functools.wraps(f)\n"
                    "    def call(*a): print('call'); return f(*a)\n    return call\n"
                    "@loud\n@functools.lru_cache(None)\ndef f(n):\n    return n < 2 or f(n - 1)\nf(3)\nf(3)"], None,
                   ["__main__:loud"] + ["__main__:f"] * 3),
    "await": (["import asyncio\nawait asyncio.sleep(0)\ndef f(): return 1\nf()", "f()"], None, ["__main__:f"] * 2),
    "a function sent as code, as by cloudpickle, of which joblib and dask make use": ([
        "import pickle\ndef f(): return 5\ndef g():\n    yield 1\n    yield 2\n"
        "for each in f, g:\n    made = each.__code__.co_consts\n"
        "    for _ in 'to', 'back':\n        made = pickle.loads(pickle.dumps(made))\n"
        "    code = each.__code__.replace(co_consts=made)\n    copy = type(f)(code, {})\n"
        "    print(copy() if each is f else list(copy()), {code: 'hashable'}[code])"], None, []),
    "future imports, and warnings": (["from __future__ import annotations\ndef f(x: Unknown): return x is 1\n"
                                      "print(f.__annotations__, f(2), '\\d')"], None, ["__main__:f"]),
    "what Python says of functions": ([
        "import inspect, pickle, sys\n"
        "def f(a, *, b: int = 2) -> str:\n    'Doc.'\n    c = 3\n    return locals()\n"
        "class A:\n    def g(self): return sys._getframe(0).f_code.co_name\n"
        "print(inspect.getsource(f), inspect.getsource(A), inspect.signature(f))\n"
        "print(f(1), f.__qualname__, f.__code__.co_firstlineno, f.__code__.co_varnames)\n"
        "print(pickle.loads(pickle.dumps(A())).g(), pickle.loads(pickle.dumps(f)) is f)\n"
        "print(sorted(name for name in globals() if not name.startswith('_')))"], None,
        ["__main__:f", "__main__.A:g"]),
}
# Code that has functions compiled, and the functions that are entered.
COMPILED = {
    "by a call": (
        "import numba as nb\nfrom numba import jit\nnb.set_num_threads(2)\n"
        "def f(x): return x\ndef g(x): return x\ndef h(x): return x\ndef k(x): return x\n"
        "class A:\n    def f(self): return 1\n    def g(x): return x\n"
        "class B:\n    def f(self): return 1\n"
        "fast = nb.njit(f)\nsame = jit(nopython=True)(g)\nnb.njit(A.g)\n"
        "made = nb.jitclass([('x', 'f8')])(B)\nnb.set_num_threads(h(1))\n"
        "def apply(f, x, engine): return f(x)\napply(k, 1, engine='numba')\n"
        "result = fast(3)\nprint(result, fast(h) is h, sorted([3], key=h), same(2),"
        " A().f(), made().f())", ["__main__:h", "__main__:apply", "__main__:h", "__main__.A:f"]),
    "what a compiler has made, also with options, compiles nothing": (
        "import numba as nb\ndef f(x): return 1\ndef g(): return 2\n"
        "made = nb.njit(f, cache=True)\nmade(g)\ng()", ["__main__:g"]),
    "by another name": (
        "from numba import njit\n" + "".join(f"def {f}(): return 1\n" for f in "abcdef")
        + "other, last = None, {}\nother = 0\nlast[0] = f\nother = a\nnjit(other)()\n"
        "[njit(each)() for each in (b, c)]\n"
        "for each in [d, e]:\n    this = each\n    njit(this)()\nf()", ["__main__:f"]),
    "a class": (
        "import numba\n@numba.jitclass([('x', 'f8')])\nclass A:\n    def f(self): return 1\n"
        "class B:\n    def f(self): return 1\nA().f(), B().f()", ["__main__.B:f"]),
    "names of compilers that compile nothing": (
        "import numba\nfrom other import jit, vectorize\nlast = {}\nlast[0] = numba.jit(cache=True)\n"
        "@jit\ndef f(): return 1\n@vectorize\ndef g(): return f()\ng()", ["__main__:g", "__main__:f"]),
}


class SelectiveCase(RuntimeCase):
    def ways(self, *options):
        """Of `run`, only without measuring: else it starts the run script."""
        return RUN_SCRIPT, super().ways(*options)[2]

    def output(self, *cells, options=(), same_errors=True):
        """What a script prints, which is the same with OPTIONS, without, and unmeasured."""
        self.make(*cells)
        plain = self.run_way(("./heat_run.sh",))
        shutil.rmtree(self.experiment)
        self.build("-q", *options, "heat.ipynb")
        for way in self.ways(*options):
            shutil.rmtree(self.experiment, ignore_errors=True)
            done = self.run_way(way)
            self.assertEqual((done.status, done.out), (plain.status, plain.out), done)
            if same_errors and "--no-scorep" not in way:
                self.assertEqual(done.err, plain.err)
            if way == RUN_SCRIPT:
                self.recorded = self.regions()
                self.events = (self.experiment / "events.jsonl").read_text().splitlines()
        return done.out.decode()


class QuietImports(SelectiveCase):
    OPTIONS = ["--imports=quiet"]

    def quiet_output(self, *cells, **more):
        self.write("model.py", "def made():\n    return 3\nmade()\n")
        return self.output(*cells, options=self.OPTIONS, **more)

    def assert_quiet(self, kept=("user:cell 1",)):
        loud = [name for name in self.recorded if name.startswith(("model:", "importlib"))]
        self.assertEqual(loud, [])
        for name in kept:
            self.assertIn(name, self.recorded)

    def test_is_the_default(self):
        self.write("model.py", "def made():\n    return 3\nmade()\n")
        self.finish(measured("import model\nmodel.made()"))
        self.assertEqual(self.regions().count("model:made"), 1)

    def test_forms_of_import(self):
        for line in ("import model", "from model import *", "import model as m",
                     "import importlib; importlib.import_module('model')",
                     "import xml.dom.minidom, model", "__import__('model')",
                     "import model, importlib; importlib.reload(model)"):
            with self.subTest(line):
                self.quiet_output(measured(f"def f(): pass\n{line}\nf()"))
                self.assert_quiet(["user:cell 1", "__main__:f"])

    def test_calls_behind_an_import_are_recorded(self):
        self.quiet_output(measured("import model\nmodel.made()"))
        self.assertEqual(self.recorded.count("model:made"), 1)

    def test_where_it_is_off_already(self):
        self.write("outer.py", "import scorep.user\nwith scorep.instrumenter.enable():\n"
                               "    import model\n    def f(): return 1\n    f()\n")
        cell = "import sys\nimport outer\ndef g(): return outer.f()\nprint(g(), sys.getprofile())"
        self.assertEqual(self.quiet_output("1", measured("2"), cell), "1\n2\n1 None\n")
        self.assert_quiet(["user:cell 2", "outer:f"])
        self.assertNotIn("__main__:g", self.recorded)

    def test_failing_import(self):
        """It looks as it does in Jupyter, from Python 3.11."""
        self.write("broken.py", "def f():\n    1 / 0\nf()\n")
        cell = ("import traceback\ndef after(): pass\nfor name in 'nothing', 'broken':\n"
                "    try:\n        if name == 'broken':\n            import broken\n"
                "        import nothing\n"
                "    except Exception:\n        print(traceback.format_exc())\n    after()")
        if sys.version_info < (3, 11):
            cell = cell.replace("traceback.format_exc()", "'failed'")
        self.quiet_output(measured(cell), same_errors=sys.version_info >= (3, 11))
        self.assertEqual(self.recorded.count("__main__:after"), 2)

    def test_warnings_of_a_module(self):
        self.write("old.py", "import warnings\nwarnings.warn('old', DeprecationWarning, 2)\n")
        self.quiet_output(measured("import old"))
        self.make(measured("import old"), options=self.OPTIONS)
        self.assertRegex(self.run_way(("./heat_run.sh",)).err, rb"heat\.py:\d+: Deprecation")

    def test_fork_during_an_import(self):
        self.write("forks.py", "import os, sys\nchild = os.fork()\nif child:\n"
                               "    os.waitpid(child, 0)\n")
        cell = ("import forks, os, sys\n"
                "if not forks.child:\n    print('child', sys.getprofile(), flush=True)\n"
                "    os._exit(0)\n"
                "def f(): pass\nf()")
        self.assertEqual(self.quiet_output(measured(cell)), "child None\n")
        self.assert_quiet(["__main__:f"])

    def test_in_threads(self):
        cell = ("import threading\ndef f():\n    import model, json\n    return model.made()\n"
                "threads = [threading.Thread(target=f) for _ in range(4)]\n"
                "for each in threads: each.start()\nimport xml.dom\n"
                "for each in threads: each.join()\ndef g(): pass\ng()")
        self.quiet_output(measured(cell))
        self.assertIn("__main__:g", self.recorded)

    def test_other_instrumenters(self):
        for kind in "trace", "dummy":
            with self.subTest(kind):
                self.quiet_output(
                    f"%%scorep_python_binding_arguments\n--instrumenter-type={kind}",
                    measured("import model\ndef f(): pass\nf()"))
                if kind != "dummy":
                    self.assert_quiet(["__main__:f", "user:cell 2"])


class Regions(SelectiveCase):
    def with_regions(self, *cells, names="defs", **more):
        if names != "defs":
            self.write("names", names)
        return self.output(OFF, *map(measured, cells),
                           options=[f"--regions={'defs' if names == 'defs' else 'names'}"], **more)

    def functions(self):
        return [name for name in self.recorded if not name.startswith("user:cell")]

    def test_functions(self):
        for what, (cells, names, functions) in FUNCTIONS.items():
            with self.subTest(what):
                self.with_regions(*cells, names=names or "defs")
                self.assertEqual(self.functions(), functions)

    def test_compiled(self):
        for what, (cell, functions) in COMPILED.items():
            with self.subTest(what):
                self.compiled_cells(cell)
                self.assertEqual(self.functions(), functions)

    def test_name_of_nothing(self):
        self.with_regions("def f(): pass\nf()", names="f\nstpe\n", same_errors=False)
        done = self.run_way(("./heat_run.sh",))
        self.assertEqual(done.err, b"nbscorep: the script has no function or class "
                                   b"'stpe' (--regions)\n")

    def test_where_the_instrumenter_is_always_on(self):
        """No region is there twice."""
        whole = "def f(): return 1\nf()", "f()"
        parts = measured("def f(): return 1\nf()"), "f()"
        for cells, options in ((whole, []), (parts, []), ((OFF, *whole), []),
                               (whole, ["--instrument=none"]),
                               ((*whole, "with scorep.instrumenter.disable():\n    f()"), [])):
            with self.subTest(cells, options=options):
                self.output(*cells, options=["--regions=defs", *options])
                self.assertEqual(self.functions().count("__main__:f"),
                                 2 + cells[-1].startswith("with"))

    def test_function_that_turns_it_on(self):
        self.with_regions("def f():\n    scorep.instrumenter.register()\n    g()\n"
                          "def g(): pass\nf()\ng()\nscorep.instrumenter.unregister()\ng()")
        self.assertEqual(self.functions().count("__main__:g"), 3)

    def test_generators(self):
        self.with_regions(
            "def numbers(n):\n    for i in range(n):\n        got = yield i\n"
            "        if got: print('got', got)\n    return 'end'\n"
            "def make(): return 'ab'\n"
            "def both():\n    print((yield from numbers(2)))\n    yield from make()\n"
            "def work(): pass\n"
            "for x in both(): work()\ng = numbers(3); next(g); print(g.send('it')); g.close()\n"
            "import inspect; print(inspect.isgeneratorfunction(numbers), list(numbers(2)))\n"
            "half = numbers(5); next(half); del half")
        self.assertEqual(self.functions().count("__main__:work"), 4)
        self.assertEqual(self.open_at("__main__:work"), [["user:cell 2"]] * 4)
        self.assertIn(["user:cell 2", "__main__:both"], self.open_at("__main__:make"))

    def open_at(self, wanted):
        """What is open where the region WANTED is entered."""
        stack, found = [], []
        for event in map(json.loads, self.events):
            if event["event"] == "leave":
                stack.pop()
            else:
                found += [list(stack)] if event["region"] == wanted else []
                stack.append(event["region"])
        return found

    def test_generator_with_exceptions(self):
        self.with_regions(
            "def g():\n    while True:\n        try:\n            yield 1\n"
            "        except ValueError as error:\n            print('caught', error)\n"
            "        finally:\n            print('finally')\n"
            "x = g()\nnext(x)\nprint(x.throw(ValueError('thrown')))\n"
            "def fails():\n    yield 1\n    1 / 0\n"
            "try: list(fails())\nexcept ZeroDivisionError as e: print(e)\nx.close()\n"
            "import contextlib\n@contextlib.contextmanager\ndef around():\n    print('in')\n"
            "    try: yield 5\n    finally: print('out')\n"
            "with contextlib.suppress(KeyError), around() as n: print(n); raise KeyError")
        self.assertIn("__main__:around", self.recorded)

    def test_coroutines(self):
        cell = ("import asyncio, inspect\n"
                "async def work(n):\n    for _ in range(3): await asyncio.sleep(0)\n"
                "    return n\n"
                "async def numbers():\n    for i in range(3):\n        await asyncio.sleep(0)\n"
                "        yield i\n"
                "class Lock:\n    async def __aenter__(self): await asyncio.sleep(0); return 7\n"
                "    async def __aexit__(self, *_): await asyncio.sleep(0)\n"
                "async def main(default=lambda: (yield)):\n"
                "    got = await asyncio.gather(*(work(i) for i in range(3)))\n"
                "    more = [await work(i) async for i in numbers() if await work(i) >= 0]\n"
                "    async for i in numbers():\n        if i == 0: continue\n"
                "        if i == 2: break\n        await work(i)\n    else: print('no')\n"
                "    async with Lock() as n, Lock():\n        await work(1)\n"
                "        async with Lock(): return got, more, n, [x async for x in numbers()]\n"
                "print(inspect.iscoroutinefunction(main), inspect.isasyncgenfunction(numbers))\n")
        for end in "asyncio.run(main())", "await main()":
            with self.subTest(end):
                out = self.with_regions(cell + end)
                self.assertIn("([0, 1, 2], [0, 1, 2], 7, [0, 1, 2])", out)
                for name in "work", "main", "numbers":  # none is open while another one runs
                    steps = self.open_at(f"__main__:{name}")
                    self.assertGreater(len(steps), 3)
                    self.assertEqual(steps, [["user:cell 2"]] * len(steps))

    def test_helpers_of_the_script(self):
        self.make("%%capture\ndef f(): pass\nf()", "!true", options=["--regions=defs"])
        done = self.run_way(("./heat_run.sh",))
        self.assertEqual((done.status, done.err), (0, b""))
        self.assert_kept("__main__:f")

    def test_exceptions(self):
        """The traceback has the frames and lines that it has without."""
        cell = ("import traceback\ndef f(n):\n    if n == 0:\n        raise ValueError('no')\n"
                "    return f(n - 1)\n"
                "def g():\n    yield f(1)\n"
                "for call in (lambda: f(2)), (lambda: list(g())):\n    try:\n        call()\n"
                "    except ValueError:\n        print(traceback.format_exc())")
        self.with_regions(cell)
        self.assertIn("__main__:g", self.recorded)
        done = self.finish(OFF, measured("def f():\n\n    1 / 0\nf()"), options=["--regions=defs"])
        self.assertRegex(done.err, rb"cell 2, line 4 |cell 2, line 3 ")
        self.assert_kept("__main__:f")

    @unittest.skipUnless(importlib.util.find_spec("joblib"), "needs joblib")
    def test_joblib(self):
        """The class goes to workers and comes back from them, more than once."""
        out = self.with_regions(
            "from joblib import Parallel, delayed\n"
            "class C:\n    n = 0\n    def up(self):\n        self.n += 1\n        return self\n"
            "    def steps(self):\n        yield self.n\n        yield 'end'\n",
            "made = [C(), C()]\nfor _ in range(3):\n"
            "    made = Parallel(n_jobs=2)(delayed(each.up)() for each in made)\n"
            "    made = Parallel(n_jobs=2)(delayed(C.up)(each) for each in made)\n"
            "    print([list(each.steps()) for each in made])", same_errors=False)
        self.assertTrue(out.endswith("[[6, 'end'], [6, 'end']]\n"), out)

    def compiled_cells(self, *cells, **more):
        self.write("numba.py", NUMBA)
        self.write("other.py", "from numba import njit\njit = vectorize = lambda f: f\n")
        self.ways = lambda *options: [RUN_SCRIPT]
        self.with_regions(*cells, **more)

    def test_compiled_by_a_decorator(self):
        cases = (("from numba import njit", "njit"),
                 ("from numba import njit as fast, cuda", "fast"),
                 ("import numba", "numba.njit(parallel=True)"),
                 ("import numba as nb", "nb.vectorize(['f8(f8)'])"),
                 ("from numba import cuda", "cuda.jit('f8(f8)', device=True)"),
                 ("from numba import *", "jit"),
                 ("from other import njit", "njit"),
                 ("import numba\nfast = numba.jit(nopython=True)", "fast"),
                 ("from functools import partial\nfrom numba import njit\n"
                  "if True: fast = partial(njit, cache=True)", "fast"),
                 ("import numba\nfast = numba.njit if numba else lambda f: f",
                  "fast"),
                 ("from numba import njit\ndef fast(f):\n    return njit(f)",
                  "fast"),
                 ("from numba import njit\ndef fast(**options):\n"
                  "    return njit(**options)", "fast(cache=True)"),
                 ("import numba\ndef fast(n):\n    def made(f):\n"
                  "        return numba.njit(cache=n)(f)\n    return made",
                  "fast(True)"))
        self.compiled_cells(*(
            f"{begin}\n@{decorator}\ndef f{i}(x):\n    return x\n"
            f"class A{i}:\n    @staticmethod\n    @{decorator}\n    def f(x): return x\n"
            f"def g{i}(x): return f{i}(x) + A{i}.f(x)\nprint(g{i}(1))"
            for i, (begin, decorator) in enumerate(cases)))
        self.assertEqual([name for name in self.functions() if "fast" not in name and "made" not in name],
                         [f"__main__:g{i}" for i in range(len(cases))])

    def test_compiled_and_named_in_a_file(self):
        self.compiled_cells(
            "from numba import njit\ndef plain(): return 1\n@njit\ndef inside():\n"
            "    def local(): return 2\n    return local()\n"
            "def make():\n    @njit\n    def local(): return 3\n    return local()\n"
            "print(plain(), inside(), make())",
            names="inside\n*.local\n*plain\ninside.loca?\nmake\n", same_errors=False)
        self.assertEqual(self.functions(), ["__main__:plain", "__main__:make"])
        done = self.run_way(("./heat_run.sh",))
        self.assertEqual(done.err.decode(), "".join(
            f"nbscorep: '{name}' gets no region: it is compiled, and Python does not run it (--regions)\n"
            for name in ("inside", "*.local", "inside.loca?")))

    def test_deep_nesting(self):
        def nested(levels):
            deep = "".join(" " * (i + 1) + "for x in 'a':\n" for i in range(levels))
            return f"def f():\n{deep}{' ' * (levels + 1)}print(1)\nf()"

        def fits(levels):
            try:
                return compile(nested(levels), "", "exec")
            except SyntaxError:
                return None

        self.with_regions(nested(next(filter(fits, range(80, 0, -1)))), same_errors=False)
        self.assertIn(b"cannot add regions to the script's functions", self.run_way(("./heat_run.sh",)).err)

    def test_ended_by_a_signal(self):
        busy = "def f():\n    open('ready', 'w').close()\n    while True: pass\nf()"
        status, _, err = self.signalled(signal.SIGTERM, OFF, measured(busy),
                                        options=["--regions=defs"])
        self.assertEqual(status, 143, err)
        self.assert_kept("__main__:f")


class FileOfRegions(SelectiveCase):
    def refuse(self, content):
        self.write("heat.ipynb", self.some_notebook())
        self.write("names.txt", content)
        done = self.nbscorep("build", "--regions=names.txt", "heat.ipynb")
        self.assertEqual((done.status, self.path("heat.py").exists()), (1, False))
        return done.err.decode()

    def some_notebook(self):
        return notebook("def f(): pass")

    def test_faults_are_located(self):
        err = self.refuse("f\n  a b\nx..y\n9a\n.a\na.\nc-d # no\n")
        self.assertEqual(re.findall(r"names\.txt:(\d+:\d+): error", err),
                         ["2:4", "3:3", "4:1", "5:1", "6:2", "7:2"])

    def test_no_names(self):
        self.assertIn("names no function", self.refuse("# nothing\n\n"))
        for text in b"f\xff\n", b"f\n\xff", b"\xc3":
            self.assertIn("not UTF-8", self.refuse(text))

    def test_missing(self):
        self.write("heat.ipynb", self.some_notebook())
        done = self.nbscorep("build", "--regions=no.txt", "heat.ipynb")
        self.assertEqual(done.status, 3)
        self.assertIn(b"cannot read 'no.txt': No such file", done.err)

    def test_is_compiled_in(self):
        self.write("heat.ipynb", self.some_notebook())
        self.write("names.txt", "\ufefff\r\nÄrger\r\n")
        self.build("-q", "-MD", "--regions=names.txt", "heat.ipynb")
        self.assertIn("heat.ipynb names.txt\n", self.path("heat.d").read_text())
        before = self.path("heat.py").read_text()
        self.write("names.txt", "g\n")
        self.build("-q", "--regions=names.txt", "heat.ipynb")
        self.assertNotEqual(self.path("heat.py").read_text(), before)  # another build id


class Modules(SelectiveCase):
    OPTIONS = ["--instrument-module=model", "--instrument-module=pack.part"]

    def setUp(self):
        super().setUp()
        self.write("model.py", "print('loaded')\ndef step():\n    return inner()\n"
                               "def inner():\n    return 1\nclass A: pass\n")
        self.write("pack/__init__.py", "def out(): pass\n")
        self.write("pack/part.py", "def f(n): return n\n")

    def test_functions_are_regions(self):
        self.output(OFF, measured("print('first')\nimport model\nfrom pack.part import f\n"
                                  "print(model.step(), f(2))\nimport pack; pack.out()"),
                    options=self.OPTIONS)
        self.assertEqual(self.recorded[1:], ["model:step", "model:inner", "pack.part:f"])

    def test_with_the_instrumenter_on(self):
        self.output(measured("import model\nfrom pack.part import f\nmodel.step(), f(1)"),
                    options=[*self.OPTIONS, "--imports=record"])
        self.assertEqual([name for name in self.recorded if name.startswith("model")],
                         ["model:<module>", "model:A", "model:step", "model:inner"])

    def test_loaded_already_and_reloaded(self):
        self.output(OFF, measured("import signal, importlib, model\nsignal.Signals\n"
                                  "importlib.reload(model)\nmodel.inner()\n"
                                  "import pack.part\nsignal.getsignal(12)"),
                    options=[*self.OPTIONS, "--instrument-module=signal", "--imports=quiet"])
        self.assertEqual(self.recorded.count("model:inner"), 1)
        self.assertEqual(self.recorded[0], "user:cell 2")
        self.assertTrue(any(name.endswith("signal:getsignal") for name in self.recorded))

    def test_never_imported(self):
        self.output("import model", options=self.OPTIONS, same_errors=False)
        done = self.run_way(("./heat_run.sh",))
        self.assertEqual(done.err, b"nbscorep: cannot instrument module 'pack.part': "
                                   b"it was not imported as a Python file\n")

    def test_module_that_is_built_in(self):
        """Its loader is that of others, too."""
        name = next(filter({"xxsubtype", "_symtable"}.__contains__, sys.builtin_module_names))
        self.output(f"import {name}, model, pack.part",
                    options=[*self.OPTIONS, f"--instrument-module={name}"], same_errors=False)
        self.assertIn(f"cannot instrument module '{name}':".encode(), self.run_way(("./heat_run.sh",)).err)

    def test_module_whose_dir_invents_names(self):
        self.write("model.py", "def __dir__(): return ['no']\ndef step(): pass\n")
        self.output("import model, pack.part\nmodel.step()", options=self.OPTIONS, same_errors=False)
        done = self.run_way(("./heat_run.sh",))
        self.assertEqual((done.status, done.err), (0, b""))

    def test_missing_module(self):
        self.output("import pack.part\ntry: import nothing\nexcept ImportError as e: print(e)\n"
                    "import model",
                    options=[*self.OPTIONS, "--instrument-module=nothing"], same_errors=False)

    def test_names(self):
        self.write("heat.ipynb", b"")
        for name in "", "a b", "a.", "-", "9a", "a;b":
            done = self.nbscorep("build", f"--instrument-module={name}", "heat.ipynb")
            self.assertEqual(done.status, 2, name)


if __name__ == "__main__":
    unittest.main()
