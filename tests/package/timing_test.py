#!/usr/bin/env python3
"""%time, %timeit and %prun: their output against IPython's, and what a trace shows of them.

The clocks of both are replaced by one that only spend() moves, so outputs are equal to the digit.
"""

import importlib.util
import json
import pathlib
import pstats
import re
import subprocess
import sys
import tempfile
import unittest

import scripts
from traced import TraceCase

HAS_IPYTHON = importlib.util.find_spec("IPython") is not None
BORDER = "=== next ===\n"

CLOCK = """
import resource as _r, time as _t
_now = [1000.0]
_t.time = _t.perf_counter = lambda: _now[0]
_r.getrusage = lambda who: (_now[0] * 0.5, _now[0] * 0.25)
def spend(seconds): _now[0] += seconds; return seconds
tiny = [2**-30, 2**-25]
def spend_in_turn(values=[0.5, 8.0]): values.append(values.pop(0)); spend(values[-1])
"""

IPYTHON = """
import sys, json
from IPython.core.interactiveshell import InteractiveShell
from IPython.core import page
page.page = print
shell = InteractiveShell()
shell.run_cell(%r)
for cell in json.loads(sys.stdin.read()):
    shell.run_cell(cell)
    print(end=%r, flush=True)
"""


def process(text, **options):
    return subprocess.run([sys.executable, "-c", text], capture_output=True, encoding="utf-8",
                          check=True, **options).stdout


def ipython(cells, **options):
    """What IPython prints for each of CELLS."""
    with tempfile.TemporaryDirectory() as home:
        out = process(IPYTHON % (CLOCK, BORDER), input=json.dumps(cells),
                      env=scripts.environment(IPYTHONDIR=home), **options)
    return re.sub(r"Out\[\d+\]: ", "", out).split(BORDER)[:-1]


def script(code, **options):
    """The finished process of CODE behind the clock."""
    return scripts.run(CLOCK + code, **options)


def ours(codes, **options):
    """What the script prints for each of CODES."""
    run = script("".join(f"{code}\nprint(end={BORDER!r})\n" for code in codes), **options)
    assert (run.returncode, run.stderr) == (0, ""), run.stderr
    return run.stdout.split(BORDER)[:-1]


def call(name, *arguments):
    """The call that a compiled script makes."""
    return f"scorep_notebook.{name}({', '.join(map(repr, arguments))})"


def line(name, text):
    """A line magic and the script's code for it."""
    return f"%{name} {text}", f"scorep_notebook.echo({call(name, text)})"


def cell(name, arguments, body):
    """A cell magic and the script's code for it."""
    code = call(f"{name}_cell", arguments, body)
    return f"%%{name} {arguments}\n{body}", f"scorep_notebook.echo({code})"


class Helpers(unittest.TestCase):
    maxDiff = None

    def same(self, pairs, change=lambda text: text):
        """Each pair, a cell and the script's code for it, prints the same."""
        cells, codes = zip(*pairs)
        with tempfile.TemporaryDirectory() as folder:
            expected = ipython(cells, cwd=folder)
        with tempfile.TemporaryDirectory() as folder:
            printed = ours(codes, cwd=folder)
        self.assertEqual(len(expected), len(pairs))
        for source, here, there in zip(cells, printed, expected):
            with self.subTest(source):
                self.assertNotIn("Error", there)
                self.assertEqual(change(here), change(there))


