#!/usr/bin/env python3
"""Shown values: Out and its like, %precision; cells that may raise."""
import ast
import subprocess
import sys
import textwrap
import unittest

import kernel
import scripts
import traced


def numbered(cells):
    """CELLS with the values of their last expressions kept under the number of the cell."""
    texts = []
    for number, cell in enumerate(cells, 1):
        tree = ast.parse(cell)
        if isinstance(tree.body[-1], ast.Expr):
            last = ast.unparse(tree.body.pop())
            cell = f"{ast.unparse(tree)}\nscorep_notebook.out({number}, {last})"
        texts.append(cell)
    return texts


class OutTest(kernel.Case):
    def compare_history(self, *cells):
        self.assertEqual(list(zip(cells, self.in_script(numbered(cells), "outputs"))),
                         list(zip(cells, self.in_kernel(cells))))

    def test_names_that_the_user_sets(self):
        self.compare_history("_ = 9\n8", "_", "7", "(_, __, ___, _1)", "_ = 7", "6", "(_, __)")

    def test_a_name_that_the_user_deletes(self):
        self.compare_history("1", "2", "del _\n3", "__", "'_' in dir()")

    def test_gettext(self):
        self.compare_history("3", "import builtins\nbuiltins._ = str.upper\n4", "_('a')", "5",
                             "_('b')")

    def test_gettext_before_the_first_value(self):
        self.compare_history("import builtins\nbuiltins._ = str.upper\n4", "5", "_('b')")

    def test_what_capture_takes_is_not_kept(self):
        done = scripts.run("with scorep_notebook.capture('c'): scorep_notebook.out(1, 5)\n"
                           "print(Out, repr(_), c.outputs[0].data)", "outputs")
        self.assertEqual((done.stdout, done.stderr), ("{} '' {'text/plain': '5'}\n", ""))


class PrecisionTest(kernel.Case):
    def compare_precision(self, *cells):
        """A last line that is a %precision shows its value."""
        script = ["__import__('sys').displayhook("
                  f"scorep_notebook.precision({cell[10:].strip()!r}))"
                  if cell.startswith("%") else cell for cell in cells]
        actual = self.in_script(list(map(kernel.call, script)))
        self.assertEqual(list(zip(cells, actual)), list(zip(cells, self.in_kernel(cells))))

    def test_formats(self):
        self.compare_precision(
            "import math\nmath.pi", "%precision 3", "math.pi", "display(math.pi)",
            "[math.pi, (math.pi,), {math.pi: [math.pi]}, {math.pi}, 1, 'a']", "(1.5,)",
            "frozenset([1.25, 0.5])",
            "{10.5, 3.25, 7.75, 1.5, 1e9}", "{1.5, 'a'} == {'a', 1.5}", "[[], (), {}]",
            "set()", "frozenset()", "math.nan, -math.inf", "1 + 2.5j", "print(math.pi)",
            "class F(float): pass\nF(2.345678)", "%precision %e", "math.pi", "%precision 0",
            "math.pi", "%precision", "math.pi", "n = 2", "%precision {n}", "math.pi",
            "class P:\n    def __repr__(self): return 'own'\n"
            "    def _repr_pretty_(self, p, cycle): p.text('pretty')",
            "class Q:\n    def _repr_pretty_(self, p, cycle): p.pretty(1.23456)", "[Q()]", "Q()",
            "class L(list): pass\nL([1.23456])")

    def test_numpy(self):
        self.compare_precision("import numpy as np\na = np.array([1 / 3])\na", "%precision 2", "a",
                               "np.float64(1 / 3), np.float32(0.1)", "%precision %g", "a",
                               "%precision", "a")

    def test_recursion(self):
        done = scripts.run("scorep_notebook.precision('1')\na = [1.25]; a.append(a)\ndisplay(a)")
        self.assertRegex(done.stdout, r"^\[1\.2, <Recursion on list with id=\d+>\]\n$")

    def test_wrong_formats(self):
        for text, message in (("x", "Precision must be int or format string, not 'x'"),
                              ("%q", "Precision must be int or format string, not '%q'"),
                              ("-1", "int precision must be non-negative, not -1")):
            done = scripts.run(f"scorep_notebook.precision({text!r})")
            self.assertIn(f"\nValueError: {message}\n", done.stderr)


def may_raise(body):
    return f"with scorep_notebook.may_raise():\n{textwrap.indent(body, '    ')}\n"


class RaisesTest(unittest.TestCase):
    def test_the_script_goes_on(self):
        for body, message in (("1 / 0", "ZeroDivisionError: division by zero"),
                              ("import nowhere", "ModuleNotFoundError: No module named 'nowhere'"),
                              ("eval('1 +')", "SyntaxError: invalid syntax"),
                              ("import sys; sys.exit(3)", "SystemExit: 3"),
                              ("class Own(BaseException): pass\nraise Own", "Own")):
            done = scripts.run(may_raise(body) + "print('on')")
            self.assertEqual((done.returncode, done.stdout), (0, "on\n"))
            self.assertTrue(done.stderr.startswith("Traceback (most recent call last):\n"))
            self.assertTrue(done.stderr.splitlines()[-1].endswith(message), done.stderr)

    def test_causes_and_no_frames_of_helpers(self):
        body = ("try:\n    class Bad:\n        def _ipython_display_(self): 1 / 0\n"
                "    scorep_notebook.getenv('no such')\nexcept Exception as error:\n"
                "    raise ValueError('outer') from error")
        done = scripts.run(may_raise(body))
        self.assertIn("\nUsageError: Environment does not have key: no such\n\nThe above exception was the "
                      "direct cause", done.stderr)
        self.assertEqual(done.stderr.count("in <module>"), 2)
        self.assertNotIn(scripts.PACKAGE, done.stderr)

    def test_output_comes_in_order(self):
        script = scripts.head() + "print('before')\n" + may_raise("1 / 0")
        done = subprocess.run([sys.executable, "-c", script], stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, encoding="utf-8", check=True,
                              env=scripts.environment())
        self.assertTrue(done.stdout.startswith("before\nTraceback"), done.stdout)


class TraceTest(traced.TraceCase):
    def test_the_code_is_measured_and_nothing_else(self):
        self.assert_trace("scorep_notebook.out(1, after()); scorep_notebook.echo(1.5)\n"
                          + may_raise("after()") + "after()", ["__main__:after"] * 3, "outputs",
                          setup="def after(): return 1.5\nscorep_notebook.precision('3')")

    def test_the_bindings_frames_are_left_out(self):
        script = (scripts.head() + "import scorep.user\n"
                  + may_raise("@scorep.user.region('r')\ndef f(): 1 / 0\nf()"))
        run = self.scorep(script)
        self.assertEqual(run.status, 0)
        self.assertIn("ZeroDivisionError", run.err)
        self.assertNotIn("inner", run.err)


if __name__ == "__main__":
    unittest.main()
