#!/usr/bin/env python3
"""Names that a cell uses before any cell has defined them: what is reported, and what is not."""
import json
import unittest

from support import Case, code, markdown, notebook


def tagged(source, *tags):
    return code(source, metadata={"tags": list(tags)})


class Names(Case):
    def found(self, *cells, options=(), status=0):
        """The warnings, as CELL:LINE:COLUMN MESSAGE."""
        self.write("x.ipynb", notebook(*cells))
        done = self.nbscorep("check", "--diagnostics-format=json", *options, "x.ipynb")
        self.assertEqual(done.status, status, done)
        return [f"{d.get('cell')}:{d.get('line')}:{d.get('column')} {d['message']}"
                for d in json.loads(done.out)["diagnostics"] if d["kind"] == "undefined-name"]

    def silent(self, *cells, **more):
        self.assertEqual(self.found(*cells, **more), [], cells)

    def test_magics_that_define(self):
        for magic in ("x = !ls", "x = %pwd", "%time x = 1", "x = %timeit -o 1", "%prun x = 1",
                      "a, x = !ls", "%%capture x\n1", "%%capture --no-stderr x\n1",
                      "%%bash --out x\nls", "%%script --err x --proc y cat\nls",
                      "%%time\nx = 1", "%%timeit\nx = 1"):
            self.silent(magic, "x")
            self.assertEqual(self.found("x", magic)[:1][0][:5], "1:1:1", magic)

    def test_magics_that_may_define(self):
        for magic in ("%run other.py", "%run -i other", "%pylab", "%store -r",
                      "%nosuch", "%%nosuch\n1", "y = %nosuch", "%sc x = ls",
                      "%load_ext sql", "%alias y ls", "%import_session d",
                      "%perfmonitor_export_perfdata", "%perfmonitor_load_perfdata --file d",
                      "%time %nosuch", "def f():\n    %run other.py", "if 0: pass\n%nosuch"):
            self.silent(magic, "x")

    def test_kernel_of_another_language(self):
        self.silent("%wrap_kernel ir", "x <- c(1)", status=1)
        self.assertEqual(self.found("%wrap_kernel python3", "x"), ["2:1:1 no cell defines 'x'"])

    def test_magics_that_define_nothing(self):
        for magic in ("%matplotlib inline", "!ls", "%cd .", "%env A=1", "%load_ext autoreload",
                      "print?", "%%writefile f\n1", "%%html\n1", "%pip install y", "%who",
                      "%perfmonitor_start", "%config InlineBackend.figure_format = 'svg'"):
            self.assertEqual(self.found(magic, "x"), ["2:1:1 no cell defines 'x'"], magic)

    def test_code_in_magics(self):
        self.assertEqual(self.found("%timeit -n1 f(x)"), ["1:1:13 no cell defines 'f'", "1:1:15 no cell defines 'x'"])
        self.assertEqual(self.found("%%timeit f\ng"), ["1:1:10 no cell defines 'f'", "1:2:1 no cell defines 'g'"])
        self.assertEqual(self.found("x = %time y"), ["1:1:11 no cell defines 'y'"])
        self.silent("%%time x\n1")  # IPython refuses this
        self.silent("for i in []: pass\nif i:\n    %time x")

    def test_what_defines_any_name(self):
        for text in ("from m import *", "exec('x = 1')", "globals()['x'] = 1",
                     "get_ipython().push({'x': 1})", "import sys; sys.modules['__main__'].x = 1",
                     "import builtins; builtins.x = 1", "def f():\n    globals().update(a)\nf()",
                     "raise SystemExit", "exit()", "import sys\nsys.exit()"):
            self.silent(text, "x")
        for text in "x = (", "if 1:\nx", "print 'x'":
            self.silent(text, "x", status=1)

    def test_handled_errors(self):
        self.silent("try:\n    x\nexcept NameError:\n    x = 1", "x")
        self.silent("if 'x' in globals(): x", "x")
        self.silent("if 'x' not in dir():\n    x = 1", "x")
        self.silent("import contextlib\nwith contextlib.suppress(NameError):\n    x")
        self.silent(tagged("x", "raises-exception"))
        self.silent(tagged("x = 1\n1 / 0", "raises-exception"), "x")

    def test_names_that_jupyter_provides(self):
        self.silent("display(_, __, ___, _1, _i, _ii, _i12, In, Out, _oh, _dh, exit, quit)",
                    "__name__, __file__, __doc__, scorep, open, print, ExceptionGroup")

    def test_parameters(self):
        self.silent(tagged("n: int\nk = 1", "parameters"), "n + k")
        self.silent("n", options=["--allow-new-parameters", "-p", "n", "3"])
        self.assertEqual(self.found(tagged("k = 1", "parameters"), "n", options=["--allow-new-parameters"]), [])
        self.assertEqual(self.found(tagged("k = 1", "parameters"), "n", options=["-p", "k", "3"]),
                         ["2:1:1 no cell defines 'n'"])

    def test_cells_that_are_left_out(self):
        def only(n):
            return f"only cell {n} defines 'x', but that cell is left out of the script"
        self.assertEqual(self.found(tagged("x = 1", "skip"), "x"), ["2:1:1 " + only(1)])
        self.assertEqual(self.found("x", tagged("def x(): pass", "slow"),
                                    options=["--skip-tag=slow"]), ["1:1:1 " + only(2)])
        self.assertEqual(self.found(tagged("", "skip"), tagged("x = 1", "skip"), "x"), ["3:1:1 " + only(2)])
        self.assertEqual(self.found("%%enable_multicellmode", "x = !ls", "%%abort_multicellmode",
                                    "x"), ["4:1:1 " + only(2)])
        sections = ("%%start_writefile a", "x = 1", "%%end_writefile", "%%start_writefile b", "x", "%%end_writefile")
        self.assertEqual(self.found(*sections), ["5:1:1 " + only(2)])
        self.silent(*sections, options=["--whole-notebook"])

    def test_multicell_groups(self):
        self.assertEqual(self.found("%%enable_multicellmode", "x", "x = 1",
                                    "%%finalize_multicellmode"),
                         ["2:1:1 'x' is used before cell 3 defines it"])

    def test_other_notebooks(self):
        self.write("other.ipynb", notebook("y = x + 1", markdown("a"), "z"))
        self.silent("x = z = 1", "%run other.ipynb", "y")
        self.assertEqual(self.found("%run other.ipynb", "x = y"), [
            "1:1:5 'x' is used before cell 2 defines it", "3:1:1 no cell defines 'z'"])
        self.assertEqual(self.found("y", "%run other.ipynb", "x = z = 1")[0],
                         "1:1:1 'y' is used before other.ipynb cell 1 defines it")
        self.write("part.py", "y = x\n")
        self.assertEqual(self.found("%load part.py\ny"), ["None:1:5 no cell defines 'x'"])
        self.assertEqual(self.found("x = 1\nif 0:\n    %run other.ipynb", "y + z + a"),
                         ["2:1:5 no cell defines 'z'", "2:1:9 no cell defines 'a'"])

    def test_await(self):
        self.assertEqual(self.found("async def f(): pass\nx = await f()\nprint(nothing)", "x"),
                         ["1:3:7 no cell defines 'nothing'"])

    def test_each_name_once(self):
        self.assertEqual(len(self.found("x", "x", "print(x)\nx", "def f(): x")), 1)

    def test_deleted(self):
        self.assertEqual(self.found("x = 1\ndel x", "x"), ["2:1:1 'x' is used after cell 1 deletes it"])
        self.assertEqual(self.found("x = 1\ndel x\nx"), ["1:3:1 'x' is used after line 2 of the cell deletes it"])
        self.silent("x = 1\ndel x", "x = 2", "x")
        self.silent("def f():\n    global x\n    x = 1", "f()\ndel x", "f()", "x")
        self.silent("x = 1\nif x: del x", "x")

    def test_hints(self):
        self.write("x.ipynb", notebook("radius = 1", "radus", "unicode", "cmp", "abc"))
        done = self.nbscorep("check", "x.ipynb")
        self.assertEqual([line.strip() for line in done.err.decode().splitlines()
                          if "hint" in line], ["hint: did you mean 'radius'?", "hint: use str"])

    def test_columns(self):
        self.assertEqual(self.found("s = 'äö€'; print(s, x)"), ["1:1:21 no cell defines 'x'"])
        self.assertEqual(self.found(">>> a = 1\n>>> b"), ["1:2:5 no cell defines 'b'"])
        self.silent("µ = 1\nμ")  # Python takes both for the same name


if __name__ == "__main__":
    unittest.main()