class Duration(unittest.TestCase):
    @unittest.skipUnless(HAS_IPYTHON, "IPython is not there")
    def test_every_duration_reads_as_in_ipython(self):
        from IPython.core.magics.execution import _format_time
        sys.path.insert(1, str(scripts.FOLDER))
        self.addCleanup(sys.path.remove, str(scripts.FOLDER))
        timing = importlib.import_module(f"{scripts.PACKAGE}.timing")
        values = [0.0, -1.5, 1e-30, 1e12, 59.9999, 60.0, 3600, 86400, 90061.5]
        values += [mantissa * 10.0 ** power for power in range(-14, 10)
                   for mantissa in (1, 1.0004, 2.5, 3.14159, 9.994, 9.9949, 9.9951, 9.999999)]
        values += [value for n in (60, 3600, 86400, 1e-3, 1e-6, 1e-9, 1, 7200, 172800)
                   for value in (n - 1e-12, n - 1, n + 1, n * (1 - 1e-16), n * (1 + 1e-15))]
        for value in values:
            for digits in 0, 1, 3, 7:
                with self.subTest(value=value, digits=digits):
                    self.assertEqual(timing.duration(value, digits),
                                     _format_time(value, digits))

    def test_ascii_output_gets_ascii(self):
        code = ("with scorep_notebook.timed(): spend(2**-15)\n"
                "scorep_notebook.timeit('-t -n1 -r2 spend(2**-15)')\n")
        for encoding in "ascii", "latin-1":
            with self.subTest(encoding):
                run = subprocess.run(
                    [sys.executable, "-c", scripts.head() + CLOCK + code],
                    env=scripts.environment(PYTHONIOENCODING=encoding), capture_output=True,
                    check=True)
                micro, sign = ("us", "+-") if encoding == "ascii" else ("\xb5s", "\xb1")
                self.assertEqual(run.stdout.decode(encoding).splitlines()[1:], [
                    f"Wall time: 30.5 {micro}",
                    f"30.5 {micro} {sign} 0 ns per loop (mean {sign} std. dev. of 2 runs, "
                    "1 loop each)"])

    def test_output_without_encoding_gets_ascii(self):
        run = script("""
import contextlib, io
with contextlib.redirect_stdout(io.StringIO()) as text:
    with scorep_notebook.timed(): spend(2**-15)
print(text.getvalue())
""")
        self.assertIn("Wall time: 30.5 us\n", run.stdout)


class Time(Helpers):
    @unittest.skipUnless(HAS_IPYTHON, "IPython is not there")
    def test_prints_what_ipython_prints(self):
        keep = "with scorep_notebook.timed():\n    "
        text = "scorep_notebook.echo(%s)"
        self.same([
            ("%time x = spend(0.5)", keep + "x = spend(0.5)"),
            ("%time spend(0.5)", keep + "scorep_notebook.timed_value(spend(0.5))"),
            ("%time None", keep + "scorep_notebook.timed_value(None)"),
            ("%%time\nspend(90061)\n'out'", keep + "spend(90061)\n    scorep_notebook.timed_value('out')"),
            ("%%time\nprint('in')\nspend(2**-20)\n",
             keep + "print('in')\n    scorep_notebook.timed_value(spend(2**-20))"),
            ("%time for i in range(3): spend(i)",
             text % call("time_text", "for i in range(3): spend(i)")),
            ("%time x = 2; spend(x)", text % call("time_text", "x = 2; spend(x)")),
            ("%time 6 * 7", text % call("time_text", "6 * 7")),
            ("%time x: int = 4", text % call("time_text", "x: int = 4")),
            ("%time # text", text % call("time_text", "# text")),
            ("%%time\n\n  x = 2\n  x", text % call("time_text", "\n  x = 2\n  x")),
            ("%time pass # text", text % call("time_text", "pass # text")),
            ("print(x, i)", "print(x, i)"),
        ])

    def test_real_clocks_move(self):
        run = scripts.run("with scorep_notebook.timed(): sum(range(200000))")
        times = re.fullmatch(r"CPU times: user (.*), sys: (.*), total: (.*)\nWall time: (.*)\n",
                             run.stdout)
        self.assertRegex(times[4], r"^[\d.]+ [mµ]?s$")
        self.assertNotEqual(times[3], "0 ns")


