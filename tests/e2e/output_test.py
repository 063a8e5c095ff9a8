#!/usr/bin/env python3
"""A script's output is there when it is printed: each line at once and in one piece, the rest of it
where a cell ends, however the script is started. What was printed is not lost."""
import os
import pathlib
import select
import subprocess
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from ending_test import EndingCase, measured  # noqa: E402
from support import TIMEOUT, binary  # noqa: E402

WAIT = "import os, time\nwhile not os.path.exists('go'):\n    time.sleep(0.01)\n"
KILL = "import os\nos.kill(os.getpid(), 9)"


class OutputCase(EndingCase):
    def ways(self):
        """Command and environment: of Python alone, of the run script, measured and not, and of `run`."""
        run = binary(), "run", "-q", "--force"
        return [((sys.executable, "heat.py"), self.environment(PYTHONPATH=None)),
                (("./heat_run.sh",), self.environment()),
                (("./heat_run.sh",), self.environment(NBSCOREP_MEASURE="no")),
                ((*run, "--summary", "heat.ipynb"), self.environment())]

    def each_way(self, check):
        for number, (command, environment) in enumerate(self.ways()):
            with self.subTest(command, number=number):
                check(command, environment)

    def start(self, command, environment, **streams):
        process = subprocess.Popen(command, cwd=self.folder, env=environment,
                                   stdin=subprocess.DEVNULL, **streams)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        return process

    def check_runs(self, status, expected):
        """What each way writes and returns."""
        def check(command, environment):
            done = self.run_command(*command, env=environment)
            self.assertIn(done.status, status, done)
            self.assertEqual(done.out, expected, done)

        self.each_way(check)


class Seen(OutputCase):
    def check(self, *cells, expected, stream="stdout", options=()):
        """EXPECTED is on the STREAM while the last of CELLS waits."""
        def check(command, environment):
            self.path("go").unlink(missing_ok=True)
            read, write = os.pipe()
            process = self.start(command, environment,
                                 **{"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL,
                                    stream: write})
            os.close(write)
            found = b""
            while len(found) < len(expected) and select.select([read], [], [], TIMEOUT)[0]:
                data = os.read(read, 1)
                if not data:
                    break
                found += data
            self.assertEqual(found, expected)
            self.path("go").touch()
            os.close(read)
            process.wait(TIMEOUT)

        self.make(*cells, options=options)
        self.each_way(check)

    def test_line_at_once(self):
        self.check("print('one')\n" + WAIT, expected=b"one\n")

    def test_what_is_left_at_the_end_of_a_cell(self):
        self.check("print('one')\nprint('two', end='')", WAIT, expected=b"one\ntwo")

    def test_the_same_of_cells_in_groups_and_with_await(self):
        self.check("%%enable_multicellmode", "print('one', end='')", "%%finalize_multicellmode",
                   "import asyncio\nawait asyncio.sleep(0)\nprint('two', end='')", WAIT,
                   expected=b"onetwo")

    def test_the_same_of_cells_without_regions(self):
        self.check("print('one', end='')", WAIT, expected=b"one", options=["--no-cell-regions"])

    def test_standard_error(self):
        self.check("import sys\nprint('one', file=sys.stderr)\nsys.stderr.write('two')", WAIT,
                   expected=b"one\ntwo", stream="stderr")

    def test_lines_are_written_in_one_piece(self):
        """A pipe of packets gives back what one write wrote."""
        def check(command, environment):
            read, write = os.pipe2(os.O_DIRECT)
            process = self.start(command, environment, stdout=write)
            os.close(write)
            packets = [os.read(read, 1000), os.read(read, 1000)]
            os.close(read)
            self.assertEqual(packets, [b"one two 3\n", b"four\n"])
            process.wait(TIMEOUT)

        self.make(measured("print('one', 'two', 3)\nprint('four')"))
        self.each_way(check)


class Kept(OutputCase):
    def test_up_to_the_last_line(self):
        self.make("for i in range(3):\n    print('line', i)\nprint('end', end='')", KILL)
        self.check_runs((-9, 137), b"line 0\nline 1\nline 2\nend")

    def test_beside_what_children_write(self):
        self.make("import subprocess\nprint('one')\nsubprocess.run(['echo', 'two'])\n"
                  "print('three', end=' ')", "!echo four\nprint('five')")
        self.check_runs((0,), b"one\ntwo\nthree four\nfive\n")


class Replaced(OutputCase):
    """The script does what it likes with its streams."""

    def check(self, *cells, expected):
        self.make(*cells)
        self.check_runs((0,), expected)

    def test_by_another_one(self):
        self.check("import io, sys\nsys.stdout = io.StringIO()\nprint('one')",
                   "text = sys.stdout.getvalue()\nsys.stdout = sys.__stdout__\nprint(text)",
                   expected=b"one\n\n")

    def test_by_a_class_without_flush(self):
        self.check("import sys\nclass Out:\n    def write(self, text):\n"
                   "        sys.__stdout__.write(text.upper())",
                   "sys.stdout = Out()\nprint('one')", "print('two')",
                   "sys.stdout = sys.__stdout__", expected=b"ONE\nTWO\n")

    def test_by_none(self):
        self.check("import sys\nsys.stdout = None\nprint('one')", "print('two')", expected=b"")

    def test_closed(self):
        self.check("import sys\nout, sys.stdout = sys.stdout, sys.stderr\nout.write('one')",
                   "out.close()", "1", expected=b"one")

    def test_reconfigured(self):
        self.check("import sys\nsys.stdout.reconfigure(line_buffering=False, encoding='latin-1')",
                   "print('\\xe4')", expected=b"\xe4\n")


class Shown(OutputCase):
    """Values of last expressions that Jupyter shows as HTML."""

    def test_of_a_class(self):
        self.make("class Q:\n    def _repr_html_(self):\n        return '<b>x</b>y'", "Q()")
        self.check_runs((0,), b"xy\n")

    def test_by_itself(self):
        self.make("class Q:\n    def _ipython_display_(self):\n        print('shown')", "Q()")
        self.check_runs((0,), b"shown\n")


class Surroundings(OutputCase):
    def test_builtins_are_the_module(self):
        """The bindings give a script their dictionary."""
        self.make("__builtins__.print(sorted(vars(__builtins__))[0])\n"
                  "f = lambda: __builtins__.len('abc')\nf()")
        self.check_runs((0,), b"ArithmeticError\n3\n")


if __name__ == "__main__":
    unittest.main()