class Timeit(Helpers):
    @unittest.skipUnless(HAS_IPYTHON, "IPython is not there")
    def test_prints_what_ipython_prints(self):
        self.same([
            line("timeit", "-t spend(0.5)"),
            line("timeit", "-t spend(0.0125)"),
            line("timeit", "-c spend(0.0125)"),
            line("timeit", "-t -n10 -r 3 spend(2**-20)"),
            line("timeit", "-t -n1 -r1 spend(61)"),
            line("timeit", "-t -n 1 -r2 spend(0.5); spend(1)"),
            line("timeit", "-t -n1000 -p5 -r2 spend(1/3)"),
            line("timeit", "-t -n1 -r4 spend_in_turn()"),
            line("timeit", "-t -n1 -r4 spend_in_turn(tiny)"),
            line("timeit", "-t -n1 -r1 spend(1) -2"),
            line("timeit", "-t -n1 -r2 spend( len('a   b') )"),
            line("timeit", "-t -n2 -r2 -o spend(0.25)"),
            line("timeit", "-t -n2 -r2 -q spend(0.25)"),
            line("timeit", "-t -n2 -r2 -q -o spend(0.25)"),
            line("timeit", ""),
            line("timeit", "-t -n1 -r1 x = spend(1)  # text"),
            cell("timeit", "-t -n2 -r2 step = 0.5", "spend(step)\nspend(step)\n"),
            cell("timeit", "-t -n2 -r2", "if True:\n  text = '''a\n  b'''\nspend(len(text))\n"),
            cell("timeit", "-t -n2 -r2 spend(7)", "spend(1)"),
            cell("timeit", "-t -n1 -r1", "\n    spend(1)\n    spend(2)\n"),
        ])

    def test_the_default_clock_and_loops(self):
        run = scripts.run(call("timeit", "-r1 sum(range(1000))"))
        self.assertRegex(run.stdout, r"^[\d.e+]+ [mµn]?s ± 0 ns per loop "
                         r"\(mean ± std\. dev\. of 1 run, 1[0,]* loops? each\)\n$")

    def test_the_result_has_ipythons_attributes(self):
        run = script("r = %s\n"
                     "print(r.loops, r.repeat, r.best, r.worst, r.all_runs, r.timings)\n"
                     "print(r.average, r.stdev, r.compile_time >= 0)\n"
                     "print(r); print(repr(r))"
                     % call("timeit", "-t -o -q -n2 -r2 spend_in_turn()"))
        text = "4.25 s ± 0 ns per loop (mean ± std. dev. of 2 runs, 2 loops each)"
        self.assertEqual(run.stdout.splitlines(), [
            "2 2 4.25 4.25 [8.5, 8.5] [4.25, 4.25]", "4.25 0.0 True",
            text, f"<TimeitResult : {text}>"])

    def test_an_error_in_the_timed_code_has_its_line(self):
        run = script(call("timeit_cell", "", "x = 1\n\n1 / 0\n"))
        self.assertIn('File "<magic-timeit>", line 3', run.stderr)
        self.assertEqual(run.stderr.splitlines()[-1], "ZeroDivisionError: division by zero")


TIMES = "CPU times: user 0 ns, sys: 0 ns, total: 0 ns\nWall time: 0 ns\n"
PER_LOOP = "%s ± 0 ns per loop (mean ± std. dev. of 1 run, 1 loop each)\n"
GARBAGE = call("timeit", "-q -n1 -r1 seen.append(gc.isenabled())")
# Code behind the clock, and what it prints; all in one script.
PRINTED = {
    "nested times": ("""
with scorep_notebook.timed():
    scorep_notebook.timed_value(spend(1))
    with scorep_notebook.timed():
        scorep_notebook.timed_value("inner")
    scorep_notebook.timed_value("outer")
with scorep_notebook.timed(): pass
""", f"{TIMES}'inner'\nCPU times: user 500 ms, sys: 250 ms, total: 750 ms\nWall time: 1 s\n1\n'outer'\n{TIMES}"),
    "an exception drops what was kept": ("""
try:
    with scorep_notebook.timed():
        scorep_notebook.timed_value("lost")
        raise ValueError
except ValueError:
    pass
with scorep_notebook.timed(): pass
""", 2 * TIMES),
    "no error is raised": ("with scorep_notebook.timed(no_raise=True): 1 / 0", TIMES),
    "no error is raised by a text": (call("time_text", "--no-raise-error 1/0"), TIMES),
    "a text sees a function's variables, and keeps strings": ("""
def f(a):
    return scorep_notebook.time_text("[a for _ in range(2)]")
print(f(3))
print(repr(scorep_notebook.time_text('\"\"\"a\\n    b\"\"\"')))
print([name for name in globals() if name in ("a", "_")])
""", f"{TIMES}[3, 3]\n{TIMES}'a\\n    b'\n[]\n"),
    "names of what is timed": ("""
count = 0
def bump():
    global count
    count += 1
def f(local):
    scorep_notebook.timeit("-q -n2 -r3 bump(); new = [local for _ in range(2)]; assert new == [5, 5]")
f(5)
scorep_notebook.timeit("-q -n1 -r2 new = bump()")
print(count, [name for name in ("new", "local", "timed") if name in globals()])
""", "8 []\n"),
    "no garbage is collected meanwhile": (
        f"import gc\nseen = []\n{GARBAGE}\nprint(seen, gc.isenabled())\n"
        f"gc.disable()\n{GARBAGE}\nprint(seen, gc.isenabled())\n", "[False] True\n[False, False] False\n"),
    "a cell without code": (call("timeit_cell", "-n1 -r1", "# nothing\n"), PER_LOOP % "0 ns"),
    # IPython parses them too, but takes them for the statement's then.
    "options that share a dash": (call("timeit", "-tn1 -r1 spend(1)"), PER_LOOP % "1 s"),
    "-r returns the statistics": (f"import sys\nstats = {call('prun', '-q -r spend(1)')}\n"
                                  "print(stats.total_calls, stats.stream is sys.stdout)", " 4 True\n"),
    "prun sees a function's variables": (
        "def f(a): scorep_notebook.prun('-q print([a for _ in range(2)])')\nf(7)", "[7, 7]\n "),
    "-t takes the time of day": ("_t.perf_counter = float\n" + call("timeit", "-t -n1 -r1 spend(1)"),
                                 PER_LOOP % "1 s"),
}
DIVISION = "ZeroDivisionError: division by zero"
# Code with which the script ends, the last line of its error, and what it printed before.
FAILED = (
    ("with scorep_notebook.timed(): 1 / 0", DIVISION, TIMES), (call("time_text", "1 / 0"), DIVISION, TIMES),
    ("with scorep_notebook.timed(no_raise=True): exit('end')", "end", ""),
    (call("time_text", "--no-raise-error exit('end')"), "end", ""),
    (call("time_text", "print(1); return"), "SyntaxError: 'return' outside function", ""),
    (call("prun", "return"), "SyntaxError: 'return' outside function", ""),
    *((code, "SyntaxError: ", "") for text in ("return 1", "break", "yield", "1 +")
      for code in (call("timeit", text), call("timeit_cell", text, "1"), call("timeit_cell", "", text))),
    (call("prun", "1 / 0"), DIVISION, ""),
    *((call(name, f"-{option} 1"), f"getopt.GetoptError: option -{option} not recognized", "")
      for name, option in (("timeit", "x"), ("prun", "z"))),
)


class Scripts(unittest.TestCase):
    maxDiff = None

    def test_printed(self):
        codes, expected = zip(*PRINTED.values())
        self.assertEqual(dict(zip(PRINTED, ours(codes))), dict(zip(PRINTED, expected)))

    def test_failed(self):
        for code, last, out in FAILED:
            with self.subTest(code):
                run = script(code)
                self.assertEqual((run.returncode, run.stdout), (1, out))
                self.assertIn(last, run.stderr.splitlines()[-1])


def without_times(text):
    return re.sub(r"0x\w+", "0x", re.sub(r"\d+\.\d{3}", "T", text))


class Prun(Helpers):
    @unittest.skipUnless(HAS_IPYTHON, "IPython is not there")
    def test_prints_what_ipython_prints(self):
        self.same([
            ("import textwrap, sys; x = textwrap.wrap('a b')",) * 2,
            line("prun", "-s nfl textwrap.wrap('a b c', 2)"),
            line("prun", "-snfl  -l 2 textwrap.wrap('a b c', 2)"),
            line("prun", "-s nfl -l 0.5 -l wrap textwrap.wrap('a b c', 2)"),
            line("prun", "-s calls -s name -l split lines = textwrap.wrap('a b c', 2)"),
            ("print(lines)",) * 2,
            line("prun", "-q -T report.txt -D stats.prof textwrap.wrap('a b c', 2)"),
            line("prun", "-s nfl -T 'report' textwrap.wrap('a b c', 2)"),
            line("prun", "-q -D 'two words' textwrap.wrap('a b c', 2)"),
            line("prun", "-l __init__ textwrap.wrap('a b c', 2)"),
            line("prun", "-s nfl sys.exit(3)"),
            line("prun", "-q -D stats.prof -T report.txt raise SystemExit"),
            line("prun", "-q"),
            cell("prun", "-s nfl", "\n  text = '''a\n  b'''\n  textwrap.wrap(text, 1)\n"),
            cell("prun", "-s nfl", "\ndef f():\n    pass\nf()\n"),
            cell("prun", "-s nfl n = 3", "textwrap.wrap('a b', n)"),
            ("print(n, repr(text))",) * 2,
        ], without_times)

    def test_files_hold_the_report_and_the_numbers(self):
        with tempfile.TemporaryDirectory() as folder:
            run = script(call("prun", "-T report.txt -D stats.prof spend(1)"),
                         cwd=folder)
            report = pathlib.Path(folder, "report.txt").read_text(encoding="utf-8")
            self.assertIn("(spend)", report)
            self.assertTrue(run.stdout.startswith(report + "\n"))
            stats = pstats.Stats(str(pathlib.Path(folder, "stats.prof")))
            self.assertIn("spend", {name for _, _, name in stats.stats})


IN_FUNCTION = "def g(n):\n    {}\n    return inner(n)\ng(1)"


class Trace(TraceCase):
    """In an instrumented cell: the user's calls are recorded, and nothing else."""

    USER = """
class Shown:
    def __repr__(self): return "shown"
def f(n=0): return inner(n)
def inner(n): return n + 1
def bad(): raise KeyError("bad")
with scorep.user.region("cell 1"):
    {cell}
with scorep.user.region("cell 2"):
    f()
"""

    # Code with a helper, and without.
    SAME = (
        ("with scorep_notebook.timed(): x = f()", "f()"),
        ("with scorep_notebook.timed():\n    f()\n    scorep_notebook.timed_value(f(2))", "f(); f()"),
        ("with scorep_notebook.timed():\n    f()\n    with scorep_notebook.timed(): f()\n    f()", "f(); f(); f()"),
        ("try:\n    with scorep_notebook.timed(): bad()\nexcept KeyError: f()", "try: bad()\nexcept KeyError: f()"),
        ("with scorep_notebook.timed(): scorep_notebook.timed_value(Shown())", "scorep_notebook.echo(Shown())"),
        (call("time_text", "for i in range(3): f(i)"), "f(); f(); f()"), (call("time_text", "f()"), "f()"),
        *((f"try: {call(name, 'bad()')}\nexcept KeyError: f()", "try: bad()\nexcept KeyError: f()")
          for name in ("time_text", "timeit")),
        (call("timeit", "-n2 -r2 f()"), "f(); f(); f(); f()"),
        (call("timeit_cell", "-c -n1 -r2 f()", "inner(1)"), "f(); inner(1); f(); inner(1)"),
        (f"r = {call('timeit', '-q -o -n1 -r1 f()')}\nprint(r, repr(r), r.average, r.stdev, r.best)", "f()"),
        # What %prun profiles is not recorded.
        (f"f()\n{call('prun', '-q f()')}\nf()", "f(); f()"), (call("prun_cell", "f()", "raise SystemExit"), "pass"),
        (f"try: {call('prun', 'bad()')}\nexcept KeyError: f()", "try: pass\nfinally: f()"),
        *((IN_FUNCTION.format(code), IN_FUNCTION.format(plain)) for code, plain in (
            ("with scorep_notebook.timed(): f(n)", "f(n)"), (call("time_text", "f(n)"), "f(n)"),
            (call("timeit", "-n2 -r1 f(n)"), "f(n); f(n)"), (call("prun", "-q f(n)"), "pass"))),
    )

    def traced(self, code, *options):
        text = self.USER.format(cell=code.replace("\n", "\n    "))
        return self.good(scripts.head() + text, *options)

    def test_same(self):
        for instrumenter in "profile", "trace":
            option = f"--instrumenter-type={instrumenter}"
            for code, plain in self.SAME:
                with self.subTest(code, instrumenter=instrumenter):
                    trace = self.traced(code, option).trace()
                    self.assertIn("+user:cell 2", trace)
                    self.assertIn("+__main__:inner", trace[trace.index("+user:cell 2"):])
                    self.assertEqual(trace, self.traced(plain, option).trace())


if __name__ == "__main__":
    unittest.main()
